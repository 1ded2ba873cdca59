#include <pawl/geometry/box_touches.h>

#include <bit>
#include <limits>

#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>

namespace pawl {
namespace {

// Corners of a rectangle, one after the other: their signs along its two axes. The sides that begin there go
// along, across, and back.
constexpr Lanes kAlong{-1, 1, 1, -1}, kAcross{-1, -1, 1, 1}, kBack{1, 1, -1, -1};

/// Names of the corners of a box's faces in that order, and of the sides that begin there, by the number of
/// the face. The two axes of a face are those after its own.
struct FaceNames {
  LaneMask corners[6], sides[6], face[6];
};
constexpr FaceNames names_times(std::int64_t scale) {
  FaceNames names{};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, along = (axis + 1) % 3, across = (axis + 2) % 3;
    const auto vertex = [&](int k) {
      return (face % 2) << axis | (k == 1 || k == 2 ? 1 : 0) << along | (k >= 2 ? 1 : 0) << across;
    };
    const auto corner = [&](int k) { return scale * vertex_name(vertex(k)); };
    const auto side = [&](int k) { return scale * edge_name(vertex(k), vertex((k + 1) % 4)); };
    const std::int64_t name = scale * face_name(face);
    names.corners[face] = LaneMask{corner(0), corner(1), corner(2), corner(3)};
    names.sides[face] = LaneMask{side(0), side(1), side(2), side(3)};
    names.face[face] = LaneMask{name, name, name, name};
  }
  return names;
}
/// As the lower half of a feature, b's, and as its upper half, a's.
constexpr FaceNames kNames[] = {names_times(1), names_times(std::int64_t{1} << 32)};

/// Of the boxes with the reference and with the incident face.
const FaceNames& reference_names(const BoxFaces& faces) {
  return kNames[faces.on_a ? 1 : 0];
}
const FaceNames& incident_names(const BoxFaces& faces) {
  return kNames[faces.on_a ? 0 : 1];
}

constexpr std::int64_t kNumberBits = 15;

/// The numbers of four touches in place of the last bits: the largest of all tells which it is at once.
Lanes numbered(Lanes x, int kind) {
  const std::int64_t first = 4 * kind;
  return (Lanes)(((LaneMask)x & ~kNumberBits) | LaneMask{first, first + 1, first + 2, first + 3});
}
int number_of(Lanes x) {
  return static_cast<int>(((LaneMask)x)[0] & kNumberBits);
}

/// Of the four corners, the next ones.
template <class Four>
Four next(Four x) {
  return __builtin_shufflevector(x, x, 1, 2, 3, 0);
}

bool any(LaneMask mask) {
  return bits(mask) != 0;
}

}  // namespace

BoxFaces::BoxFaces(const BrickPair& bricks, const BrickAxis& face) : on_a(face.i >= 0) {
  z = on_a ? face.i : face.j, x = kNext[z], y = kAfter[z];
  up = on_a ? face.sign : -face.sign;
  const Lanes &own = (on_a ? bricks.a : bricks.b).half, &other = (on_a ? bricks.b : bricks.a).half;
  half_x = own[x], half_y = own[y], half_z = own[z];
  const Lanes* axes = on_a ? bricks.R : bricks.Rt;  // of the other box, a component a row
  const int axis = index_of_largest(abs(axes[z]));
  const double facing = up * axes[z][axis] > 0 ? -1 : 1;
  const double i_half = other[axis];
  const Lanes sides = turned_with_last(other, axis);
  const Lanes scale{sides[0], sides[1], facing, 0};
  i_x = scale * turned_with_last(axes[x], axis);
  i_y = scale * turned_with_last(axes[y], axis);
  i_z = (up * scale) * turned_with_last(axes[z], axis);
  const Lanes& t = on_a ? bricks.t : bricks.t_b;
  const double sign = on_a ? 1 : -1;
  number = Brick::face(z, up);
  i_number = Brick::face(axis, facing);
  middle = {sign * t[x] + i_half * i_x[2], sign * t[y] + i_half * i_y[2],
            up * sign * t[z] - half_z + i_half * i_z[2]};
}

/// The incident face's sides, by the corners where they begin.
struct BoxTouches::Sides {
  Lanes x, y, z;        // the corners, m
  Lanes d_x, d_y, d_z;  // to the next ones, m

