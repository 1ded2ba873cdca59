#include <limits>

#include <gtest/gtest.h>

#include <pawl/json/json.h>

namespace pawl::internal {
namespace {

TEST(Json, ListsOfPairsAreObjectsAndOtherListsAreArrays) {
  EXPECT_EQ((Json{{"b", 1}, {"a", {1.5, "x"}}}).dump(), R"({"b":1,"a":[1.5,"x"]})");
  EXPECT_EQ((Json{"a", "b"}).dump(), R"(["a","b"])");
  EXPECT_EQ((Json{{1, 2}, {3, 4}}).dump(), "[[1,2],[3,4]]");
  EXPECT_EQ(Json(std::vector<int>{1, 2}).dump(), "[1,2]");
  EXPECT_EQ(Json::array().dump() + Json::object().dump(), "[]{}");
}

TEST(Json, WritesScalarsAsJson) {
  EXPECT_EQ((Json{true, nullptr, -1, 0.1, 1.0, -0.0}).dump(), "[true,null,-1,0.1,1.0,-0.0]");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json("a\"\n\xff").dump(), "\"a\\\"\\n\xef\xbf\xbd\"");
}

TEST(Json, IndentsNestedLists) {
  const Json json{{"a", {1, 2}}, {"b", Json::array()}, {"c", {{"d", Json::object()}}}};
  EXPECT_EQ(json.dump(2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": [],\n  \"c\": {\n    \"d\": {}\n  }\n}");
}

TEST(Json, UpdateSetsOldEntriesInPlaceAndAppendsNewOnes) {
  Json json{{"a", 1}, {"b", 2}};
  json.update(Json{{"c", 3}, {"a", 4}});
  json["d"].push_back(5);
  EXPECT_EQ(json.dump(), R"({"a":4,"b":2,"c":3,"d":[5]})");
}

TEST(Json, ReadsWhatItWrote) {
  const std::string text = R"({"a":[1,-2,0.1,true,null],"b":{"c":"\u0001µ"}})";
  const std::optional<Json> json = Json::parse(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), text);
  EXPECT_EQ((*json)["a"][2].number(), 0.1);
  EXPECT_EQ((*json)["b"]["c"].text(), "\x01µ");
  EXPECT_TRUE((*json)["b"]["d"].is_null());
}

TEST(Json, RefusesTextThatIsNotJsonOrNestedTooDeep) {
  EXPECT_FALSE(Json::parse("{\"a\":}"));
  EXPECT_FALSE(Json::parse(""));
  EXPECT_TRUE(Json::parse(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(Json::parse(std::string(100000, '[') + std::string(100000, ']')));
}

}  // namespace
}  // namespace pawl::internal
