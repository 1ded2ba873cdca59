// Files and texts that are not scenes must end in a SceneError.

#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/scene_file/scene_text.h"

#include <pawl/scene_file.h>

namespace pawl::internal::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string load_message(const std::string& path) {
  try {
    load_scene(path);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneText, ThatIsNotThereIsNamed) {
  EXPECT_EQ(load_message("no/such/scene.yaml"),
            "no/such/scene.yaml: cannot be opened: No such file or directory");
  EXPECT_EQ(load_message(PAWL_SOURCE_DIR),
            std::string(PAWL_SOURCE_DIR) + ": this is a directory: a scene is a YAML file");
}

TEST(SceneText, IsReadFromItsFile) {
  const std::string path = ::testing::TempDir() + "pawl_scene_text_test.yaml";
  std::ofstream(path) << "pawl: 1\nrun: {step: 7ms}\n";
  EXPECT_EQ(load_scene(path, {"run.until=9"}).run.until, 9);
  EXPECT_EQ(load_scene(path).run.step, 0.007);
  std::filesystem::remove(path);
}

TEST(SceneText, ThatIsEmptyIsNoScene) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    EXPECT_THAT(message_of(text), EndsWith(": the file is empty: a scene begins with 'pawl: 1'")) << text;
  }
}

TEST(SceneText, WithBrokenYamlNamesTheLine) {
  EXPECT_THAT(message_of("pawl: 1\nbodies:\n  a: {mass: 1\nrun: 2\n"), StartsWith("s.yaml:4:"));
  EXPECT_THAT(message_of("pawl: 1\nbodies: [1, 2\n"), HasSubstr(": not valid YAML: "));
  EXPECT_THAT(message_of("pawl: 1\n\tname: x\n"), StartsWith("s.yaml:2:"));
  EXPECT_THAT(message_of("pawl: 1\nname: *nobody\n"), StartsWith("s.yaml:2:7: name: not valid YAML: "));
}

TEST(SceneText, ThatIsNoUtf8NamesTheByte) {
  EXPECT_EQ(message_of("pawl: 1\nname: caf\xE9\n"),
            "s.yaml:2:10: the byte 0xE9 is no part of a text: a scene is a YAML file in UTF-8");
  using namespace std::string_view_literals;
  EXPECT_THAT(message_of("pawl: 1\n\0"sv), StartsWith("s.yaml:2:1: the byte 0x00"));
  EXPECT_THAT(message_of("\x89HDF\r\n"), StartsWith("s.yaml:1:1: the byte 0x89"));
  for (const char* wrong : {"\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF5", "\xE2\x82", "\x80", "\x1B"}) {
    EXPECT_THAT(message_of(wrong), HasSubstr("is no part of a text"));
  }
  EXPECT_EQ(message_of("pawl: 1\nname: Grüße, мир, 世界, 🌍\n"), "no error");
}

TEST(SceneText, WithAKeyTwiceNamesBothLines) {
  EXPECT_EQ(message_of(
                "pawl: 1\nbodies:\n  a: {mass: 1, inertia: 1}\n  b: {mass: 1, inertia: 1}\n  a: {mass: 2}\n"),
            "s.yaml:5:3: bodies.a: written twice, first on line 3: keep one of the two");
  EXPECT_THAT(message_of("pawl: 1\npawl: 1\n"),
              StartsWith("s.yaml:2:1: pawl: written twice, first on line 1"));
  EXPECT_THAT(message_of("pawl: 1\npairs:\n- {friction: 1, friction: 1}\n"),
              HasSubstr("pairs.0.friction: written twice"));
}

TEST(SceneText, MayHoldOneDocumentOnly) {
  EXPECT_EQ(message_of("---\npawl: 1\n"), "no error");
  EXPECT_EQ(message_of("pawl: 1\n---\npawl: 1\n"),
            "s.yaml:3:1: a second YAML document begins: a scene is one");
}

