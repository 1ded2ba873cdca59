// Reads `outcomes:`.

#include <pawl/scene_file/outcome_reader.h>

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

using Range = Quantity::Range;

constexpr Choice<OutcomeKind> kKinds[] = {{"pose", OutcomeKind::pose},   {"value", OutcomeKind::value},
                                          {"event", OutcomeKind::event}, {"rest", OutcomeKind::rest},
                                          {"gate", OutcomeKind::gate},   {"force", OutcomeKind::force},
                                          {"jam", OutcomeKind::jam}};
constexpr Choice<OutcomeTake> kTakes[] = {{"end", OutcomeTake::end},
                                          {"min", OutcomeTake::min},
                                          {"max", OutcomeTake::max},
                                          {"mean", OutcomeTake::mean}};

constexpr Quantity kSpeed{"a speed", "m/s", Range::positive};
constexpr Quantity kDuration{"a duration", "s", Range::positive};
constexpr Quantity kProgress{"a distance", "m", Range::positive};
constexpr Quantity kRadius{"a radius", "m", Range::positive};
constexpr Quantity kBound{"a bound", ""};
constexpr Quantity kDirection{"a direction", ""};

std::string read_moving_body(const Field& field, std::string_view key, const BodyIndex& bodies) {
  const Field name = field.require(key, "the name of a body is needed");
  const std::string body = read_body_name(name, bodies);
  if (body == kWorld) name.fail("the world does not move: name a body");
  return body;
}

void read_pose(const Field& field, const Scene& scene, SceneOutcome& outcome) {
  const bool planar = scene.dimension == Dimension::planar;
  const int size = coordinates(scene);
  const Field classes = field.require("classes", "the classes by name, {up: [0, 0, 1], …}, are needed");
  for (const auto& [name, direction] : classes.named_entries("directions of the body that point up")) {
    if (name == "none") classes.fail_at(name, "the class of all other poses: call this one something else");
    outcome.classes.push_back({name, direction.direction(kDirection, size)});
  }
  if (outcome.classes.empty())
    classes.fail("no class: {up: [0, 0, 1], …} are directions of the body that point up");
  outcome.up = planar ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  if (norm(scene.gravity) > 0) outcome.up = normalized(-scene.gravity);
  if (const auto up = field.find("up")) outcome.up = up->direction(kDirection, size);
  outcome.within =
      field.find_angle("within", {"an angle", "rad", Range::positive}).value_or(std::numbers::pi / 12);
}

void read_rest_limits(const Field& field, SceneOutcome& outcome, double duration) {
  outcome.speed = field.find_number("speed", kSpeed).value_or(1e-3);
  const auto time = field.find("for");
  outcome.duration = time ? time->duration(kDuration) : duration;
}

void read_value(const Field& field, SceneOutcome& outcome) {
  outcome.quantity = field.require_word("of", "the name of a quantity, such as ball.z,");
  if (const auto take = field.find("take")) outcome.take = take->choice<OutcomeTake>("what to take", kTakes);
  if (field.has("at") && outcome.take != OutcomeTake::end)
    field.fail_at("at", "belongs to 'take: end': the others are taken over the whole run");
}

void read_event(const Field& field, SceneOutcome& outcome) {
  outcome.quantity = field.require_word("of", "the name of a quantity, such as ball.z,");
  outcome.above = field.find_number("above", kBound);
  outcome.below = field.find_number("below", kBound);
  if (outcome.above.has_value() == outcome.below.has_value())
    field.fail_at("above", "an event needs one bound: 'above' or 'below'");
}

void read_gate(const Field& field, const Scene& scene, const BodyIndex& bodies, SceneOutcome& outcome) {
  const int size = coordinates(scene);
  outcome.body = read_moving_body(field, "body", bodies);
  outcome.point = field.require("point", "a point of the gate is needed").vector(kPoint, size);
  outcome.normal =
      field.require("normal", "the direction through the gate is needed").direction(kDirection, size);
  outcome.radius = field.find_number("radius", kRadius).value_or(0);
}

SceneOutcome read_outcome(const std::string& name, const Field& field, const Scene& scene,
                          const BodyIndex& bodies) {
  field.expect_object("outcome");
  SceneOutcome outcome;
  outcome.name = name;
  outcome.line = field.location().line;
  outcome.column = field.location().column;
  outcome.kind =
      field.require("type", "an outcome needs a type, one of pose, value, event, rest, gate, force, jam")
          .choice<OutcomeKind>("a type of outcome", kKinds);
  field.expect_variant("outcome", to_string(outcome.kind));
  switch (outcome.kind) {
    case OutcomeKind::pose:
      outcome.body = read_moving_body(field, "body", bodies);
      read_pose(field, scene, outcome);
      break;
    case OutcomeKind::value:
      read_value(field, outcome);
      break;
    case OutcomeKind::event:
      read_event(field, outcome);
      break;
    case OutcomeKind::rest:
      if (const auto list = field.find("bodies")) {
        for (const Field& item : list->items("names of bodies"))
          outcome.bodies.push_back(read_body_name(item, bodies));
      }
      read_rest_limits(field, outcome, 0.1);
      break;
    case OutcomeKind::gate:
      read_gate(field, scene, bodies, outcome);
      break;
    case OutcomeKind::force:
      outcome.body = read_moving_body(field, "body", bodies);
      break;
    case OutcomeKind::jam:
      outcome.body = read_moving_body(field, "body", bodies);
      read_rest_limits(field, outcome, 0.5);
      outcome.progress = field.find_number("progress", kProgress).value_or(1e-3);
      if (const auto along = field.find("along"))
        outcome.along = along->direction(kDirection, coordinates(scene));
      break;
  }
  if (const auto at = field.find("at")) outcome.at = at->word("the name of an outcome");
  if (const auto stop = field.find("stop")) outcome.stop = stop->boolean("a choice to stop the run");
  return outcome;
}

bool has_moment(OutcomeKind kind) {
  return kind == OutcomeKind::event || kind == OutcomeKind::rest || kind == OutcomeKind::gate ||
         kind == OutcomeKind::jam;
}

}  // namespace

void read_outcomes(const Field& field, const BodyIndex& bodies, Scene& scene) {
  const auto entries = field.named_entries("outcomes");
  for (const auto& [name, outcome] : entries)
    scene.outcomes.push_back(read_outcome(name, outcome, scene, bodies));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& at = scene.outcomes[i].at;
    if (at.empty()) continue;
    std::vector<std::string_view> names;
    bool known = false;
    for (const SceneOutcome& other : scene.outcomes) {
      if (!has_moment(other.kind)) continue;
      names.push_back(other.name);
      known = known || other.name == at;
    }
    if (!known) {
      entries[i].second.find("at")->fail(fmt::format(
          "no outcome of type event, rest, gate or jam is called '{}'{}", at, hint(at, names, "there are")));
    }
  }
}

}  // namespace pawl::internal