  explicit Sides(const BoxFaces& faces)
      : x(faces.middle.x + (spread<0>(faces.i_x) * kAlong + spread<1>(faces.i_x) * kAcross)),
        y(faces.middle.y + (spread<0>(faces.i_y) * kAlong + spread<1>(faces.i_y) * kAcross)),
        z(faces.middle.z + (spread<0>(faces.i_z) * kAlong + spread<1>(faces.i_z) * kAcross)),
        d_x(2 * kBack * first_two_twice(faces.i_x)),
        d_y(2 * kBack * first_two_twice(faces.i_y)),
        d_z(2 * kBack * first_two_twice(faces.i_z)) {}

  /// Of those along and across: their way in x, and in y.
  Lanes ways() const { return __builtin_shufflevector(d_x, d_y, 0, 1, 4, 5); }
};

/// What the sides that go along and across have in common with the reference's sides at the ends of x, and
/// of y: as crossing_edges, whose letters these are. Opposite sides have the same, but for the sign of the
/// shift.
struct BoxTouches::Crossings {
  Lanes dxy2, dd;  // squared lengths of the sides, seen along z and in space, m²
  // Of the four combinations: along x, across x, along y, across y.
  Lanes less_z;  // 1 - m_z
  Lanes m_e;
  Lanes shift;   // t / x_z of crossing_edges, 1/m
  Lanes excess;  // they count where this times x_z² is no more than 1e-18 dd, so not if it is no number
  bool some_are_not;

  explicit Crossings(const Sides& sides) {
    const Lanes d_e = sides.ways(), d_z = first_two_twice(sides.d_z), de2 = d_e * d_e, dz2 = d_z * d_z;
    const Lanes l2 = de2 + dz2, scale = 1 / sqrt(l2);
    dxy2 = de2 + __builtin_shufflevector(de2, de2, 2, 3, 0, 1);
    dd = dxy2 + dz2;
    const LaneMask level = dz2 <= 1e-26 * dd;
    const Lanes steep = 0.98 + kept(l2 <= 0.01 * dd, all_lanes(0.0199));
    const Lanes m_z = abs(d_e) * scale;
    less_z = kept(~level, 1 - m_z);
    m_e = kept(~level, negated(d_e > 0, d_z) * scale);
    shift = kept(~level, -d_z * (scale * scale));
    excess = kept(~level, numbers(de2 > steep * l2, shift * shift * dd - 0.04 * m_z * m_z));
    some_are_not = any(~(excess <= 0));
  }
};

inline void BoxTouches::admit(Kind kind, Lanes gaps, LaneMask there) {
  const LaneMask valid = there & (gaps >= range_.from) & (gaps <= range_.to);
  gap.kinds[kind] = numbers(valid, gaps);
  deepest_ = min(numbers(valid, numbered(gaps, kind)), deepest_);
  all_ |= bits(valid) << (4 * kind);
  valid_.kinds[kind] = valid;
}

inline void BoxTouches::leave_out(Kind kind) {
  gap.kinds[kind] = numbers(LaneMask{}, Lanes{});
  valid_.kinds[kind] = LaneMask{};
  u_.kinds[kind] = v_.kinds[kind] = Lanes{};
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  feature.kinds[kind] = LaneMask{last, last, last, last};
}

/// All four corners of the incident face.
void BoxTouches::add_corners(const Sides& sides) {
  x.kinds[kStarts] = u_.kinds[kStarts] = sides.x;
  y.kinds[kStarts] = v_.kinds[kStarts] = sides.y;
  n_x.kinds[kStarts] = n_y.kinds[kStarts] = Lanes{};
  n_z.kinds[kStarts] = all_lanes(1);
  feature.kinds[kStarts] =
      reference_names(faces_).face[faces_.number] | incident_names(faces_).corners[faces_.i_number];
  admit(kStarts, sides.z, ~LaneMask{});
  const Lanes length2 = sides.d_x * sides.d_x + sides.d_y * sides.d_y + sides.d_z * sides.d_z;
  may_coincide_ = any(length2 <= 4 * range_.same * range_.same);
  leave_out(kEnds);
  leave_out(kCornersBelow);
}

