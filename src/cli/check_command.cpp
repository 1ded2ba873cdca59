#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <pawl/assemble/method.h>
#include <pawl/collision/mesh/mesh.h>
#include <pawl/json/json.h>
#include <pawl/model/dynamics.h>
#include <pawl/scene/shape_kinds.h>
#include <pawl/simulation.h>

#include "commands.h"
#include "overlaps.h"
#include "parameter_text.h"
#include "print.h"
#include "scene_options.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

/// A compiled scene with the results shown as text or JSON.
struct CheckedScene {
  Scene scene;
  Model model;
  Kinematics kinematics;  // at the start
  std::vector<Overlap> overlaps;
};

CheckedScene load_and_check(const SceneOptions& options) {
  CheckedScene u{options.load(), {}, {}, {}};
  u.model = compile(u.scene);
  const Simulation validation(u.model, u.scene.run);  // throws where `pawl run` would
  position_kinematics(u.model, u.model.q_start, u.kinematics);
  velocity_kinematics(u.model, u.model.v_start, u.kinematics);
  u.overlaps = overlaps_at_start(u.model);
  return u;
}

std::string inertia_text(const Mat3& I, bool planar) {
  if (planar) return fmt::format("{:.6g}", I(2, 2));
  const double off = std::max({std::abs(I(0, 1)), std::abs(I(0, 2)), std::abs(I(1, 2))});
  return fmt::format("({:.6g}, {:.6g}, {:.6g}){}", I(0, 0), I(1, 1), I(2, 2), off > 0 ? " and products" : "");
}

std::string mesh_text(const TriangleMesh& mesh) {
  const std::string triangles = pluralize(static_cast<long long>(mesh.triangles.size()), "triangle");
  const std::optional<double> volume = enclosed_volume(mesh);
  return volume ? fmt::format(" of {}, closed, {:.6g} m³", triangles, *volume)
                : fmt::format(" of {}, open", triangles);
}

std::string size_text(const SceneShape& shape, bool planar) {
  std::string text;
  for (const ShapeLength& length : shape_kind(shape.kind).lengths) {
    if (shape.*length.member > 0) text += fmt::format(" {} {:g}", length.symbol, shape.*length.member);
  }
  if (norm(shape.size) > 0) text += " " + vector_text(shape.size, planar);
  if (!shape.points.empty()) text += fmt::format(" of {} points", shape.points.size());
  if (!shape.mesh.triangles.empty()) text += mesh_text(shape.mesh);
  if (!shape.heights.empty()) text += fmt::format(" of {} heights", shape.heights.size());
  if (shape.rounding_radius > 0) text += fmt::format(" margin {:g}", shape.rounding_radius);
  return text;
}

const SceneBody& source_of(const CheckedScene& u, int body) {
  return *std::ranges::find(u.scene.bodies, u.model.body_names[body], &SceneBody::name);
}

std::string shapes_text(const CheckedScene& u, int body) {
  std::string text;
  for (const SceneShape& shape : source_of(u, body).shapes) {
    text += fmt::format("{}{}{} [{}]", text.empty() ? "" : ", ", to_string(shape.kind, u.model.dimension),
                        size_text(shape, u.model.planar()), shape.material);
  }
  return text.empty() ? "none" : text;
}

std::string friction_text(const SceneFrictionSet& set) {
  std::string text(to_string(set.kind));
  if (set.kind == FrictionSetKind::none) return text;
  if (set.radii[0] != 1 || set.radii[1] != 1)
    text += fmt::format(" e_t {:g} e_o {:g}", set.radii[0], set.radii[1]);
  if (set.radii[2] > 0) text += fmt::format(" e_r {:g} m", set.radii[2]);
  if (set.along != Vec3{})
    text +=
        fmt::format(" along ({:.4g}, {:.4g}, {:.4g}) of {}", set.along.x, set.along.y, set.along.z, set.of);
  return text;
}

