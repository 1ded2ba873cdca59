// Studies: the same rows however they are computed, and stores that are wrong.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/error.h>
#include <pawl/scene_file.h>
#include <pawl/sweep/study_summary.h>
#include <pawl/sweep/sweep.h>

#include "folder.h"

namespace pawl::internal {
namespace sweep_test {

using ::testing::HasSubstr;

// A box slides to rest: x = v² / (2 μ g). Some boxes are faster than others, and one in ten has no size.
const std::string kSlide =
    "pawl: 1\n"
    "parameters:\n"
    "  mu: {uniform: [0.2, 0.8]}\n"
    "  v: {choice: [0.5, 1]}\n"
    "  size: {choice: [100, 0], weights: [9, 1], unit: mm}\n"
    "materials: {plain: {friction: mu}}\n"
    "bodies:\n"
    "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: plain}]}\n"
    "  box: {mass: 1, position: [0, 0, size / 2], velocity: [v, 0, 0], shapes: [{type: box, size: [0.1, 0.1, "
    "size], "
    "material: plain}]}\n"
    "outcomes:\n"
    "  rested: {type: rest, for: 10ms, stop: true}\n"
    "  far: {type: event, of: box.x, above: 0.05}\n"
    "  way: {type: value, of: box.x}\n"
    "run: {step: 5ms, until: 1, method: linearised}\n";

struct Sweep {
  std::string text = kSlide;
  std::uint64_t samples = 40;
  SweepOptions options = {};
  int interrupt_after = -1;  // calls of `tell`
  std::vector<std::string> overrides = {};

