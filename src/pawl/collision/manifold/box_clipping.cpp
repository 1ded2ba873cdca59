#include <pawl/collision/manifold/box_clipping.h>

#include <bit>
#include <limits>

#include <pawl/base/tolerances.h>
#include <pawl/collision/manifold/manifold_builder.h>
#include <pawl/collision/manifold/patch_clipper.h>

namespace pawl::internal {
namespace {

// Signs of consecutive corners of a rectangle along its two axes, and of the sides that begin there: along,
// across, and back.
constexpr Vec4d kAlong{-1, 1, 1, -1}, kAcross{-1, -1, 1, 1}, kBack{1, 1, -1, -1};

/// Ids of the corners of each face in that order, and of the sides that begin there, by face index. The two
/// axes of a face are those that follow its own.
struct FaceIds {
  Mask4 corners[6], sides[6], face[6];
};
constexpr FaceIds make_face_ids(std::int64_t scale) {
  FaceIds ids{};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, along = (axis + 1) % 3, across = (axis + 2) % 3;
    const auto vertex = [&](int k) {
      return (face % 2) << axis | (k == 1 || k == 2 ? 1 : 0) << along | (k >= 2 ? 1 : 0) << across;
    };
    const auto corner = [&](int k) { return scale * vertex_id(vertex(k)); };
    const auto side = [&](int k) { return scale * edge_id(vertex(k), vertex((k + 1) % 4)); };
    const std::int64_t id = scale * face_id(face);
    ids.corners[face] = Mask4{corner(0), corner(1), corner(2), corner(3)};
    ids.sides[face] = Mask4{side(0), side(1), side(2), side(3)};
    ids.face[face] = Mask4{id, id, id, id};
  }
  return ids;
}
/// As the lower half of a feature (b) and as its upper half (a).
constexpr FaceIds kFaceIds[] = {make_face_ids(1), make_face_ids(std::int64_t{1} << 32)};

/// Ids for the box of the reference and for the box of the incident face.
const FaceIds& reference_ids(const BoxFaces& faces) {
  return kFaceIds[faces.on_a ? 1 : 0];
}
const FaceIds& incident_ids(const BoxFaces& faces) {
  return kFaceIds[faces.on_a ? 0 : 1];
}

constexpr std::int64_t kIndexBits = 15;

/// Replaces the lowest bits by the indices of four clip points, so that the max also yields its index.
Vec4d tag_with_index(Vec4d x, int kind) {
  const std::int64_t first = 4 * kind;
  return (Vec4d)(((Mask4)x & ~kIndexBits) | Mask4{first, first + 1, first + 2, first + 3});
}
int tagged_index(Vec4d x) {
  return static_cast<int>(((Mask4)x)[0] & kIndexBits);
}

/// The next corner in each lane.
template <class Four>
Four next(Four x) {
  return __builtin_shufflevector(x, x, 1, 2, 3, 0);
}

bool any(Mask4 mask) {
  return bits(mask) != 0;
}

}  // namespace

BoxFaces::BoxFaces(const ObbPair& obbs, const ObbAxis& face) : on_a(face.i >= 0) {
  z = on_a ? face.i : face.j, x = kNextAxis[z], y = kPreviousAxis[z];
  up = on_a ? face.sign : -face.sign;
  const Vec4d &own = (on_a ? obbs.a : obbs.b).half, &other = (on_a ? obbs.b : obbs.a).half;
  half_x = own[x], half_y = own[y], half_z = own[z];
  const Vec4d* axes = on_a ? obbs.R : obbs.Rt;  // of the other box, one component per row
  const int axis = index_of_largest(abs(axes[z]));
  const double facing = up * axes[z][axis] > 0 ? -1 : 1;
  const double i_half = other[axis];
  const Vec4d sides = rotate_axis_to_z(other, axis);
  const Vec4d scale{sides[0], sides[1], facing, 0};
  i_x = scale * rotate_axis_to_z(axes[x], axis);
  i_y = scale * rotate_axis_to_z(axes[y], axis);
  i_z = (up * scale) * rotate_axis_to_z(axes[z], axis);
  const Vec4d& t = on_a ? obbs.t : obbs.t_b;
  const double sign = on_a ? 1 : -1;
  face_index = Obb::face(z, up);
  i_face_index = Obb::face(axis, facing);
  middle = {sign * t[x] + i_half * i_x[2], sign * t[y] + i_half * i_y[2],
            up * sign * t[z] - half_z + i_half * i_z[2]};
}

