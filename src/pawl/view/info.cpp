#include <pawl/view/info.h>

#include <algorithm>

#include <fmt/format.h>

#include <pawl/json/json.h>
#include <pawl/view/frames.h>
#include <pawl/view/series.h>
#include <pawl/view/shape_json.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kStepsPerRead = 16384;  // steps read at a time
constexpr std::size_t kMaxUncertified = 10000;  // listed at most; a page cannot show more

Json vector_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}

Json bodies_json(const RunView& run) {
  const Model& model = run.model();
  Json bodies = Json::array();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    Json shapes = Json::array();
    const auto source = std::ranges::find(run.scene().bodies, model.body_names[b], &SceneBody::name);
    std::size_t next = 0;  // model.shapes is ordered by body, then as in the scene
    for (const Shape& shape : model.shapes) {
      if (shape.body == static_cast<int>(b))
        shapes.push_back(shape_json(source->shapes[next++], shape, model));
    }
    bodies.push_back(
        {{"name", model.body_names[b]}, {"fixed", model.bodies[b].tree < 0}, {"shapes", shapes}});
  }
  return bodies;
}

Json uncertified_json(const RunView& run, std::span<const std::uint64_t> kept) {
  Json list = Json::array();
  for (std::uint64_t first = 0; first < run.steps(); first += kStepsPerRead) {
    const auto steps = run.reader().read_steps(first, std::min(kStepsPerRead, run.steps() - first));
    for (std::uint64_t i = 0; i < steps.size(); ++i) {
      if (steps[i].certified()) continue;
      if (list.size() == kMaxUncertified) return list;
      list.push_back({{"state", kept_index(kept, run.state_of_step(first + i))},
                      {"time", steps[i].time},
                      {"status", to_string(steps[i].status)},
                      {"reason", steps[i].reason}});
    }
  }
  return list;
}

Json parameters_json(const Scene& scene) {
  Json list = Json::array();
  for (const Parameter& p : parameters_of(scene)) {
    const bool number = p.choices.empty();
    list.push_back({{"key", p.key},
                    {"label", p.label},
                    {"value", number ? Json(p.number) : Json(p.choice)},
                    {"kind", number ? "number" : "choice"},
                    {"choices", p.choices},
                    {"unit", p.unit}});
  }
  return list;
}

/// True if --set can address the name: it cuts paths at dots and ends them at an equals sign.
bool can_be_set(const std::string& name) {
  return !name.empty() && name.find_first_of(".=") == std::string::npos;
}

}  // namespace

std::vector<Parameter> parameters_of(const Scene& scene) {
  const RunOptions& run = scene.run;
  std::vector<Parameter> all;
  const auto add_number = [&](std::string key, std::string label, std::string unit, double value) {
    all.push_back({std::move(key), std::move(label), std::move(unit), value, {}, {}});
  };
  all.push_back({"run.method", "method", "", 0, run.method, {kMethodNames.begin(), kMethodNames.end()}});
  add_number("run.step", "step", "s", run.step);
  add_number("run.until", "until", "s", run.until);
  add_number("run.tolerance", "tolerance", "", run.tolerance);
  if (!run.adaptive_gamma) add_number("run.gamma", "γ", "", run.gamma);
  add_number("run.friction_directions", "friction directions", "", run.friction_directions);
  for (const SceneMaterial& material : scene.materials) {
    if (can_be_set(material.name)) {
      add_number(fmt::format("materials.{}.friction", material.name),
                 fmt::format("friction of {}", material.name), "", material.friction);
    }
  }
  for (std::size_t i = 0; i < scene.pairs.size(); ++i) {
    const ScenePair& pair = scene.pairs[i];
    add_number(fmt::format("pairs.{}.friction", i),
               fmt::format("friction of {} and {}", pair.first, pair.second), "", pair.friction);
  }
  return all;
}

std::string info_json(const RunView& run, std::span<const std::uint64_t> kept) {
  const TrajectoryInfo& info = run.reader().info();
  const std::vector<double>& time = run.reader().time();
  Json json;
  json["format"] = 1;
  json["name"] = info.scene_name;
  json["description"] = run.scene().description;
  json["file"] = run.path();
  json["method"] = info.method;
  json["step"] = info.step;
  json["tolerance"] = info.tolerance;
  json["planar"] = info.planar;
  json["gravity"] = vector_json(run.scene().gravity);
  json["states"] = kept.empty() ? run.states() : kept.size();
  json["steps"] = run.steps();
  json["finished"] = run.reader().finished();
  json["chunk"] = recommended_chunk_states(run);
  json["start"] = time.front();
  json["end"] = time.back();
  json["uncertified"] = uncertified_json(run, kept);
  json["bodies"] = bodies_json(run);
  json["parameters"] = parameters_json(run.scene());
  return json.dump();
}

}  // namespace pawl::internal
