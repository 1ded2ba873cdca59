// Tests of the program: pawl analyse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::string kRod = std::string(PAWL_SOURCE_DIR) + "/scenes/painleve_rod.yaml";
const std::string kSphere = std::string(PAWL_SOURCE_DIR) + "/scenes/papers/spin_in_place.yaml";

TEST(Analyse, FindsTheUniqueSolutionOfASpinningSphere) {
  const Outcome outcome = test::pawl(Folder(), "analyse " + kSphere);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("keeps sliding"));
  EXPECT_THAT(outcome.out, HasSubstr("-1.962"));
  EXPECT_THAT(outcome.out, HasSubstr("exists: yes"));
  EXPECT_THAT(outcome.out, HasSubstr("unique: yes (Theorem 1 A: μ = 0.2 < μ̄ = 3.162)"));
  EXPECT_THAT(outcome.out, HasSubstr("certified"));
}

TEST(Analyse, JsonHasAAndBAndTheTheorem) {
  const Outcome outcome =
      test::pawl(Folder(), "analyse --json --set bodies.ball.angular_velocity.2=0 " + kSphere);
  const Json out = Json::parse(outcome.out);
  const Json& island = out.at("islands").at(0);
  EXPECT_NEAR(island["A"][1][1], 3.5, 1e-14);
  EXPECT_NEAR(island["b"][0], -9.81, 1e-14);
  EXPECT_NEAR(island["theorem_1"]["uniqueness_bound"], 2 / std::sqrt(3.5), 1e-14);
  EXPECT_TRUE(island["theorem_1"]["existence_bound"].is_null());  // no sliding contact: no bound
  EXPECT_EQ(island["unique_motion"], "yes");
  EXPECT_EQ(out["contacts"][0]["then"], "keeps rolling");
}

TEST(Analyse, ProvesThatPainlevesRodHasNoSolution) {
  const Folder folder;
  const Outcome one = test::pawl(folder, "analyse --set materials.plain.friction=0.5 " + kRod);
  const Outcome none = test::pawl(folder, "analyse " + kRod);
  EXPECT_THAT(one.out, HasSubstr("unique: yes"));
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_THAT(none.out, HasSubstr("exists: no (every contact state was tried)"));
  EXPECT_THAT(none.out, Not(HasSubstr("unique:")));
}

TEST(Analyse, ListsBothMotionsOfARodThatHasTwo) {
  // The same sliding velocity at the tip, but rotating so fast that the tip would rise by itself.
  const Outcome outcome = test::pawl(Folder(),
                                     "analyse --set bodies.rod.angular_velocity=8"
                                     " --set bodies.rod.velocity=[-4.544101615137755,2] " +
                                         kRod);
  EXPECT_THAT(outcome.out, HasSubstr("unique: no: 2 motions"));
  EXPECT_THAT(outcome.out, HasSubstr("motion 2"));
  EXPECT_THAT(outcome.out, HasSubstr("breaks"));
  EXPECT_THAT(outcome.out, HasSubstr("keeps sliding"));
}

TEST(Analyse, SimulatesUntilTheTimeAskedFor) {
  const Outcome outcome = test::pawl(Folder(), "analyse --json --at 1.19 " + kSphere);
  const Json out = Json::parse(outcome.out);
  EXPECT_NEAR(out["time"], 1.19, 1e-12);
  EXPECT_EQ(out["contacts"][0]["now"], "rolling");  // it came to rest at 1 s
}

TEST(Analyse, RefusesAGapBelowZero) {
  const Outcome outcome = test::pawl(Folder(), "analyse --touching -1 " + kSphere);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("negative"));
}

TEST(Analyse, SaysSoWhereNothingTouches) {
  const Outcome outcome = test::pawl(Folder(), "analyse --set bodies.ball.position.2=3 " + kSphere);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Contacts at t = 0 s: 0"));
}

}  // namespace
}  // namespace pawl::internal
