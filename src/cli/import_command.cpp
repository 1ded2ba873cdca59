#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/json/json.h>
#include <pawl/model.h>
#include <pawl/robot.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "scene_options.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string output;
  RobotOptions robot;
  bool json = false;
};

void print_table(const RobotScene& robot, const Model& model, const std::string& output) {
  Table table(true);
  table.add({"", "element", "attribute", "reason", "first at", "places"});
  for (const RobotRemark& remark : robot.remarks) {
    table.add({std::string(to_string(remark.verdict)), remark.element,
               remark.attribute.empty() ? "(whole)" : remark.attribute, remark.reason,
               fmt::format("{}:{}", std::filesystem::path(remark.file).filename().string(), remark.line),
               fmt::format("{}", remark.count)});
  }
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.tree >= 0 ? body.mass : 0;
  print_stdout("{}: {} bodies, {} degrees of freedom, {:.6g} kg that move\n\n{}\n", robot.scene.name,
               model.bodies.size() - 1, model.nv, mass, table.text());
  print_stdout("  {:<6}  {}\n", "file", output);
}

void print_remarks_json(const RobotScene& robot, const std::string& output) {
  Json remarks = Json::array();
  for (const RobotRemark& remark : robot.remarks) {
    remarks.push_back({{"verdict", to_string(remark.verdict)},
                       {"element", remark.element},
                       {"attribute", remark.attribute},
                       {"reason", remark.reason},
                       {"file", remark.file},
                       {"line", remark.line},
                       {"places", remark.count}});
  }
  print_stdout("{}\n", json_text({{"scene", robot.scene.name}, {"file", output}, {"remarks", remarks}}));
}

void import(const ImportArguments& arguments) {
  const RobotScene robot = load_robot(arguments.file, {}, arguments.robot);
  const Model model = compile(robot.scene);
  const std::string output = arguments.output.empty()
                                 ? std::filesystem::path(arguments.file).stem().string() + ".yaml"
                                 : arguments.output;
  write_text(resolve_output_path(output, arguments.file), robot.scene.text);
  arguments.json ? print_remarks_json(robot, output) : print_table(robot, model, output);
}

}  // namespace

void add_import_command(CommandLine& line) {
  const auto arguments = std::make_shared<ImportArguments>();
  Command command =
      line.add_command("import", "Turn a robot (MJCF or URDF) into a scene file, and list what became of it");
  command.add_option("ROBOT", arguments->file, "MJCF (.xml) or URDF (.urdf) file").required();
  command
      .add_option("-o,--output", arguments->output,
                  "Scene file (default: the name with .yaml, in the current folder)")
      .check([](const std::string& path) { return path.empty() ? "needs a file name" : ""; });
  add_robot_options(command, arguments->robot);
  command.add_flag("--json", arguments->json, "Print the list as JSON");
  command.footer("Example:\n  pawl import robot.xml -o robot.yaml");
  command.callback([arguments] { import(*arguments); });
}

}  // namespace pawl::internal::cli
