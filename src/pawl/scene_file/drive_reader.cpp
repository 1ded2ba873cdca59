#include <numbers>

#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kFrictionBound{"a friction bound", "N m or N", Quantity::Range::non_negative};
constexpr Quantity kMotorForce{"a force", "N m or N"};
constexpr Quantity kArmature{"an armature", "kg m² or kg", Quantity::Range::non_negative};
constexpr Quantity kJointDamping{"a damping", "N m s/rad or N s/m", Quantity::Range::non_negative};
constexpr Quantity kJointStiffness{"a stiffness", "N m/rad or N/m", Quantity::Range::non_negative};
constexpr Quantity kMaxForce{"a largest force", "N m or N", Quantity::Range::non_negative};
constexpr double kDegree = std::numbers::pi / 180;

std::vector<std::array<double, 2>> read_table(const Field& field, const Quantity& quantity, double unit) {
  std::vector<std::array<double, 2>> table;
  for (const Field& row : field.items("rows of time and value")) {
    const std::vector<Field> pair = row.items("a time and a value");
    if (pair.size() != 2) row.fail("it must be a time and a value, [t, x]");
    const double time = pair[0].number({"a time", "s"});
    if (!table.empty() && !(time > table.back()[0])) {
      pair[0].fail("times must ascend: it is not after the one before");
    }
    table.push_back({time, unit * pair[1].number(quantity)});
  }
  if (table.empty()) field.fail("an empty table says nothing: it needs rows [t, x]");
  return table;
}

/// A signal under `key`, or in degrees under `key`_deg.
std::optional<Signal> find_signal(const Field& field, const std::string& key, const Quantity& quantity,
                                  bool turns) {
  const std::string in_degrees = key + "_deg";
  if (field.has(in_degrees)) {
    if (!turns) field.fail_at(in_degrees, fmt::format("the joint slides: write '{}'", key));
    if (field.has(key))
      field.fail_at(in_degrees, fmt::format("'{}' is written too: keep one of the two", key));
    return read_signal(*field.find(in_degrees), quantity, kDegree);
  }
  if (const auto found = field.find(key)) return read_signal(*found, quantity);
  return std::nullopt;
}

void read_motor(const Field& field, bool turns, SceneDrive& drive) {
  field.expect_object("motor");
  const auto velocity = find_signal(field, "velocity", turns ? kAngularVelocity : kVelocity, turns);
  const auto position = find_signal(field, "position", turns ? kAngle : kPosition, turns);
  const auto force = find_signal(field, "force", kMotorForce, false);
  if (velocity.has_value() + position.has_value() + force.has_value() != 1) {
    field.fail("a motor reaches a 'velocity' or a 'position', or has a 'force': write one of the three");
  }
  drive.motor = velocity ? MotorMode::velocity : position ? MotorMode::position : MotorMode::force;
  drive.target = velocity ? *velocity : position ? *position : *force;
  drive.max_force = field.find_number("max_force", kMaxForce);
  drive.kp = field.find_number("kp", kJointStiffness).value_or(0);
  drive.kv = field.find_number("kv", kJointDamping).value_or(0);
  if (field.has("kp") && !position)
    field.fail_at("kp", "it is the gain of a 'position': write one, or leave it out");
  if (field.has("kv") && force) field.fail_at("kv", "it is the gain of a servo: leave it out");
  if (field.has("max_force") && force) field.fail_at("max_force", "the force is given: leave it out");
  if (position && drive.kv > 0 && drive.kp == 0) field.fail_at("kv", "a position servo needs 'kp' too");
}

}  // namespace

Signal read_signal(const Field& field, const Quantity& quantity, double unit) {
  Signal signal;
  if (!field.is_map()) {
    signal.constant = unit * field.number(quantity);
    return signal;
  }
  field.expect_object("signal");
  if (field.has("table") == field.has("sine")) {
    field.fail("a number over time is either {table: …} or {sine: …}");
  }
  if (const auto table = field.find("table")) {
    signal.table = read_table(*table, quantity, unit);
    return signal;
  }
  const Field sine = *field.find("sine");
  sine.expect_object("sine");
  signal.amplitude = unit * sine.require_number("amplitude", quantity);
  signal.frequency = sine.require_number("frequency", {"a frequency", "Hz", Quantity::Range::non_negative});
  signal.phase = sine.find_angle("phase", kAngle).value_or(0);
  signal.constant = unit * sine.find_number("offset", quantity).value_or(0);
  return signal;
}

void read_passive(const Field& field, SceneDrive& drive) {
  drive.armature = field.find_number("armature", kArmature).value_or(0);
  drive.damping = field.find_number("damping", kJointDamping).value_or(0);
}

SceneDrive read_drive(const Field& field, bool turns, bool tree) {
  SceneDrive drive;
  if (tree) {
    read_passive(field, drive);
    drive.stiffness = field.find_number("stiffness", kJointStiffness).value_or(0);
    drive.rest_position =
        (turns ? field.find_angle("rest_position", kAngle) : field.find_number("rest_position", kPosition))
            .value_or(0);
  }
  drive.lower = turns ? field.find_angle("lower", kAngle) : field.find_number("lower", kPosition);
  drive.upper = turns ? field.find_angle("upper", kAngle) : field.find_number("upper", kPosition);
  if (drive.lower && drive.upper && *drive.lower > *drive.upper) {
    field.fail_at(
        field.has("upper") ? "upper" : "upper_deg",
        fmt::format("the limits are crossed: {} is below the lower one, {}", *drive.upper, *drive.lower));
  }
  if (field.has("restitution") && !drive.lower && !drive.upper) {
    field.fail_at("restitution", "there is no limit that it could be of: write lower or upper");
  }
  drive.restitution = field.find_number("restitution", kRestitution).value_or(0);
  drive.friction = field.find_number("friction", kFrictionBound).value_or(0);
  if (const auto motor = field.find("motor")) {
    read_motor(*motor, turns, drive);
    if (!tree && !is_ideal_motor(drive)) {
      motor->fail("only a body's own joint has a motor with kp, kv or a force");
    }
  }
  return drive;
}

}  // namespace pawl::internal
