#include <pawl/base/printable.h>

#include <gtest/gtest.h>

namespace pawl::internal {
namespace {

TEST(Printable, KeepsTextOfAnyLanguage) {
  for (const char* text : {"", "a b\tc\nd", "μ → 0,3 °C", "日本語", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\\x1b[31mb\\x07");
  EXPECT_EQ(printable("\r\x7f"), "\\x0d\\x7f");
  EXPECT_EQ(printable("\xC2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // U+009B, a control sequence in one character
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(printable("\xC3"), "\\xc3");
  EXPECT_EQ(printable("\xE2\x82"
                      "x"),
            "\\xe2\\x82x");
}

}  // namespace
}  // namespace pawl::internal
