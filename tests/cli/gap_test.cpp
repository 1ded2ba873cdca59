// Tests of the program: pawl gap.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "prism_scene.h"
#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using testing::HasSubstr;
using Json = nlohmann::json;

/// A box 1 cm above a table, and a ball far away.
const std::string kScene =
    "pawl: 1\n"
    "materials: {plain: {friction: 0.5}}\n"
    "bodies:\n"
    "  table: {joint: {type: weld}, shapes: [{type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}\n"
    "  box: {position: [0, 0, 0.11], shapes: [{type: box, size: [0.2, 0.2, 0.2], density: 1000}]}\n"
    "  ball: {position: [9, 0, 5], shapes: [{type: sphere, radius: 0.1, density: 1000}]}\n";

TEST(Gap, ShowsNearbyShapesAndTheirGaps) {
  const Folder folder;
  folder.write("s.yaml", kScene);
  const Outcome outcome = test::pawl(folder, "gap s.yaml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 places"));
  EXPECT_THAT(outcome.out, HasSubstr("box    table  0.01"));
  EXPECT_THAT(outcome.out, HasSubstr("(0, 0, 1)"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("ball")));
}

TEST(Gap, JsonIsForPrograms) {
  const Folder folder;
  folder.write("s.yaml", kScene);
  const Json out = Json::parse(test::pawl(folder, "gap s.yaml --json --within 20").out);
  double ball = 0;
  int corners = 0;
  for (const Json& gap : out["gaps"]) {
    if (gap["shapes"] == Json{"box", "table"}) {
      ++corners;
      EXPECT_NEAR(gap["gap"], 0.01, 1e-15);
      EXPECT_EQ(gap["normal"], (Json{0.0, 0.0, 1.0}));
      EXPECT_EQ(gap["curvature"], (Json{0.0, 0.0}));
    }
    if (gap["shapes"] == Json{"ball", "table"}) {
      ball = gap["gap"];
      ASSERT_EQ(gap["curvature"].size(), 2u);  // across and along the table's edge
      EXPECT_NEAR(gap["curvature"][0], 1 / std::hypot(8.5, 5), 1e-14);
      EXPECT_NEAR(gap["curvature"][1], 0, 1e-14);
    }
  }
  EXPECT_EQ(corners, 4);
  EXPECT_NEAR(ball, std::hypot(8.5, 5) - 0.1, 1e-14);
}

TEST(Gap, SimulatesUntilTheTimeAskedFor) {
  const Folder folder;
  folder.write("s.yaml", kScene);
  const Json out = Json::parse(test::pawl(folder, "gap s.yaml --json --at 100ms").out);
  EXPECT_NEAR(out["time"], 0.1, 1e-12);
  ASSERT_EQ(out["gaps"].size(), 4u);
  EXPECT_NEAR(out["gaps"][0]["gap"], 0, 1e-12);  // it has landed
}

TEST(Gap, ShowsAtMostTheConfiguredContactPointsPerPair) {
  const Folder folder;
  folder.write("s.yaml", test::prism_scene(6, test::kFlatBox));
  EXPECT_THAT(test::pawl(folder, "gap s.yaml --within 1e-3").out, HasSubstr("4 places"));
  const Outcome outcome = test::pawl(folder, "gap s.yaml --within 1e-3 --set run.contact_points=8");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 places"));
  const Outcome refused = test::pawl(folder, "gap s.yaml --set run.contact_points=9");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("run.contact_points: 9 is not a number of contact points: it must be a "
                                     "whole number from 1 to 8"));
}

TEST(Gap, RefusesWhatMakesNoSense) {
  const Folder folder;
  folder.write("s.yaml", kScene);
  for (const char* arguments : {"gap", "gap missing.yaml", "gap s.yaml --within -1",
                                "gap s.yaml --within nan", "gap s.yaml --within inf",
                                "gap s.yaml --within near", "gap s.yaml --at soon", "gap s.yaml --at inf"}) {
    const Outcome outcome = test::pawl(folder, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_LT(outcome.err.size(), 300u) << outcome.err;
  }
}

TEST(Gap, RefusesATimeThatIsTooManyStepsAway) {
  const Folder folder;
  folder.write("s.yaml", kScene);
  const Outcome outcome = test::pawl(folder, "gap s.yaml --at 1e99");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("t = 1e+99 s is 1e+102 steps of 0.001 s away"));
}

}  // namespace
}  // namespace pawl::internal