/// The sides of the incident face, by the corners where they begin.
struct BoxFaceClip::Sides {
  Vec4d x, y, z;        // corners, m
  Vec4d d_x, d_y, d_z;  // to the next corners, m

  explicit Sides(const BoxFaces& faces)
      : x(faces.middle.x + (splat<0>(faces.i_x) * kAlong + splat<1>(faces.i_x) * kAcross)),
        y(faces.middle.y + (splat<0>(faces.i_y) * kAlong + splat<1>(faces.i_y) * kAcross)),
        z(faces.middle.z + (splat<0>(faces.i_z) * kAlong + splat<1>(faces.i_z) * kAcross)),
        d_x(2 * kBack * xyxy(faces.i_x)),
        d_y(2 * kBack * xyxy(faces.i_y)),
        d_z(2 * kBack * xyxy(faces.i_z)) {}

  /// Extents of the sides along and across, in x and then in y.
  Vec4d extents() const { return __builtin_shufflevector(d_x, d_y, 0, 1, 4, 5); }
};

/// Quantities of crossing_edges, in its notation, for the incident sides along and across and the reference
/// sides at the ends of x and of y. Opposite sides share them, except for the sign of the shift.
struct BoxFaceClip::Crossings {
  Vec4d dxy2, dd;  // squared lengths of the sides, projected along z and in space, m²
  // For the four combinations: along x, across x, along y, across y.
  Vec4d less_z;  // 1 - m_z
  Vec4d m_e;
  Vec4d shift;   // t / x_z in crossing_edges, 1/m
  Vec4d excess;  // a crossing is valid if excess · x_z² ≤ kSamePoint2 dd, so not if NaN
  bool any_invalid;

  explicit Crossings(const Sides& sides) {
    const Vec4d d_e = sides.extents(), d_z = xyxy(sides.d_z), de2 = d_e * d_e, dz2 = d_z * d_z;
    const Vec4d l2 = de2 + dz2, scale = 1 / sqrt(l2);
    dxy2 = de2 + __builtin_shufflevector(de2, de2, 2, 3, 0, 1);
    dd = dxy2 + dz2;
    const Mask4 level = dz2 <= tolerances::kLevel2 * dd;
    const Vec4d steep = 0.98 + and_mask(l2 <= 0.01 * dd, broadcast(0.0199));
    const Vec4d m_z = abs(d_e) * scale;
    less_z = and_mask(~level, 1 - m_z);
    m_e = and_mask(~level, negate_where(d_e > 0, d_z) * scale);
    shift = and_mask(~level, -d_z * (scale * scale));
    excess = and_mask(~level, nan_unless(de2 > steep * l2, shift * shift * dd - 0.04 * m_z * m_z));
    any_invalid = any(~(excess <= 0));
  }
};

inline void BoxFaceClip::admit(Kind kind, Vec4d gaps, Mask4 there) {
  const Mask4 valid = there & (gaps >= range_.from) & (gaps <= range_.to);
  gap.kinds[kind] = nan_unless(valid, gaps);
  deepest_ = min(nan_unless(valid, tag_with_index(gaps, kind)), deepest_);
  all_ |= bits(valid) << (4 * kind);
  valid_.kinds[kind] = valid;
}

inline void BoxFaceClip::mark_empty(Kind kind) {
  gap.kinds[kind] = nan_unless(Mask4{}, Vec4d{});
  valid_.kinds[kind] = Mask4{};
  u_.kinds[kind] = v_.kinds[kind] = Vec4d{};
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  feature.kinds[kind] = Mask4{last, last, last, last};
}

/// All four corners of the incident face are inside.
void BoxFaceClip::add_incident_corners(const Sides& sides) {
  x.kinds[kStarts] = u_.kinds[kStarts] = sides.x;
  y.kinds[kStarts] = v_.kinds[kStarts] = sides.y;
  n_x.kinds[kStarts] = n_y.kinds[kStarts] = Vec4d{};
  n_z.kinds[kStarts] = broadcast(1);
  feature.kinds[kStarts] =
      reference_ids(faces_).face[faces_.face_index] | incident_ids(faces_).corners[faces_.i_face_index];
  admit(kStarts, sides.z, ~Mask4{});
  const Vec4d length2 = sides.d_x * sides.d_x + sides.d_y * sides.d_y + sides.d_z * sides.d_z;
  may_coincide_ = any(length2 <= 4 * range_.merge_distance * range_.merge_distance);
  mark_empty(kEnds);
  mark_empty(kReferenceCorners);
}