/// Of each side the point at t, over an end of x or of y; where over neither, it is a corner. Inline, since
/// both kinds have much in common. Returns those that may be in one place with another: crossings at an end
/// of their sides.
[[gnu::always_inline]] inline LaneMask BoxTouches::add_crossings(Kind kind, const Sides& sides,
                                                                 const Crossings& crossings, Lanes t,
                                                                 LaneMask over_x, LaneMask over_y,
                                                                 LaneMask there) {
  const auto of_sides = [&](Lanes of) {
    return (Lanes)((LaneMask)kept(over_x, first_two_twice(of)) | (LaneMask)kept(over_y, last_two_twice(of)));
  };
  const Lanes x_z = sides.z + t * sides.d_z, m_z = 1 - of_sides(crossings.less_z), gaps = x_z * m_z;
  const Lanes at = t + kBack * x_z * of_sides(crossings.shift);
  const Lanes at_x = sides.x + at * sides.d_x, at_y = sides.y + at * sides.d_y;
  const Lanes out_x = kept(over_x, first_two_twice(crossings.m_e));
  const Lanes out_y = kept(over_y, last_two_twice(crossings.m_e));
  const Lanes to_a = faces_.on_a ? gaps : Lanes{};
  if (crossings.some_are_not) there &= x_z * x_z * of_sides(crossings.excess) <= 1e-18 * crossings.dd;
  x.kinds[kind] = at_x;
  y.kinds[kind] = at_y;
  n_x.kinds[kind] = out_x;
  n_y.kinds[kind] = out_y;
  n_z.kinds[kind] = m_z;
  u_.kinds[kind] = at_x - to_a * out_x;
  v_.kinds[kind] = at_y - to_a * out_y;
  admit(kind, gaps, there);
  const double twice = 2 * range_.same;
  const Lanes to_end = min(t, 1 - t);
  const LaneMask near_end = (to_end * to_end * crossings.dxy2 <= twice * twice) |
                            ((abs(at_x) >= faces_.half_x - twice) & (abs(at_y) >= faces_.half_y - twice));
  return near_end & valid_.kinds[kind] & (over_x | over_y);
}

/// As PatchClipper::add_vertex_below.
inline void BoxTouches::add_corners_below(unsigned which) {
  const Vec3& middle = faces_.middle;
  const double out_x = faces_.i_x[2], out_y = faces_.i_y[2], out_z = faces_.i_z[2];
  const Lanes at_x = faces_.half_x * kAlong, at_y = faces_.half_y * kAcross;
  const Lanes gaps = (at_x - middle.x) * out_x + (at_y - middle.y) * out_y - middle.z * out_z;
  const Lanes i_x = at_x - gaps * out_x, i_y = at_y - gaps * out_y;
  x.kinds[kCornersBelow] = i_x;
  y.kinds[kCornersBelow] = i_y;
  n_x.kinds[kCornersBelow] = all_lanes(-out_x);
  n_y.kinds[kCornersBelow] = all_lanes(-out_y);
  n_z.kinds[kCornersBelow] = all_lanes(-out_z);
  u_.kinds[kCornersBelow] = faces_.on_a ? at_x : i_x;
  v_.kinds[kCornersBelow] = faces_.on_a ? at_y : i_y;
  feature.kinds[kCornersBelow] =
      reference_names(faces_).corners[faces_.number] | incident_names(faces_).face[faces_.i_number];
  admit(kCornersBelow, gaps, lanes_of_bits(which));
}