  SweepResult run(const std::string& path) const {
    const Scene scene = parse_scene(text, "slide.yaml", overrides);
    const Design design(scene.parameters, {.samples = samples});
    StudyStore store(path, describe_study(scene, design, "monte-carlo, seed 1"));
    int calls = 0;
    const SweepResult result = sweep(StudyScene(scene, design), design, options, store,
                                     [&](const SweepProgress&, const std::vector<StudyRow>&) {
                                       return interrupt_after < 0 || calls++ < interrupt_after;
                                     });
    store.finish();
    return result;
  }
};

std::vector<StudyRow> rows_of(const std::string& path) {
  std::vector<StudyRow> rows;
  StudyStore(path).read([&](const StudyRow& row) { rows.push_back(row); });
  return rows;
}

void expect_same(const std::vector<StudyRow>& a, const std::vector<StudyRow>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same_result(a[i], b[i])) << i;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sweeps, StoreTheSameRowsForAnyNumberOfJobs) {
  const test::Folder folder;
  for (const int jobs : {1, 2, 4}) {
    Sweep sweep;
    sweep.options.jobs = jobs;
    sweep.run(folder / std::to_string(jobs));
  }
  const std::vector<StudyRow> rows = rows_of(folder / "1");
  ASSERT_EQ(rows.size(), 40u);
  expect_same(rows, rows_of(folder / "2"));
  expect_same(rows, rows_of(folder / "4"));
  int invalid = 0;
  for (const StudyRow& row : rows) {
    invalid += row.status == RunStatus::invalid;
    if (row.parameters[2] == 0) {
      EXPECT_EQ(row.status, RunStatus::invalid);
      EXPECT_THAT(row.message, HasSubstr("bodies.box.shapes.0.size"));
      continue;
    }
    ASSERT_EQ(row.status, RunStatus::certified) << row.message;
    const double way = row.parameters[1] * row.parameters[1] / (2 * row.parameters[0] * 9.81);
    EXPECT_NEAR(std::get<double>(row.outcomes[2]), way, 0.005 * row.parameters[1] + 1e-9);
  }
  EXPECT_GT(invalid, 0);
}

TEST(Sweeps, ContinueWhereTheyWereInterrupted) {
  const test::Folder folder;
  Sweep{}.run(folder / "whole");
  Sweep parts;
  parts.options.jobs = 2;
  parts.interrupt_after = 1;
  int sweeps = 0;
  while (parts.run(folder / "parts").interrupted && sweeps < 1000) ++sweeps;
  EXPECT_GT(sweeps, 1);
  expect_same(rows_of(folder / "whole"), rows_of(folder / "parts"));
  EXPECT_EQ(Sweep{}.run(folder / "parts").progress.now, 0u);
}

TEST(Sweeps, GrowByMonteCarlo) {
  const test::Folder folder;
  Sweep{.samples = 10}.run(folder / "a");
  EXPECT_EQ(Sweep{.samples = 40}.run(folder / "a").progress.now, 30u);
  Sweep{}.run(folder / "b");
  expect_same(rows_of(folder / "a"), rows_of(folder / "b"));
}

TEST(Sweeps, ShardsTogetherAreTheWhole) {
  const test::Folder folder;
  Sweep{}.run(folder / "whole");
  for (std::uint64_t shard = 0; shard < 3; ++shard) {
    Sweep sweep;
    sweep.options.shard = shard;
    sweep.options.shards = 3;
    const SweepResult result = sweep.run(folder / "shards");
    EXPECT_EQ(result.progress.now, shard == 0 ? 14u : 13u);
  }
  expect_same(rows_of(folder / "whole"), rows_of(folder / "shards"));
}

TEST(Sweeps, EndOnceTheIntervalsAreNarrow) {
  const test::Folder folder;
  std::vector<std::size_t> sizes;
  for (const int jobs : {1, 3}) {
    Sweep sweep{.samples = 100000};
    sweep.options.jobs = jobs;
    sweep.options.until_interval = 0.15;
    const std::string path = folder / std::to_string(jobs);
    sweep.run(path);
    StudyStore store(path);
    EXPECT_LE(widest_interval(store, 1000000), 0.15);
    sizes.push_back(rows_of(path).size());
  }
  EXPECT_LT(sizes[0], 1000u);
  EXPECT_EQ(sizes[0], sizes[1]);
}

TEST(Sweeps, ReplayARowWithTheSameBits) {
  const test::Folder folder;
  Sweep{}.run(folder / "a");
  StudyStore store(folder / "a");
  const StudyScene scene(store.info());
  for (const std::uint64_t sample : {0, 7, 39}) {
    const StudyRow row = store.row(sample);
    const std::atomic<bool> cancelled = false;
    EXPECT_TRUE(same_result(run_sample(scene, sample, row.parameters, 3, cancelled), row)) << sample;
    StudyRow other = row;
    other.parameters[0] = std::nextafter(other.parameters[0], 1);
    if (row.status == RunStatus::certified) {
      EXPECT_FALSE(same_result(run_sample(scene, sample, other.parameters, 3, cancelled), row)) << sample;
    }
  }
  EXPECT_THAT(error_of([&] { store.row(40); }), HasSubstr("no sample 40"));
}

TEST(Sweeps, CountRunsThatAreNotCertifiedApart) {
  const test::Folder folder;
  Sweep{}.run(folder / "a");
  StudyStore store(folder / "a");
  StudySummary summary(store.info());
  std::uint64_t certified = 0, far = 0;
  store.read([&](const StudyRow& row) {
    summary.add(row);
    certified += row.status == RunStatus::certified;
    far += row.status == RunStatus::certified && std::holds_alternative<double>(row.outcomes[1]);
  });
  EXPECT_LT(certified, 40u);
  EXPECT_EQ(summary.runs(), 40u);
  EXPECT_EQ(summary.runs(RunStatus::certified), certified);
  EXPECT_EQ(summary.outcome(1).proportions.at(0).count, far);
  EXPECT_EQ(summary.outcome(2).values.size(), certified);
}

TEST(StudyStores, RefuseAnotherStudy) {
  const test::Folder folder;
  const std::string path = folder / "a.db";
  Sweep{.samples = 3}.run(path);
  Sweep other{.samples = 3};
  other.text += "# another text\n";
  EXPECT_THAT(error_of([&] { other.run(path); }), HasSubstr("another scene"));
  Sweep set{.samples = 3, .overrides = {"run.step=4ms"}};
  EXPECT_THAT(error_of([&] { set.run(path); }), HasSubstr("other settings"));
  {
    Database database(path, Database::Mode::write);
    database.run("UPDATE study SET value = '0.0.1' WHERE key = 'version'");
  }
  EXPECT_THAT(error_of([&] { Sweep{.samples = 3}.run(path); }), HasSubstr("written by pawl 0.0.1"));
  EXPECT_EQ(rows_of(path).size(), 3u);
}

TEST(StudyStores, RefuseFilesThatAreNone) {
  const test::Folder folder;
  folder.write("text", std::string(5000, 'x'));
  EXPECT_THAT(error_of([&] { StudyStore{folder / "text"}; }), HasSubstr("is not a study"));
  EXPECT_THAT(error_of([&] { Sweep{.samples = 3}.run(folder / "text"); }), HasSubstr("is not a study"));
  EXPECT_EQ(folder.read("text"), std::string(5000, 'x'));
  EXPECT_THAT(error_of([&] { StudyStore{folder / "nothing"}; }), HasSubstr("cannot be opened"));
  { Database(folder / "other", Database::Mode::write).run("CREATE TABLE a (b)"); }
  EXPECT_THAT(error_of([&] { Sweep{.samples = 3}.run(folder / "other"); }), HasSubstr("is not a study"));
}

TEST(StudyStores, NoticeDamage) {
  const test::Folder folder;
  Sweep{.samples = 200}.run(folder / "a");
  std::string bytes = folder.read("a");
  ASSERT_GT(bytes.size(), 16384u);
  // The second half of the pages: rows.
  for (std::size_t i = bytes.size() / 2; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  folder.write("b", bytes);
  EXPECT_THAT(error_of([&] { Sweep{.samples = 200}.run(folder / "b"); }), HasSubstr("damaged"));
  folder.write("c", bytes.substr(0, bytes.size() / 3));
  EXPECT_NE(error_of([&] { Sweep{.samples = 200}.run(folder / "c"); }), "no error");
}

TEST(StudyStores, AreWrittenByOneSweepAtATime) {
  const test::Folder folder;
  const Scene scene = parse_scene(kSlide, "slide.yaml");
  const Design design(scene.parameters, {.samples = 3});
  const StudyInfo info = describe_study(scene, design, "monte-carlo, seed 1");
  const StudyStore first(folder / "a", info);
  EXPECT_THAT(error_of([&] { StudyStore(folder / "a", info); }), HasSubstr("another sweep"));
}

}  // namespace sweep_test
}  // namespace pawl::internal