/// The point of each side at t: a crossing at an end of x or of y, or a corner if it is at neither. Inlined,
/// since the two kinds share much code. Returns the points that may coincide with others: crossings at an end
/// of their sides.
[[gnu::always_inline]] inline Mask4 BoxFaceClip::add_crossings(Kind kind, const Sides& sides,
                                                               const Crossings& crossings, Vec4d t,
                                                               Mask4 over_x, Mask4 over_y, Mask4 there) {
  const auto of_sides = [&](Vec4d of) {
    return (Vec4d)((Mask4)and_mask(over_x, xyxy(of)) | (Mask4)and_mask(over_y, zwzw(of)));
  };
  const Vec4d x_z = sides.z + t * sides.d_z, m_z = 1 - of_sides(crossings.less_z), gaps = x_z * m_z;
  const Vec4d at = t + kBack * x_z * of_sides(crossings.shift);
  const Vec4d at_x = sides.x + at * sides.d_x, at_y = sides.y + at * sides.d_y;
  const Vec4d out_x = and_mask(over_x, xyxy(crossings.m_e));
  const Vec4d out_y = and_mask(over_y, zwzw(crossings.m_e));
  const Vec4d to_a = faces_.on_a ? gaps : Vec4d{};
  if (crossings.any_invalid)
    there &= x_z * x_z * of_sides(crossings.excess) <= tolerances::kSamePoint2 * crossings.dd;
  x.kinds[kind] = at_x;
  y.kinds[kind] = at_y;
  n_x.kinds[kind] = out_x;
  n_y.kinds[kind] = out_y;
  n_z.kinds[kind] = m_z;
  u_.kinds[kind] = at_x - to_a * out_x;
  v_.kinds[kind] = at_y - to_a * out_y;
  admit(kind, gaps, there);
  const double twice = 2 * range_.merge_distance;
  const Vec4d to_end = min(t, 1 - t);
  const Mask4 near_end = (to_end * to_end * crossings.dxy2 <= twice * twice) |
                         ((abs(at_x) >= faces_.half_x - twice) & (abs(at_y) >= faces_.half_y - twice));
  return near_end & valid_.kinds[kind] & (over_x | over_y);
}

/// As in PatchClipper::add_vertex_below.
inline void BoxFaceClip::add_reference_corners(unsigned which) {
  const Vec3& middle = faces_.middle;
  const double out_x = faces_.i_x[2], out_y = faces_.i_y[2], out_z = faces_.i_z[2];
  const Vec4d at_x = faces_.half_x * kAlong, at_y = faces_.half_y * kAcross;
  const Vec4d gaps = (at_x - middle.x) * out_x + (at_y - middle.y) * out_y - middle.z * out_z;
  const Vec4d i_x = at_x - gaps * out_x, i_y = at_y - gaps * out_y;
  x.kinds[kReferenceCorners] = i_x;
  y.kinds[kReferenceCorners] = i_y;
  n_x.kinds[kReferenceCorners] = broadcast(-out_x);
  n_y.kinds[kReferenceCorners] = broadcast(-out_y);
  n_z.kinds[kReferenceCorners] = broadcast(-out_z);
  u_.kinds[kReferenceCorners] = faces_.on_a ? at_x : i_x;
  v_.kinds[kReferenceCorners] = faces_.on_a ? at_y : i_y;
  feature.kinds[kReferenceCorners] =
      reference_ids(faces_).corners[faces_.face_index] | incident_ids(faces_).face[faces_.i_face_index];
  admit(kReferenceCorners, gaps, mask_from_bits(which));
}