/// Each side of the incident face is cut first by the two lines x = ±half_x, then what is left of it by y =
/// ±half_y. So what is in and what is out is asked of every point once, and the corners fit together even
/// where all is within the tolerance.
BoxTouches::BoxTouches(const BoxFaces& faces, const TouchRange& range) : faces_(faces), range_(range) {
  const Sides sides(faces);
  const double out_x = faces.half_x + range.tolerance, out_y = faces.half_y + range.tolerance;
  const LaneMask low_x = sides.x<-out_x, high_x = sides.x> out_x, from_out = low_x | high_x;
  if (!any(from_out | (abs(sides.y) > out_y))) {
    add_corners(sides);
    return;
  }
  const Crossings crossings(sides);
  const Lanes per_way = 1 / abs(sides.ways());
  const Lanes per_x = first_two_twice(per_way), per_y = last_two_twice(per_way);
  const LaneMask next_low_x = next(low_x), next_high_x = next(high_x), to_out = next_low_x | next_high_x;
  const LaneMask left_by_x = ~((low_x & next_low_x) | (high_x & next_high_x));
  // The part of its way after which a side comes in over a line, and after which it goes out over one.
  const auto way_in = [](Lanes at, double half, Lanes per) { return (abs(at) - half) * per; };
  const auto way_out = [](Lanes at, double half, Lanes per, LaneMask low) {
    return (half - negated(low, at)) * per;
  };
  const Lanes one = all_lanes(1);
  const Lanes x_in = kept(from_out, min(way_in(sides.x, faces.half_x, per_x), one));
  const Lanes x_out = select(to_out, max(way_out(sides.x, faces.half_x, per_x, next_low_x), Lanes{}), one);
  const Lanes from_y = sides.y + x_in * sides.d_y, to_y = sides.y + x_out * sides.d_y;
  const LaneMask low_y = from_y<-out_y, high_y = from_y> out_y, enters_y = low_y | high_y;
  const LaneMask to_low_y = to_y<-out_y, to_high_y = to_y> out_y, leaves_y = to_low_y | to_high_y;
  const LaneMask left = left_by_x & ~((low_y & to_low_y) | (high_y & to_high_y));
  const Lanes y_in = kept(enters_y, way_in(sides.y, faces.half_y, per_y));
  const Lanes y_out = numbers(leaves_y, way_out(sides.y, faces.half_y, per_y, to_low_y));
  const Lanes t_in = min(max(y_in, x_in), x_out), t_out = max(min(y_out, x_out), x_in);

  const LaneMask enters = from_out | enters_y, leaves = to_out | leaves_y;
  const LaneMask in_over_x = from_out & ~enters_y, out_over_x = to_out & ~leaves_y;
  // From corner to corner, sides of the reference are at y = -half_y, x = half_x, y = half_y and x = -half_x.
  const LaneMask &names = reference_names(faces).sides[faces.number],
                 &i_names = incident_names(faces).sides[faces.i_number];
  const auto name = [&](LaneMask on_y, LaneMask above_x, LaneMask above_y) {
    const auto side = [&](int k) { return LaneMask{names[k], names[k], names[k], names[k]}; };
    return select(on_y, select(above_y, side(2), side(0)), select(above_x, side(1), side(3)));
  };
  feature.kinds[kStarts] =
      select(enters, name(enters_y, high_x, high_y) | i_names,
             reference_names(faces).face[faces.number] | incident_names(faces).corners[faces.i_number]);
  feature.kinds[kEnds] = name(leaves_y, next_high_x, to_high_y) | i_names;
  may_coincide_ = any(add_crossings(kStarts, sides, crossings, t_in, in_over_x, enters_y, left) |
                      add_crossings(kEnds, sides, crossings, t_out, out_over_x, leaves_y, left & leaves));

  // A corner of the rectangle is there where the line x = ±half_x has one end of what it cuts out of the
  // incident face beyond it.
  const LaneMask beyond = ((from_out & enters_y) | (to_out & leaves_y)) & left_by_x;
  if (!any(beyond) || faces.i_z[2] > -kNearlyParallel) {
    leave_out(kCornersBelow);
    return;
  }
  const LaneMask in_low = low_x & left_by_x, out_low = next_low_x & left_by_x;
  const LaneMask in_high = high_x & left_by_x, out_high = next_high_x & left_by_x;
  const auto lies_below = [](LaneMask in, LaneMask out) { return any(in) != any(out) ? 1U : 0U; };
  add_corners_below(lies_below(in_low & low_y, out_low & to_low_y) |
                    lies_below(in_high & low_y, out_high & to_low_y) << 1 |
                    lies_below(in_high & high_y, out_high & to_high_y) << 2 |
                    lies_below(in_low & high_y, out_low & to_high_y) << 3);
}

bool BoxTouches::some_are_same() const {
  for (unsigned rest = all_; rest != 0; rest &= rest - 1) {
    const int touch = std::countr_zero(rest);
    unsigned near = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
      const Lanes d_u = u_.kinds[kind] - u_[touch], d_v = v_.kinds[kind] - v_[touch];
      const LaneMask is_near = valid_.kinds[kind] & (d_u * d_u + d_v * d_v <= range_.same * range_.same);
      near |= bits(is_near) << (4 * kind);
    }
    if (std::popcount(near) > 1) return true;
  }
  return false;
}

