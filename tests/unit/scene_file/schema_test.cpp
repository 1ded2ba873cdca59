// docs/scene.schema.json, for editors, agrees with the reader.

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pawl/scene.h>
#include <pawl/scene_file/keys.h>

namespace pawl::internal {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

const json& schema() {
  static const json loaded = json::parse(std::ifstream(PAWL_SOURCE_DIR "/docs/scene.schema.json"));
  return loaded;
}

const json& definition(std::string_view object) {
  return object == "scene" ? schema() : schema().at("$defs").at(std::string(object));
}

Names keys_in(const json& object) {
  Names names;
  for (const auto& [key, value] : object.items()) names.insert(key);
  return names;
}

TEST(SceneSchema, HasExactlyTheKeysOfTheReader) {
  for (const ObjectKeys& row : key_table()) {
    const auto keys = keys_of(row.object);
    EXPECT_EQ(keys_in(definition(row.object).at("properties")), Names(keys.begin(), keys.end()))
        << row.object;
    EXPECT_EQ(definition(row.object).at("additionalProperties"), false) << row.object;
  }
}

TEST(SceneSchema, GivesEveryTypeExactlyTheKeysOfTheReader) {
  for (std::string_view object : {"joint", "shape", "force", "friction_set", "outcome"}) {
    Names types;
    for (const json& rule : definition(object).at("allOf")) {
      const std::string type = rule.at("if").at("properties").at("type").at("const");
      types.insert(type);
      const auto& keys = keys_of(object, type);
      EXPECT_EQ(rule.at("then").at("propertyNames").at("enum").get<Names>(), Names(keys.begin(), keys.end()))
          << object << " " << type;
    }
    EXPECT_EQ(definition(object).at("properties").at("type").at("enum").get<Names>(), types);
    Names known;
    for (const ObjectKeys& row : key_table()) {
      if (row.object == object) known.emplace(row.variant);
    }
    EXPECT_EQ(types, known) << object;
  }
}

TEST(SceneSchema, ListsTheMethodsOfTheReader) {
  EXPECT_EQ(definition("run").at("properties").at("method").at("enum").get<Names>(),
            Names(kMethodNames.begin(), kMethodNames.end()));
}

TEST(SceneSchema, StatesTheDefaultsOfARun) {
  const RunOptions run;
  const json& properties = definition("run").at("properties");
  EXPECT_EQ(properties.at("method").at("default"), run.method);
  EXPECT_EQ(properties.at("step").at("default"), run.step);
  EXPECT_EQ(properties.at("until").at("default"), run.until);
  EXPECT_EQ(properties.at("tolerance").at("default"), run.tolerance);
  EXPECT_EQ(properties.at("friction_directions").at("default"), run.friction_directions);
  EXPECT_EQ(properties.at("contact_points").at("default"), run.contact_points);
  EXPECT_EQ(properties.at("on_uncertified").at("default"), to_string(run.on_uncertified));
}

TEST(SceneSchema, BoundsContactPointsAsTheReaderDoes) {
  const json& points = definition("run").at("properties").at("contact_points");
  EXPECT_EQ(points.at("minimum"), 1);
  EXPECT_EQ(points.at("maximum"), kMaxContactPoints);
}

TEST(SceneSchema, DescribesEveryKeyOrRefersToItsDescription) {
  for (const ObjectKeys& row : key_table()) {
    for (const auto& [key, value] : definition(row.object).at("properties").items()) {
      EXPECT_TRUE(value.contains("description") || value.contains("$ref")) << row.object << "." << key;
    }
  }
}

}  // namespace
}  // namespace pawl::internal