/// Each side of the incident face is clipped by x = ±half_x, and the rest of it by y = ±half_y. Each point is
/// classified as inside or outside only once, so the corners are consistent even where all is within the
/// tolerance.
BoxFaceClip::BoxFaceClip(const BoxFaces& faces, const ClipRange& range) : faces_(faces), range_(range) {
  const Sides sides(faces);
  const double out_x = faces.half_x + range.tolerance, out_y = faces.half_y + range.tolerance;
  const Mask4 low_x = sides.x<-out_x, high_x = sides.x> out_x, from_out = low_x | high_x;
  if (!any(from_out | (abs(sides.y) > out_y))) {
    add_incident_corners(sides);
    return;
  }
  const Crossings crossings(sides);
  const Vec4d per_extent = 1 / abs(sides.extents());
  const Vec4d per_x = xyxy(per_extent), per_y = zwzw(per_extent);
  const Mask4 next_low_x = next(low_x), next_high_x = next(high_x), to_out = next_low_x | next_high_x;
  const Mask4 left_by_x = ~((low_x & next_low_x) | (high_x & next_high_x));
  // Fractions of a side at which it enters and leaves over a line.
  const auto entry_fraction = [](Vec4d at, double half, Vec4d per) { return (abs(at) - half) * per; };
  const auto exit_fraction = [](Vec4d at, double half, Vec4d per, Mask4 low) {
    return (half - negate_where(low, at)) * per;
  };
  const Vec4d one = broadcast(1);
  const Vec4d x_in = and_mask(from_out, min(entry_fraction(sides.x, faces.half_x, per_x), one));
  const Vec4d x_out =
      select(to_out, max(exit_fraction(sides.x, faces.half_x, per_x, next_low_x), Vec4d{}), one);
  const Vec4d from_y = sides.y + x_in * sides.d_y, to_y = sides.y + x_out * sides.d_y;
  const Mask4 low_y = from_y<-out_y, high_y = from_y> out_y, enters_y = low_y | high_y;
  const Mask4 to_low_y = to_y<-out_y, to_high_y = to_y> out_y, leaves_y = to_low_y | to_high_y;
  const Mask4 left = left_by_x & ~((low_y & to_low_y) | (high_y & to_high_y));
  const Vec4d y_in = and_mask(enters_y, entry_fraction(sides.y, faces.half_y, per_y));
  const Vec4d y_out = nan_unless(leaves_y, exit_fraction(sides.y, faces.half_y, per_y, to_low_y));
  const Vec4d t_in = min(max(y_in, x_in), x_out), t_out = max(min(y_out, x_out), x_in);

  const Mask4 enters = from_out | enters_y, leaves = to_out | leaves_y;
  const Mask4 in_over_x = from_out & ~enters_y, out_over_x = to_out & ~leaves_y;
  // Consecutive sides of the reference are at y = -half_y, x = half_x, y = half_y and x = -half_x.
  const Mask4 &ids = reference_ids(faces).sides[faces.face_index],
              &i_ids = incident_ids(faces).sides[faces.i_face_index];
  const auto id = [&](Mask4 on_y, Mask4 above_x, Mask4 above_y) {
    const auto side = [&](int k) { return Mask4{ids[k], ids[k], ids[k], ids[k]}; };
    return select(on_y, select(above_y, side(2), side(0)), select(above_x, side(1), side(3)));
  };
  feature.kinds[kStarts] =
      select(enters, id(enters_y, high_x, high_y) | i_ids,
             reference_ids(faces).face[faces.face_index] | incident_ids(faces).corners[faces.i_face_index]);
  feature.kinds[kEnds] = id(leaves_y, next_high_x, to_high_y) | i_ids;
  may_coincide_ = any(add_crossings(kStarts, sides, crossings, t_in, in_over_x, enters_y, left) |
                      add_crossings(kEnds, sides, crossings, t_out, out_over_x, leaves_y, left & leaves));

  // The incident face cuts a segment out of the line x = ±half_x. A corner of the reference lies within the
  // incident face if exactly one end of that segment is beyond it.
  const Mask4 beyond = ((from_out & enters_y) | (to_out & leaves_y)) & left_by_x;
  if (!any(beyond) || faces.i_z[2] > -kNearlyParallel) {
    mark_empty(kReferenceCorners);
    return;
  }
  const Mask4 in_low = low_x & left_by_x, out_low = next_low_x & left_by_x;
  const Mask4 in_high = high_x & left_by_x, out_high = next_high_x & left_by_x;
  const auto lies_below = [](Mask4 in, Mask4 out) { return any(in) != any(out) ? 1U : 0U; };
  add_reference_corners(lies_below(in_low & low_y, out_low & to_low_y) |
                        lies_below(in_high & low_y, out_high & to_low_y) << 1 |
                        lies_below(in_high & high_y, out_high & to_high_y) << 2 |
                        lies_below(in_low & high_y, out_low & to_high_y) << 3);
}

bool BoxFaceClip::has_coincident_points() const {
  for (unsigned rest = all_; rest != 0; rest &= rest - 1) {
    const int clip_point = std::countr_zero(rest);
    unsigned near = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
      const Vec4d d_u = u_.kinds[kind] - u_[clip_point], d_v = v_.kinds[kind] - v_[clip_point];
      const Mask4 is_near =
          valid_.kinds[kind] & (d_u * d_u + d_v * d_v <= range_.merge_distance * range_.merge_distance);
      near |= bits(is_near) << (4 * kind);
    }
    if (std::popcount(near) > 1) return true;
  }
  return false;
}

