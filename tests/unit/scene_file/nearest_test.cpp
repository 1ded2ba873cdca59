#include <gtest/gtest.h>

#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

TEST(Nearest, ForgivesASlipOfAnyKind) {
  EXPECT_EQ(nearest("mas", {"body", "mass"}), "mass");
  EXPECT_EQ(nearest("masss", {"body", "mass"}), "mass");
  EXPECT_EQ(nearest("mads", {"body", "mass"}), "mass");
  EXPECT_EQ(nearest("ta", {"body", "at"}), "at") << "a swap is one slip, not two";
}

TEST(Nearest, IgnoresTheCaseOfLetters) {
  EXPECT_EQ(nearest("RPY", {"axis", "rpy"}), "rpy");
}

TEST(Nearest, PrefersTheFewestSlipsAndThenTheFirst) {
  EXPECT_EQ(nearest("stap", {"stop", "step"}), "stop");
  EXPECT_EQ(nearest("sten", {"stop", "step"}), "step");
}

TEST(Nearest, GivesUpOnAnotherWord) {
  EXPECT_EQ(nearest("colour", {"friction", "restitution"}), "");
  EXPECT_EQ(nearest("x", {"y"}), "") << "nothing of it is left";
  EXPECT_EQ(nearest(std::string(1000000, 'a'), {"a"}), "");
}

TEST(Hint, ListsTheCandidatesWhereNoneIsNear) {
  EXPECT_EQ(hint("mas", {"mass"}, "there are"), ": did you mean 'mass'?");
  EXPECT_EQ(hint("colour", {"a", "b"}, "there are"), ": there are a, b");
  EXPECT_EQ(hint("colour", {}, "there are"), "");
  EXPECT_TRUE(
      hint("colour", std::vector<std::string_view>(100, "b"), "there are").ends_with("b and 76 more"));
}

}  // namespace
}  // namespace pawl::internal
