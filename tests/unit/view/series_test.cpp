#include <pawl/view/series.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <random>

#include <pawl/view/downsampler.h>

#include "recorded_run.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using test::Folder;

std::vector<std::uint64_t> downsample(const std::vector<std::vector<double>>& rows, std::uint64_t intervals) {
  Downsampler downsampler(rows.size(), intervals, rows.empty() ? 0 : rows[0].size());
  for (const auto& row : rows) downsampler.add(row.data());
  return downsampler.finish();
}

TEST(Downsampler, KeepsAllOfAShortTable) {
  EXPECT_THAT(downsample({{1}, {2}, {3}}, 10), testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(downsample({}, 10), testing::IsEmpty());
}

TEST(Downsampler, KeepsMinAndMaxOfEveryInterval) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t size = 1 + random() % 5000, intervals = 1 + random() % 200;
    std::vector<std::vector<double>> rows(size);
    for (auto& row : rows) row = {noise(random), noise(random) + 5};
    const std::vector<std::uint64_t> kept = downsample(rows, intervals);
    EXPECT_LE(kept.size(), 5 * intervals + 1);
    EXPECT_EQ(kept.front(), 0u);
    EXPECT_EQ(kept.back(), size - 1);
    const std::size_t parts = std::min(intervals, size);
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t part = 0; part < parts; ++part) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        double kept_low = low, kept_high = high;
        for (std::size_t i = 0; i < size; ++i) {
          if (i * parts / size != part) continue;
          low = std::min(low, rows[i][c]), high = std::max(high, rows[i][c]);
          if (!std::ranges::binary_search(kept, i)) continue;
          kept_low = std::min(kept_low, rows[i][c]), kept_high = std::max(kept_high, rows[i][c]);
        }
        EXPECT_EQ(low, kept_low);
        EXPECT_EQ(high, kept_high);
      }
    }
  }
}

TEST(Downsampler, IgnoresNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<double>> rows(100, {nan});
  rows[37] = {1};
  EXPECT_THAT(downsample(rows, 1), testing::ElementsAre(0, 37, 99));
}

class Series : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new Folder;
    test::record(test::kBallAndBox, *folder_ / "run.h5");
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string path() { return *folder_ / "run.h5"; }
  static Folder* folder_;
};
Folder* Series::folder_ = nullptr;

TEST_F(Series, HoldsEveryRowOfAShortRun) {
  const Trajectory whole = read_trajectory(path());
  const json series = json::parse(series_json(RunView(path()), {}));
  const json& states = series["states"];
  ASSERT_EQ(states["time"].size(), whole.time.size());
  for (std::size_t i = 0; i < whole.time.size(); ++i) {
    EXPECT_EQ(states["index"][i], i);
    EXPECT_NEAR(states["kinetic"][i].get<double>(), whole.energy[i].kinetic, 1e-8 * whole.energy[i].kinetic);
    EXPECT_NEAR(states["friction"][i].get<double>(), whole.energy[i].friction, 1e-8);
  }
  const json& steps = series["steps"];
  ASSERT_EQ(steps["time"].size(), whole.steps.size());
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    EXPECT_EQ(steps["state"][i], i + 1);
    EXPECT_EQ(steps["contacts"][i], whole.steps[i].contacts);
    EXPECT_EQ(steps["status"][i], static_cast<int>(whole.steps[i].status));
    EXPECT_NEAR(steps["natural_map"][i].get<double>(), whole.steps[i].residual.natural_map, 1e-20);
  }
}

TEST_F(Series, HasOnlyWhatIsWithinItsTimes) {
  const json series = json::parse(series_json(RunView(path()), {.points = 2000, .from = 0.25, .to = 0.5}));
  for (const char* table : {"states", "steps"}) {
    const json& time = series[table]["time"];
    EXPECT_GE(time.front().get<double>(), 0.25);
    EXPECT_LE(time.back().get<double>(), 0.5);
    EXPECT_GE(time.size(), 25u);
  }
  EXPECT_EQ(series["states"]["index"].front(), 25);
}

TEST_F(Series, IsEmptyOutsideTheRun) {
  const json series = json::parse(series_json(RunView(path()), {.points = 10, .from = 5, .to = 4}));
  EXPECT_TRUE(series["states"]["time"].empty());
  EXPECT_TRUE(series["steps"]["status"].empty());
}

TEST_F(Series, RefersToTheStatesThatAreKept) {
  const std::vector<std::uint64_t> kept{0, 50, 100};
  const json series = json::parse(series_json(RunView(path()), {.points = 4}, kept));
  for (const json& index : series["states"]["index"]) EXPECT_LT(index.get<std::size_t>(), kept.size());
  EXPECT_EQ(series["states"]["index"].back(), 2);
  EXPECT_EQ(kept_index(kept, 0), 0u);
  EXPECT_EQ(kept_index(kept, 1), 1u);
  EXPECT_EQ(kept_index(kept, 50), 1u);
  EXPECT_EQ(kept_index(kept, 1000), 2u);
}

TEST_F(Series, FollowsOneContactThroughTheRun) {
  const Trajectory whole = read_trajectory(path());
  const ContactRecord last = whole.contacts.back();
  const json series =
      json::parse(contact_json(RunView(path()), {last.shape_a, last.shape_b, last.feature}, 100000));
  std::size_t found = 0;
  for (std::size_t state = 0; state < whole.time.size(); ++state) {
    for (std::uint64_t c = whole.contact_offset[state]; c < whole.contact_offset[state + 1]; ++c) {
      const ContactRecord& contact = whole.contacts[c];
      if (contact.shape_a != last.shape_a || contact.shape_b != last.shape_b ||
          contact.feature != last.feature)
        continue;
      ASSERT_LT(found, series["state"].size());
      EXPECT_EQ(series["state"][found], state);
      EXPECT_NEAR(series["force"][found][0].get<double>(), contact.impulse[0] / 0.01,
                  1e-7 * std::abs(contact.impulse[0] / 0.01));
      ++found;
    }
  }
  EXPECT_GT(found, 10u);
  EXPECT_EQ(series["time"].size(), found);
  EXPECT_EQ(series["gap"].size(), found);
  EXPECT_EQ(series["velocity"].size(), found);
}

TEST_F(Series, OfAContactThatNeverWasIsEmpty) {
  const json series = json::parse(contact_json(RunView(path()), {99, 7, 1}, 100));
  EXPECT_TRUE(series["time"].empty());
}

}  // namespace
}  // namespace pawl::internal
