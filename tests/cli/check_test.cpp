// Tests of the program: shapes and masses printed by pawl check.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

/// A scene with one fixed body of this shape.
std::string scene_with(const std::string& shape) {
  return "pawl: 1\nmaterials: {plain: {friction: 0.5}}\nbodies:\n  ground: {joint: {type: weld}, shapes: [" +
         shape + "]}\n";
}

TEST(Check, ReportsWhetherMeshesAreClosedAndTheirVolume) {
  const Folder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 3\n";
  folder.write("closed.obj", corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("open.obj", corners + "f 1 2 3\n");
  folder.write("closed.yaml", scene_with("{type: mesh, file: closed.obj}"));
  folder.write("open.yaml", scene_with("{type: mesh, file: open.obj}"));
  EXPECT_THAT(test::pawl(folder, "check closed.yaml").out,
              HasSubstr("mesh of 4 triangles, closed, 0.5 m³ [plain]"));
  EXPECT_THAT(test::pawl(folder, "check open.yaml").out, HasSubstr("mesh of 1 triangle, open [plain]"));

  const Json closed =
      Json::parse(test::pawl(folder, "check --json closed.yaml").out)["bodies"][0]["shapes"][0];
  EXPECT_EQ(closed["triangles"], 4);
  EXPECT_EQ(closed["closed"], true);
  EXPECT_DOUBLE_EQ(closed["volume"], 0.5);
  const Json open = Json::parse(test::pawl(folder, "check --json open.yaml").out)["bodies"][0]["shapes"][0];
  EXPECT_EQ(open["closed"], false);
  EXPECT_FALSE(open.contains("volume"));
}

TEST(Check, RefusesMeshesThatAreInsideOutOrFlat) {
  const Folder folder;
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  folder.write("inverted.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
  folder.write("s.yaml", scene_with("{type: mesh, file: inverted.obj}"));
  const Outcome outcome = test::pawl(folder, "check s.yaml");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.yaml:4:"), HasSubstr("bodies.ground.shapes.0.file"),
                                 HasSubstr("inverted.obj: the triangles face inwards")));
}

}  // namespace
}  // namespace pawl::internal
