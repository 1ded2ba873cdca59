#include <pawl/view/report.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <pawl/error.h>
#include <pawl/view/frames.h>

#include "recorded_run.h"

namespace pawl::internal {
namespace {

using nlohmann::json;
using test::Folder;

constexpr std::string_view kPage =
    "<p>before</p><script type=\"application/json\" id=\"pawl-boot\">{}</script><p>after</p>";

std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    bits = bits << 6 | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

/// The boot JSON of a page.
json boot_of(const std::string& html) {
  const std::size_t begin = html.find("pawl-boot\">") + 11;
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

class Reports : public testing::Test {
 protected:
  Reports() { test::record(test::kBallAndBox, folder_ / "run.h5"); }
  Folder folder_;
};

TEST_F(Reports, HoldARunAsItIs) {
  const RunView run(folder_ / "run.h5");
  const RunView* const runs[] = {&run};
  const Report report = make_report(kPage, runs, 20'000'000);
  EXPECT_EQ(report.notes, "");
  EXPECT_THAT(report.html, testing::StartsWith("<p>before"));
  EXPECT_THAT(report.html, testing::EndsWith("after</p>"));
  const json boot = boot_of(report.html);
  EXPECT_EQ(boot["mode"], "report");
  ASSERT_EQ(boot["runs"].size(), 1u);
  EXPECT_EQ(boot["runs"][0]["info"]["states"], 101);
  EXPECT_EQ(from_base64(boot["runs"][0]["frames"]), frames_chunk(run, 0, 101));
  EXPECT_EQ(boot["runs"][0]["series"]["states"]["time"].size(), 101u);
}

TEST_F(Reports, KeepToAnyBudgetThatIsEnough) {
  const RunView run(folder_ / "run.h5");
  const RunView* const runs[] = {&run, &run};
  int fits = 0;
  for (std::uint64_t budget = 4'000; budget < 2'000'000; budget = budget * 5 / 4) {
    try {
      const Report report = make_report(kPage, runs, budget);
      ++fits;
      EXPECT_LE(report.html.size(), budget);
      const json boot = boot_of(report.html);
      for (const json& kept : boot["runs"]) {
        const test::Chunk chunk(from_base64(kept["frames"]));
        EXPECT_EQ(kept["info"]["states"], chunk.count);
        EXPECT_EQ(chunk.time.front(), 0);
        EXPECT_NEAR(chunk.time.back(), 1, 1e-12);
        for (const json& state : kept["series"]["steps"]["state"])
          EXPECT_LT(state.get<unsigned>(), chunk.count);
      }
      EXPECT_EQ(report.notes.empty(), boot["runs"][0]["info"]["states"] == 101);
      EXPECT_EQ(boot["notes"], report.notes);
    } catch (const Error& error) {
      EXPECT_EQ(fits, 0) << "a larger budget must do where a smaller one did";
      EXPECT_THAT(error.what(), testing::HasSubstr("does not fit"));
    }
  }
  EXPECT_GT(fits, 5);
}

TEST_F(Reports, AreNotEndedByANameWithAScriptInIt) {
  std::string scene = test::kBallAndBox;
  scene.replace(scene.find("ball and box"), 12, "'</script><script>alert(1)</script><!--'");
  test::record(scene, folder_ / "evil.h5");
  const RunView run(folder_ / "evil.h5");
  const RunView* const runs[] = {&run};
  const std::string html = make_report(kPage, runs, 20'000'000).html;
  EXPECT_THAT(html, testing::Not(testing::HasSubstr("<script>alert")));
  EXPECT_EQ(boot_of(html)["runs"][0]["info"]["name"], "</script><script>alert(1)</script><!--");
}

TEST_F(Reports, OfFilmsHaveTheStatesAskedFor) {
  const RunView run(folder_ / "run.h5");
  const std::vector<std::uint64_t> states{0, 10, 11, 100};
  const json boot = boot_of(make_film_page(kPage, run, states));
  EXPECT_EQ(boot["film"], true);
  EXPECT_EQ(from_base64(boot["runs"][0]["frames"]), frames_chunk(run, states));
}

TEST(Boot, NeedsItsPlaceholder) {
  EXPECT_THROW(insert_boot_json("<p>no place</p>", "{}"), Error);
  EXPECT_THROW(insert_boot_json("<script id=\"pawl-boot\">", "{}"), Error);
}

}  // namespace
}  // namespace pawl::internal
