#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

Quat from_roll_pitch_yaw(const Vec3& angles) {
  // About the fixed axes x, then y, then z: R = Rz(yaw) Ry(pitch) Rx(roll).
  return quat_exp({0, 0, angles.z}) * quat_exp({0, angles.y, 0}) * quat_exp({angles.x, 0, 0});
}

Quat read_quaternion(const Field& field) {
  const std::vector<double> q = field.numbers({"a quaternion", ""}, 4);
  double scale = 0;
  for (double element : q) scale = std::max(scale, std::abs(element));
  if (scale == 0) field.fail("a quaternion of length zero is no rotation: [1, 0, 0, 0] is the identity");
  return normalized(Quat{q[0] / scale, q[1] / scale, q[2] / scale, q[3] / scale});
}

Quat read_rotation(const Field& field) {
  if (const auto q = field.parameter({"a rotation", ""}, 4))
    return normalized(Quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]});
  field.expect_object("orientation");
  const bool has_axis = field.has("axis");
  const bool has_angle = field.has("angle") || field.has("angle_deg");
  const int ways = int{has_axis || has_angle} + int{field.has("quaternion")} + int{field.has("rpy")} +
                   int{field.has("rpy_deg")};
  if (ways != 1 || has_axis != has_angle) {
    field.fail(
        "not an orientation: it must be given in one way, {axis, angle}, {quaternion}, {rpy} or {rpy_deg}");
  }
  if (has_axis) {
    const Vec3 axis = field.find("axis")->direction({"an axis", ""}, 3);
    return quat_exp(*field.find_angle("angle", kAngle) * axis);
  }
  if (const auto quaternion = field.find("quaternion")) return read_quaternion(*quaternion);
  if (const auto angles = field.find_vector("rpy", {"a triple of roll, pitch and yaw", "rad"}, 3)) {
    return from_roll_pitch_yaw(*angles);
  }
  const Vec3 degrees = *field.find_vector("rpy_deg", {"a triple of roll, pitch and yaw", "degrees"}, 3);
  return from_roll_pitch_yaw(degrees * (std::numbers::pi / 180));
}

}  // namespace

double read_planar_angle(const Field& field) {
  if (field.has("orientation"))
    field.fail_at("orientation", "belongs to spatial worlds: in a planar one write 'angle'");
  return field.find_angle("angle", kAngle).value_or(0);
}

Quat read_orientation(const Field& field, Dimension dimension) {
  if (dimension == Dimension::planar) return quat_exp({0, 0, read_planar_angle(field)});
  for (std::string_view key : {"angle", "angle_deg"}) {
    if (!field.has(key)) continue;
    field.fail_at(
        key,
        fmt::format(
            "belongs to planar worlds: in a spatial one write orientation: {{axis: [x, y, z], {}: …}}", key));
  }
  const auto orientation = field.find("orientation");
  return orientation ? read_rotation(*orientation) : Quat{};
}

}  // namespace pawl::internal
