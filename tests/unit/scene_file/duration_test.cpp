#include <gtest/gtest.h>

#include <pawl/scene.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

TEST(ParseDuration, TakesSecondsWithoutAUnit) {
  EXPECT_EQ(parse_duration("0.005"), 0.005);
  EXPECT_EQ(parse_duration("5e-3"), 0.005);
  EXPECT_EQ(parse_duration("0"), 0.0);
  EXPECT_EQ(parse_duration("+.5"), 0.5);
}

TEST(ParseDuration, RoundsAUnitOnlyOnce) {
  EXPECT_EQ(parse_duration("5ms"), 5e-3);
  EXPECT_EQ(parse_duration("0.1ms"), 1e-4);
  EXPECT_EQ(parse_duration("2.3e2 us"), 2.3e-4);
  EXPECT_EQ(parse_duration("100us"), 1e-4);
  EXPECT_EQ(parse_duration("2s"), 2.0);
}

TEST(ParseDuration, RefusesWhatIsNoTimeAndSaysWhatWouldBe) {
  for (const char* text : {"", "ms", "5min", "5 m", "-1", "-5ms", "inf", "nan", "1e400", "1e400ms", "five",
                           "5ms5", "0x10", "1,5", "1e", "1e-", "."}) {
    try {
      parse_duration(text);
      ADD_FAILURE() << text << " was taken for a time";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "'" + std::string(text) +
                    "' is not a time: it must be a finite number >= 0 of seconds, or one with "
                    "its unit: 5ms, 100us, 2s");
    }
  }
}

}  // namespace
}  // namespace pawl::internal