std::string spin_text(const Vec3& w, bool planar) {
  return planar ? fmt::format("{:.6g}", w.z) : vector_text(w, false);
}

void print_tables(const CheckedScene& u) {
  const Model& model = u.model;
  const bool planar = model.planar();
  const RunOptions& run = u.scene.run;
  print_stdout("{}: {}, {} bodies, {} degrees of freedom, gravity {} m/s²\n\nBodies\n", u.scene.name,
               to_string(model.dimension), model.bodies.size() - 1, model.nv,
               vector_text(model.gravity, planar));
  Table bodies(true);
  bodies.add({"body", "joint", "mass (kg)", "inertia (kg m²)", "centre of mass (m)", "velocity (m/s)",
              "angular (rad/s)", "shapes"});
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const std::string joint =
        body.parent == 0 ? std::string(to_string(body.joint))
                         : fmt::format("{} on {}", to_string(body.joint), model.body_names[body.parent]);
    const bool fixed = body.tree < 0;
    bodies.add({model.body_names[b], joint, fixed ? "fixed" : fmt::format("{:.6g}", body.mass),
                fixed ? "" : inertia_text(body.inertia_B, planar),
                vector_text(u.kinematics.X_WB[b].p, planar),
                fixed ? "" : vector_text(u.kinematics.c[b], planar),
                fixed ? "" : spin_text(u.kinematics.w[b], planar), shapes_text(u, b)});
  }
  print_stdout("{}", bodies.text());

  Table laws(true);
  laws.add({"materials", "friction", "set", "restitution"});
  for (int i = 0; i < model.materials; ++i) {
    for (int j = i; j < model.materials; ++j) {
      const ContactLaw& law = model.laws[i * model.materials + j];
      laws.add({fmt::format("{} on {}", u.scene.materials[i].name, u.scene.materials[j].name),
                fmt::format("{:g}", law.friction), friction_text(law.friction_set),
                fmt::format("{:g}", law.restitution)});
    }
  }
  if (!laws.empty()) print_stdout("\nContact laws\n{}", laws.text());

  Table forces(true);
  forces.add({"force", "kind", "on"});
  for (const SceneForce& force : u.scene.forces) {
    forces.add({force.name, std::string(to_string(force.kind)),
                force.kind == ForceKind::wrench ? force.from.body
                                                : fmt::format("{} and {}", force.from.body, force.to.body)});
  }
  if (!forces.empty()) print_stdout("\nForces\n{}", forces.text());

  if (const std::string text = parameters_text(u.scene); !text.empty())
    print_stdout("\nParameters\n{}", text);
  Table outcomes(true);
  outcomes.add({"outcome", "type", "of"});
  for (const SceneOutcome& outcome : u.scene.outcomes) {
    outcomes.add({outcome.name, std::string(to_string(outcome.kind)),
                  outcome.body.empty() ? outcome.quantity : outcome.body});
  }
  if (!outcomes.empty()) print_stdout("\nOutcomes\n{}", outcomes.text());

  Table options;
  options.add({"method", run.method});
  options.add({"step", fmt::format("{:g} s, {:.6g} steps until {:g} s", run.step,
                                   std::ceil(run.until / run.step - 1e-6), run.until)});
  options.add({"tolerance", fmt::format("{:g}", run.tolerance)});
  if (run.accuracy) options.add({"accuracy", fmt::format("{:g}", *run.accuracy)});
  const FrictionForm form = run.friction.value_or(find_method(run.method).friction);
  options.add({"friction", form == FrictionForm::exact || planar
                               ? std::string(to_string(FrictionForm::exact))
                               : fmt::format("polyhedral, {} directions", run.friction_directions)});
  options.add({"contacts", fmt::format("at most {} of a pair", run.contact_points)});
  options.add({"record", fmt::format("every {} steps, contacts {}", run.record_every,
                                     run.record_contacts ? "too" : "not")});
  options.add({"not certified", std::string(to_string(run.on_uncertified))});
  print_stdout("\nRun\n{}", options.text());

  for (const Overlap& overlap : u.overlaps) print_stdout("\nnote: {}\n", overlap_text(model, overlap));
  for (const JointViolation& joint : joints_at_start(model))
    print_stdout("\nnote: {}\n", joint_text(model, joint));
}