TEST(SceneText, WithTagsOrOddKeysIsRefused) {
  EXPECT_THAT(message_of("pawl: 1\nname: !lisp x\n"), HasSubstr("the tag '!lisp' means nothing in a scene"));
  EXPECT_THAT(message_of("pawl: 1\n[a]: x\n"), HasSubstr("a key must be a word"));
  EXPECT_THAT(message_of("pawl: 1\nbodies: {a: {<<: 3}}\n"), HasSubstr("'<<' takes an alias of a map"));
}

TEST(SceneText, NestedWithoutEndIsRefused) {
  EXPECT_THAT(message_of("pawl: 1\nbodies: " + std::string(100000, '[')),
              HasSubstr("nested more than 64 levels deep"));
  std::string maps = "pawl: 1\nbodies: ";
  for (int i = 0; i < 10000; ++i) maps += "{a: ";
  EXPECT_THAT(message_of(maps), HasSubstr("nested more than 64 levels deep"));
  std::string dashes = "pawl: 1\nbodies:\n";
  for (int i = 0; i < 10000; ++i) dashes += "- ";
  EXPECT_THAT(message_of(dashes), HasSubstr("nested more than 64 levels deep"));
  EXPECT_THAT(message_of("pawl: 1\nbodies: &a [*a]\n"),
              HasSubstr("this alias stands inside the very node it refers to"));
}

TEST(SceneText, WhoseAliasesMultiplyWithoutEndIsRefused) {
  std::string bomb = "pawl: 1\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*x" + std::to_string(i - 1);
    bomb += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [" + alias;
    for (int j = 0; j < 9; ++j) bomb += ", " + alias;
    bomb += "]\n";
  }
  EXPECT_THAT(message_of(bomb), HasSubstr("its aliases stand for more than 1000000 values"));
}

TEST(SceneText, OfMoreValuesThanAnySceneHasIsRefused) {
  std::string text = "pawl: 1\nbodies: [";
  for (int i = 0; i < 3'000'000; ++i) text += "1,";
  EXPECT_THAT(message_of(text + "]"), HasSubstr("the text holds more than 3000000 values"));
}

TEST(SceneText, OfMoreThan64MegabytesIsRefused) {
  const std::string text = "pawl: 1\n#" + std::string(std::size_t{64} << 20, 'x');
  EXPECT_EQ(message_of(text), "s.yaml: larger than 64 MB, the most a scene may have");
  const std::string path = ::testing::TempDir() + "pawl_large_scene_test.yaml";
  std::ofstream(path) << text;
  EXPECT_EQ(load_message(path), path + ": larger than 64 MB, the most a scene may have");
  std::filesystem::remove(path);
}

// Any damage to a valid scene gives a scene or a SceneError with a reason.
TEST(SceneText, DamagedAnywhereNeverEscapesTheReader) {
  const std::string good = scene_with_ball(
      "&b {mass: 1, inertia: [1, 1, 1], joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 0, 1], "
      "position_deg: 3},\n"
      "    orientation: {rpy: [0, 0, 1]}, shapes: [{type: capsule, radius: 1, length: 2, material: plain}]}\n"
      "  other: {<<: *b, joint: {type: free}}",
      "forces: {f: {type: spring, from: {body: ball}, to: {body: world}, stiffness: 1, rest_length: 1}}\n"
      "run: {step: 5ms, record: {every: 2}}\n");
  ASSERT_EQ(message_of(good), "no error");
  const std::string letters = "{}[]:,-*&!|>'\"%@#~?<= \n\t.e0129aZ\\";
  std::mt19937 random(20240607);
  int refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string text = good;
    for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.insert(at, 1, letters[random() % letters.size()]);
          break;
        default:
          text.erase(at, 1 + random() % 8);
          break;
      }
    }
    try {
      parse_scene(text, "s.yaml");
    } catch (const SceneError& error) {
      ++refused;
      EXPECT_FALSE(error.reason().empty()) << text;
      EXPECT_GT(error.location().line, 0) << error.what() << "\n" << text;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace pawl::internal::testing
