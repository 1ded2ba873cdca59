// The scenes in docs/scene-format.md are valid, and the document covers every key.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <pawl/scene_file.h>
#include <pawl/scene_file/keys.h>

#include "unit/scene_file/scene_text.h"

namespace pawl::internal::testing {
namespace {

std::string page() {
  std::stringstream text;
  text << std::ifstream(PAWL_SOURCE_DIR "/docs/scene-format.md").rdbuf();
  return text.str();
}

TEST(SceneDocs, ShowAnExampleThatIsRead) {
  const std::string text = page();
  const std::string fence = "```yaml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const std::string example = text.substr(begin, text.find("```", begin) - begin);
  EXPECT_EQ(message_of(example), "no error");
  EXPECT_EQ(parse_scene(example, "s.yaml").bodies.size(), 3u);
}

TEST(SceneDocs, MentionEveryKeyTypeAndMethod) {
  const std::string text = page();
  const auto mentions = [&](std::string_view word) {
    return text.find("`" + std::string(word) + "`") != std::string::npos;
  };
  for (const ObjectKeys& row : key_table()) {
    EXPECT_TRUE(row.variant.empty() || mentions(row.variant)) << row.variant;
    for (std::string_view key : row.keys) EXPECT_TRUE(mentions(key)) << row.object << "." << key;
  }
  for (std::string_view method : kMethodNames) EXPECT_TRUE(mentions(method)) << method;
}

}  // namespace
}  // namespace pawl::internal::testing
