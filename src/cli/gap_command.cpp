#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <pawl/base/parse.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/collision/shapes/bounds.h>
#include <pawl/scene_file.h>

#include "commands.h"
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

/// As far apart as the smaller of the two is large: what people call near.
double default_gap_limit(const Model& model) {
  double largest = 0;
  for (const Shape& shape : model.shapes) {
    if (!is_static_only(shape.kind)) largest = std::max(largest, bounding_radius(shape.solid));
  }
  return largest;
}

/// Adding a zero makes 0 of -0.
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
  fmt::print("Gaps up to {:g} m at t = {:g} s: {}\n", within, time,
             pluralize(static_cast<long long>(contacts.size()), "place"));
  if (!table.empty()) fmt::print("{}", table.text());
}

/// Of the gap, along the principal directions; null where it has none.
nlohmann::ordered_json curvature_json(const Model& model, const Kinematics& kinematics,
                                      const Contact& contact) {
  const auto rates = contact_kinematics(model, kinematics, contact);
  if (!rates) return nullptr;
  const auto curvatures = rates->principal_curvatures();
  auto out = nlohmann::ordered_json::array({curvatures[0]});
  if (!model.planar()) out.push_back(curvatures[1]);
  return out;
}

void print_json(const Model& model, const Kinematics& kinematics, double time, double within,
                const std::vector<Contact>& contacts) {
  nlohmann::ordered_json out{{"time", time}, {"within", within}, {"gaps", nlohmann::ordered_json::array()}};
  for (const Contact& contact : contacts) {
    out["gaps"].push_back(
        {{"shapes", {shape_text(model, contact.id.shape_a), shape_text(model, contact.id.shape_b)}},
         {"gap", contact.gap},
         {"normal", vector_json(contact.normal)},
         {"points", {vector_json(contact.point_a), vector_json(contact.point_b)}},
         {"curvature", curvature_json(model, kinematics, contact)},
         {"feature", contact.id.feature}});
  }
  fmt::print("{}\n", json_text(out));
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

void add_gap_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<GapArguments>();
  CLI::App* command =
      app.add_subcommand("gap", "How near the shapes of a scene are to each other, and where");
  arguments->scene.add_to(*command);
  command->add_option("--at", arguments->at, "Simulate until then first (s; or 5ms, 100us, 2s)")
      ->capture_default_str();
  command
      ->add_option("--within", arguments->within,
                   "Gaps up to this (m; default: the radius of the largest body)")
      ->check([](const std::string& text) {
        double within = 0;
        const bool good = parse_number(text, within) == std::errc() && std::isfinite(within) && within >= 0;
        return good ? std::string() : fmt::format("{} must be a finite number >= 0 (m)", pawl::quote(text));
      });
  command->add_flag("--json", arguments->json, "Print as JSON");
  command->footer(
      "Negative gaps are overlaps, along the direction of least separation. A pair that touches along a line "
      "or a\n"
      "face has several places. --json tells the curvature too: how the normal turns (1/m) as the first "
      "slides over\n"
      "the second, in its two principal directions, or null where that is not determined.\n"
      "Exit code 0, or 1 when a step on the way was not certified.\n"
      "Example:\n  pawl gap scenes/papers/four_balls.yaml --at 0.5");
  command->callback([arguments, &exit_code] { exit_code = gap(*arguments); });
}

}  // namespace pawl::internal::cli
