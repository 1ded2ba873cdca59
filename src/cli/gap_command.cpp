#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/base/parse.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/json/json.h>
#include <pawl/scene_file.h>

#include "commands.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"
#include "shape_text.h"
#include "simulate_until.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct GapArguments {
  SceneOptions scene;
  std::string at = "0";
  std::optional<double> within;
  bool json = false;
};

/// Bounding radius of the largest shape. Half-spaces, meshes and height fields, which are always static, do
/// not count.
double default_gap_limit(const Model& model) {
  double largest = 0;
  for (const Shape& shape : model.shapes) {
    if (!is_static_only(shape.kind)) largest = std::max(largest, bounding_radius(shape.solid));
  }
  return largest;
}

/// Adding a zero vector turns -0 into 0.
void print_gaps(const Model& model, double time, double within, const std::vector<Contact>& contacts) {
  Table table(true);
  table.add({"shape", "of", "gap (m)", "normal, into the first", "point of the first (m)",
             "point of the second (m)"});
  for (const Contact& contact : contacts) {
    table.add({shape_text(model, contact.id.shape_a), shape_text(model, contact.id.shape_b),
               fmt::format("{:.9g}", contact.gap), vector_text(contact.normal + Vec3{}, model.planar()),
               vector_text(contact.point_a + Vec3{}, model.planar()),
               vector_text(contact.point_b + Vec3{}, model.planar())});
  }
  print_stdout("Gaps up to {:g} m at t = {:g} s: {}\n", within, time,
               pluralize(static_cast<long long>(contacts.size()), "place"));
  if (!table.empty()) print_stdout("{}", table.text());
}

/// Principal curvatures of the gap; null if they are not determined.
Json curvature_json(const Model& model, const Kinematics& kinematics, const Contact& contact) {
  const auto rates = contact_kinematics(model, kinematics, contact);
  if (!rates) return nullptr;
  const auto curvatures = rates->principal_curvatures();
  Json out{curvatures[0]};
  if (!model.planar()) out.push_back(curvatures[1]);
  return out;
}

void print_json(const Model& model, const Kinematics& kinematics, double time, double within,
                const std::vector<Contact>& contacts) {
  Json out{{"time", time}, {"within", within}, {"gaps", Json::array()}};
  for (const Contact& contact : contacts) {
    out["gaps"].push_back(
        {{"shapes", {shape_text(model, contact.id.shape_a), shape_text(model, contact.id.shape_b)}},
         {"gap", contact.gap},
         {"normal", vector_json(contact.normal)},
         {"points", {vector_json(contact.point_a), vector_json(contact.point_b)}},
         {"curvature", curvature_json(model, kinematics, contact)},
         {"feature", contact.id.feature}});
  }
  print_stdout("{}\n", json_text(out));
}

int gap(const GapArguments& arguments) {
  const Scene scene = arguments.scene.load();
  const Model model = compile(scene);
  const ReachedState reached = simulate_until(model, scene.run, parse_duration(arguments.at));
  if (reached.interrupted) return interrupt_exit_code();
  Kinematics kinematics;
  position_kinematics(model, reached.state.q, kinematics);
  ContactFinder finder(model, scene.run.contact_points);
  std::vector<Contact> contacts;
  const double within = arguments.within.value_or(default_gap_limit(model));
  finder.find({kinematics, nullptr, within, {}}, contacts);
  if (arguments.json) {
    print_json(model, kinematics, reached.state.time, within, contacts);
  } else {
    print_gaps(model, reached.state.time, within, contacts);
  }
  return reached.certified ? 0 : kExitUncertified;
}

}  // namespace

void add_gap_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<GapArguments>();
  Command command =
      line.add_command("gap", "List the gaps between nearby shapes of a scene, with closest points");
  arguments->scene.add_to(command);
  command.add_option("--at", arguments->at, "Simulate up to this time first (s; or 5ms, 100us, 2s)")
      .capture_default_str();
  command
      .add_option("--within", arguments->within,
                  "Largest gap to list (m; default: bounding radius of the largest shape that can move)")
      .check([](const std::string& text) {
        double within = 0;
        const bool good = parse_number(text, within) == std::errc() && std::isfinite(within) && within >= 0;
        return good ? std::string()
                    : fmt::format("{} must be a finite number >= 0 (m)", internal::quote(text));
      });
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "Negative gaps are penetrations, along the direction of least penetration depth. A pair that touches\n"
      "along a line or a face is listed with several points. --json adds the curvatures: the rotation of\n"
      "the normal (1/m) as the first shape slides over the second, in the two principal directions, or\n"
      "null if they are not determined.\n"
      "Exit code 0, or 1 if a step before the given time was not certified.\n"
      "Example:\n  pawl gap scenes/papers/four_balls.yaml --at 0.5");
  command.callback([arguments, &exit_code] { exit_code = gap(*arguments); });
}

}  // namespace pawl::internal::cli
