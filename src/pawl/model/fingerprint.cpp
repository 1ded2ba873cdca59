#include <pawl/model/fingerprint.h>

#include <pawl/collision/mesh/surface.h>
#include <pawl/collision/shapes/polytope.h>

namespace pawl::internal {
namespace {

void add(Hash& hash, int number) {
  hash.add(static_cast<std::uint64_t>(number));
}

void add(Hash& hash, const Vec3& v) {
  for (int i = 0; i < 3; ++i) hash.add(v[i]);
}

void add(Hash& hash, const Mat3& m) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) hash.add(m(i, j));
  }
}

void add(Hash& hash, const Pose& X) {
  add(hash, X.p);
  add(hash, X.R);
}

void add(Hash& hash, const std::vector<Vec3>& points) {
  hash.add(points.size());
  for (const Vec3& point : points) add(hash, point);
}

void add(Hash& hash, const Body& body) {
  for (const int number : {body.parent, static_cast<int>(body.joint)}) add(hash, number);
  add(hash, body.X_PB_reference);
  for (const Vec3& v : {body.axis_P, body.second_axis_P, body.anchor_P, body.frame_origin_B}) add(hash, v);
  hash.add(body.mass);
  add(hash, body.inertia_B);
}

void add(Hash& hash, const Shape& shape) {
  for (const int number : {static_cast<int>(shape.kind), shape.body, static_cast<int>(shape.solid.core)})
    add(hash, number);
  add(hash, shape.X_BS);
  add(hash, shape.normal_B);
  add(hash, shape.solid.half);
  hash.add(shape.solid.rounding_radius);
  if (shape.solid.polytope != nullptr) add(hash, shape.solid.polytope->vertices);
}

void add(Hash& hash, const ConstraintJoint& joint) {
  for (const int number : {static_cast<int>(joint.kind), joint.body_a, joint.body_b, joint.q_a, joint.q_b})
    add(hash, number);
  for (const Vec3& v : {joint.anchor_A, joint.anchor_B, joint.axis_A, joint.axis_B}) add(hash, v);
  add(hash, joint.R_AB);
  for (const double number : {joint.length, joint.ratio, joint.offset}) hash.add(number);
}

}  // namespace

std::uint64_t fingerprint(const Model& model) {
  Hash hash;
  add(hash, static_cast<int>(model.dimension));
  for (const Body& body : model.bodies) add(hash, body);
  for (const Shape& shape : model.shapes) add(hash, shape);
  for (const ConstraintJoint& joint : model.joints) add(hash, joint);
  for (const auto& surface : model.surfaces) add(hash, surface->vertices);
  return hash.value();
}

std::uint64_t checksum(const State& state) {
  Hash hash;
  hash.add(state.time);
  for (const double number : state.q) hash.add(number);
  for (const double number : state.v) hash.add(number);
  for (const std::uint64_t word : state.history) hash.add(word);
  return hash.value();
}

}  // namespace pawl::internal