/// The point with the lowest feature id.
inline int BoxFaceClip::lowest_feature(unsigned clip_points) const {
  int first = std::countr_zero(clip_points);
  for (clip_points &= clip_points - 1; clip_points != 0; clip_points &= clip_points - 1) {
    const int clip_point = std::countr_zero(clip_points);
    if (feature[clip_point] < feature[first]) first = clip_point;
  }
  return first;
}

void BoxFaceClip::choose_all(ChosenClipPoints& chosen) const {
  for (unsigned rest = all_; rest != 0; rest &= rest - 1) chosen.add(std::countr_zero(rest));
}

/// As ManifoldBuilder::pick_widest, with the origin at the first point. Missing points are placed at the
/// first one, so they never win.
void BoxFaceClip::choose_widest(double gap_rounding, double area_rounding, ChosenClipPoints& chosen) const {
  PerClipPoint<Vec4d> u, v, area;
  std::array<Vec4d, kKinds> score;
  const auto each = [](auto&& what) {
    for (int kind = 0; kind < kKinds; ++kind) what(kind);
  };
  const auto widest = [&](auto&& measure) {
    return reduce_max(max(max(tag_with_index(measure(0), 0), tag_with_index(measure(1), 1)),
                          tag_with_index(measure(2), 2)));
  };
  const auto as_wide_as = [&](Vec4d max_measure) {
    unsigned all = 0;
    each([&](int kind) {
      all |= bits(tag_with_index(score[kind], kind) >= max_measure - area_rounding) << (4 * kind);
    });
    return all;
  };
  const auto pick = [&](int clip_point, unsigned as_good) {
    if ((as_good & (as_good - 1)) != 0) [[unlikely]]
      clip_point = lowest_feature(as_good & ~chosen.all);
    chosen.add(clip_point);
    return clip_point;
  };
  /// -1 if there is none.
  const auto pick_widest = [&](Vec4d max_measure) {
    return max_measure[0] > area_rounding ? pick(tagged_index(max_measure), as_wide_as(max_measure)) : -1;
  };
  const auto measured = [&](int kind) { return score[kind]; };

  const Vec4d deepest = reduce_min(deepest_), deep = deepest + gap_rounding;
  unsigned as_deep = 0;
  each([&](int kind) { as_deep |= bits(gap.kinds[kind] <= deep) << (4 * kind); });
  const int first = pick(tagged_index(deepest), as_deep);
  each([&](int kind) {
    u.kinds[kind] = and_mask(valid_.kinds[kind], u_.kinds[kind] - u_[first]);
    v.kinds[kind] = and_mask(valid_.kinds[kind], v_.kinds[kind] - v_[first]);
    score[kind] = u.kinds[kind] * u.kinds[kind] + v.kinds[kind] * v.kinds[kind];
  });
  const int second = pick_widest(widest(measured));
  if (second < 0) return;
  each([&](int kind) {  // twice the signed area of the triangle with the first two
    area.kinds[kind] = u.kinds[kind] * v[second] - v.kinds[kind] * u[second];
    score[kind] = abs(area.kinds[kind]);
  });
  // Widest points on either side of the line through the first two: one is the third, the other nearly always
  // the fourth.
  const Vec4d left = widest([&](int kind) { return area.kinds[kind]; });
  const Vec4d right = widest([&](int kind) { return -area.kinds[kind]; });
  const int third = pick_widest(max(left, right));
  if (third < 0) return;
  const double sign = std::copysign(1, area[third]), third_u = sign * u[third], third_v = sign * v[third];
  each([&](int kind) {  // areas beyond the sides of the triangle; they sum to minus its own area
    const Vec4d beyond_second = -sign * area.kinds[kind];
    const Vec4d beyond_third = u.kinds[kind] * third_v - v.kinds[kind] * third_u;
    const Vec4d beyond_both = -std::abs(area[third]) - (beyond_second + beyond_third);
    score[kind] = max(max(beyond_second, beyond_third), beyond_both);
  });
  const Vec4d across = min(left, right);
  const int opposite = tagged_index(across);
  if (across[0] > area_rounding && as_wide_as(across) == 1U << opposite) {
    chosen.add(opposite);
  } else {
    pick_widest(widest(measured));
  }
}

}  // namespace pawl::internal