Json shapes_json(const CheckedScene& u, int body) {
  Json out = Json::array();
  for (const SceneShape& shape : source_of(u, body).shapes) {
    Json entry{{"type", to_string(shape.kind, u.model.dimension)}, {"material", shape.material}};
    if (!shape.mesh.triangles.empty()) {
      const std::optional<double> volume = enclosed_volume(shape.mesh);
      entry["triangles"] = shape.mesh.triangles.size();
      entry["closed"] = volume.has_value();
      if (volume) entry["volume"] = *volume;
    }
    out.push_back(entry);
  }
  return out;
}

void print_json(const CheckedScene& u) {
  const Model& model = u.model;
  const RunOptions& run = u.scene.run;
  Json out{{"format", "pawl-check"},
           {"version", 1},
           {"scene", u.scene.name},
           {"dimension", to_string(model.dimension)},
           {"degrees_of_freedom", model.nv},
           {"gravity", vector_json(model.gravity)},
           {"bodies", Json::array()},
           {"laws", Json::array()},
           {"forces", Json::array()},
           {"run",
            {{"method", run.method},
             {"step", run.step},
             {"until", run.until},
             {"tolerance", run.tolerance},
             {"friction", to_string(run.friction.value_or(find_method(run.method).friction))},
             {"friction_directions", run.friction_directions},
             {"contact_points", run.contact_points}}},
           {"parameters", parameters_json(u.scene)},
           {"overlaps", overlaps_json(model, u.overlaps)}};
  for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    Json inertia = Json::array();
    for (const Vec3& row : body.inertia_B.row) inertia.push_back(vector_json(row));
    out["bodies"].push_back({{"name", model.body_names[b]},
                             {"joint", to_string(body.joint)},
                             {"parent", model.body_names[body.parent]},
                             {"fixed", body.tree < 0},
                             {"mass", body.mass},
                             {"inertia", inertia},
                             {"center_of_mass", vector_json(u.kinematics.X_WB[b].p)},
                             {"velocity", vector_json(u.kinematics.c[b])},
                             {"angular_velocity", vector_json(u.kinematics.w[b])},
                             {"shapes", shapes_json(u, b)}});
  }
  for (int i = 0; i < model.materials; ++i) {
    for (int j = i; j < model.materials; ++j) {
      const ContactLaw& law = model.laws[i * model.materials + j];
      out["laws"].push_back(
          {{"materials", {u.scene.materials[i].name, u.scene.materials[j].name}},
           {"friction", law.friction},
           {"friction_set", {{"type", to_string(law.friction_set.kind)}, {"radii", law.friction_set.radii}}},
           {"restitution", law.restitution}});
    }
  }
  for (const SceneForce& force : u.scene.forces) {
    out["forces"].push_back({{"name", force.name}, {"kind", to_string(force.kind)}});
  }
  print_stdout("{}\n", out.dump(2));
}

struct CheckArguments {
  SceneOptions scene;
  bool json = false;
};

}  // namespace

void add_check_command(CommandLine& line) {
  const auto arguments = std::make_shared<CheckArguments>();
  Command command = line.add_command("check", "Validate a scene and show how it was interpreted");
  arguments->scene.add_to(command);
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer("Example:\n  pawl check scenes/papers/four_balls.yaml --set bodies.ball1.mass=2");
  command.callback([arguments] {
    const CheckedScene checked = load_and_check(arguments->scene);
    arguments->json ? print_json(checked) : print_tables(checked);
  });
}

}  // namespace pawl::internal::cli
