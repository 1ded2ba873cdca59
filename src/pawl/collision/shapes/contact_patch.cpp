#include <pawl/collision/shapes/contact_patch.h>

namespace pawl::internal {
namespace {

constexpr int kRimPoints = 8;

/// Eight points on a circle of radius 1, counter-clockwise, that represent a rim. They rotate with the shape,
/// so a standing cylinder keeps the same contact points from step to step.
constexpr std::array<Polytope::Side, kRimPoints> kRim = [] {
  constexpr double h = 0.70710678118654752440;                              // cos 45°
  constexpr double c = 0.92387953251128675613, s = 0.38268343236508977173;  // cos, sin of 22.5°
  return std::array<Polytope::Side, kRimPoints>{{{1, 0, -c, -s, -c},
                                                 {h, h, -s, -c, -c},
                                                 {0, 1, s, -c, -c},
                                                 {-h, h, c, -s, -c},
                                                 {-1, 0, c, s, -c},
                                                 {-h, -h, s, c, -c},
                                                 {0, -1, -s, c, -c},
                                                 {h, -h, -c, s, -c}}};
}();

/// The lower rim is traversed in the opposite sense.
int rim_index(int cap, int k) {
  return cap == 1 ? k : (kRimPoints - k) % kRimPoints;
}
std::uint32_t rim_point_id(int cap, int k) {
  return curve_id(CurveIndex::kRimPoints + kRimPoints * cap + rim_index(cap, k));
}
std::uint32_t rim_side_id(int cap, int k) {
  // The index of the rim point where the chord begins, counter-clockwise seen from above.
  return curve_id(CurveIndex::kRimChords + kRimPoints * cap + rim_index(cap, cap == 1 ? k : k + 1));
}

/// The frame of a cap: x along the shape's x axis, z outward.
Pose cap_frame(const Rim& rim, const Pose& X, int cap) {
  const double up = cap == 1 ? 1 : -1;
  Pose frame{X.R, X * Vec3{0, 0, rim.height}};
  for (Vec3& row : frame.R.row) row = {row.x, up * row.y, up * row.z};
  return frame;
}

}  // namespace

void set_face_patch(const Polytope& polytope, const Pose& X, int face, Patch& patch) {
  patch.flat = face >= 0;
  patch.round = false;
  if (!patch.flat) {  // a segment or a point is its own patch
    patch.corners.clear();
    const std::uint32_t side = edge_id(0, 1);
    for (int v = 0; v < static_cast<int>(polytope.vertices.size()); ++v) {
      patch.corners.push_back({X * polytope.vertices[v], vertex_id(v), side});
    }
    patch.id = side;
    return;
  }
  const Polytope::Face& own = polytope.faces[face];
  patch.corners.resize(own.end - own.begin);
  for (int i = own.begin; i < own.end; ++i) {
    const int v = polytope.loops[i], next = polytope.loops[i + 1 < own.end ? i + 1 : own.begin];
    patch.corners[i - own.begin] = {X * polytope.vertices[v], vertex_id(v), edge_id(v, next)};
  }
  patch.normal = X.R * own.normal;
  patch.id = face_id(face);
}

void set_cap_patch(const Rim& rim, const Pose& X, int cap, Patch& patch) {
  const Pose frame = cap_frame(rim, X, cap);
  patch.radius = rim.radius;
  patch.corners.resize(kRimPoints);
  for (int k = 0; k < kRimPoints; ++k) {
    const Vec3 x = patch.radius * Vec3{kRim[k].u, kRim[k].v, 0};
    patch.corners[k] = {frame * x, rim_point_id(cap, k), rim_side_id(cap, k)};
  }
  patch.center = frame.p;
  patch.normal = {frame.R(0, 2), frame.R(1, 2), frame.R(2, 2)};
  patch.id = curve_id(cap);
  patch.flat = patch.round = true;
}

void set_side_patch(const Rim& below, const Rim& above, const Pose& X, const Vec3& direction, Patch& patch) {
  const double across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
  const Vec3 outward = across > 0 ? Vec3{direction.x / across, direction.y / across, 0} : Vec3{1, 0, 0};
  const double height = above.height - below.height, taper = below.radius - above.radius;
  const std::uint32_t side = curve_id(CurveIndex::kSide);
  const Vec3 bottom = below.radius * outward - Vec3{0, 0, -below.height};
  const Vec3 top = above.radius * outward + Vec3{0, 0, above.height};
  patch.corners.resize(2);
  patch.corners[0] = {X * bottom, curve_id(CurveIndex::kEndBelow), side};
  patch.corners[1] = {X * top, curve_id(CurveIndex::kEndAbove), side};
  patch.normal = X.R * normalized(taper == 0 ? outward : height * outward + Vec3{0, 0, taper});
  patch.id = side;
  patch.flat = true;
  patch.round = false;
}

void Reference::set_face(const Polytope& polytope, const Pose& X_S, int face) {
  const Polytope::Face& own = polytope.faces[face];
  sides_ = &polytope.sides[own.begin];
  loop_ = &polytope.loops[own.begin];
  count_ = own.end - own.begin;
  X.R = transpose(Mat3{{{X_S.R * own.along, X_S.R * own.across, X_S.R * own.normal}}});
  X.p = X_S * own.middle;
  id = face_id(face);
  round = false;
}

void Reference::set_cap(const Rim& rim, const Pose& X_S, int cap) {
  radius = rim.radius;
  for (int k = 0; k < kRimPoints; ++k) {
    const Polytope::Side& side = kRim[k];
    rim_[k] = {radius * side.u, radius * side.v, side.in_u, side.in_v, radius * side.offset};
  }
  sides_ = rim_.data();
  loop_ = nullptr;
  count_ = kRimPoints;
  cap_ = cap;
  X = cap_frame(rim, X_S, cap);
  id = curve_id(cap);
  round = true;
}

std::uint32_t Reference::corner_id(int k) const {
  return loop_ ? vertex_id(loop_[k]) : rim_point_id(cap_, k);
}

std::uint32_t Reference::side_id(int k) const {
  return loop_ ? edge_id(loop_[k], loop_[next(k)]) : rim_side_id(cap_, k);
}

bool Reference::contains_projection(const Vec3& x, double tolerance) const {
  for (int k = 0; k < count_; ++k) {
    if (height(k, x) < -tolerance) return false;
  }
  return true;
}

}  // namespace pawl::internal