/// The one of the earliest feature.
inline int BoxTouches::first_of(unsigned touches) const {
  int first = std::countr_zero(touches);
  for (touches &= touches - 1; touches != 0; touches &= touches - 1) {
    const int touch = std::countr_zero(touches);
    if (feature[touch] < feature[first]) first = touch;
  }
  return first;
}

void BoxTouches::choose_all(ChosenTouches& chosen) const {
  for (unsigned rest = all_; rest != 0; rest &= rest - 1) chosen.add(std::countr_zero(rest));
}

/// As ContactPoints::pick_widest does, with the origin in the first one. Touches that are not there have the
/// place of the first and are never wide.
void BoxTouches::choose_widest(double gap_rounding, double area_rounding, ChosenTouches& chosen) const {
  OfTouches<Lanes> u, v, area;
  std::array<Lanes, kKinds> wide;
  const auto each = [](auto&& what) {
    for (int kind = 0; kind < kKinds; ++kind) what(kind);
  };
  const auto widest = [&](auto&& measure) {
    return largest(max(max(numbered(measure(0), 0), numbered(measure(1), 1)), numbered(measure(2), 2)));
  };
  const auto as_wide_as = [&](Lanes most) {
    unsigned all = 0;
    each([&](int kind) { all |= bits(numbered(wide[kind], kind) >= most - area_rounding) << (4 * kind); });
    return all;
  };
  const auto pick = [&](int touch, unsigned as_good) {
    if ((as_good & (as_good - 1)) != 0) [[unlikely]]
      touch = first_of(as_good & ~chosen.all);
    chosen.add(touch);
    return touch;
  };
  /// -1: none.
  const auto pick_widest = [&](Lanes most) {
    return most[0] > area_rounding ? pick(number_of(most), as_wide_as(most)) : -1;
  };
  const auto measured = [&](int kind) { return wide[kind]; };

  const Lanes deepest = least(deepest_), deep = deepest + gap_rounding;
  unsigned as_deep = 0;
  each([&](int kind) { as_deep |= bits(gap.kinds[kind] <= deep) << (4 * kind); });
  const int first = pick(number_of(deepest), as_deep);
  each([&](int kind) {
    u.kinds[kind] = kept(valid_.kinds[kind], u_.kinds[kind] - u_[first]);
    v.kinds[kind] = kept(valid_.kinds[kind], v_.kinds[kind] - v_[first]);
    wide[kind] = u.kinds[kind] * u.kinds[kind] + v.kinds[kind] * v.kinds[kind];
  });
  const int second = pick_widest(widest(measured));
  if (second < 0) return;
  each([&](int kind) {  // twice that of the triangle with the first two, with a sign
    area.kinds[kind] = u.kinds[kind] * v[second] - v.kinds[kind] * u[second];
    wide[kind] = abs(area.kinds[kind]);
  });
  // On either side of the line through these two: one is the third, and the other nearly always the fourth.
  const Lanes left = widest([&](int kind) { return area.kinds[kind]; });
  const Lanes right = widest([&](int kind) { return -area.kinds[kind]; });
  const int third = pick_widest(max(left, right));
  if (third < 0) return;
  const double sign = std::copysign(1, area[third]), third_u = sign * u[third], third_v = sign * v[third];
  each([&](int kind) {  // what is beyond the sides of the triangle: the three add up to its own area
    const Lanes beyond_second = -sign * area.kinds[kind];
    const Lanes beyond_third = u.kinds[kind] * third_v - v.kinds[kind] * third_u;
    const Lanes beyond_both = -std::abs(area[third]) - (beyond_second + beyond_third);
    wide[kind] = max(max(beyond_second, beyond_third), beyond_both);
  });
  const Lanes across = min(left, right);
  const int opposite = number_of(across);
  if (across[0] > area_rounding && as_wide_as(across) == 1U << opposite) {
    chosen.add(opposite);
  } else {
    pick_widest(widest(measured));
  }
}

}  // namespace pawl
