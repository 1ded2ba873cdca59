#include <pawl/geometry/box_touches.h>

#include <algorithm>
#include <bit>
#include <limits>

#include <pawl/geometry/contact_points.h>
#include <pawl/geometry/patch_clipper.h>

namespace pawl {
namespace {

// Corners of a rectangle, one after the other: their signs along its two axes.
constexpr Lanes kAlong{-1, 1, 1, -1}, kAcross{-1, -1, 1, 1};

/// Names of the corners of a box's faces in that order, and of the sides that begin there, by the number of
/// the face. The two axes of a face are those after its own.
struct FaceNames {
  std::uint32_t corners[6][4], sides[6][4];
};
constexpr FaceNames kNames = [] {
  FaceNames names{};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2, along = (axis + 1) % 3, across = (axis + 2) % 3;
    const auto vertex = [&](int k) {
      return (face % 2) << axis | (k == 1 || k == 2 ? 1 : 0) << along | (k >= 2 ? 1 : 0) << across;
    };
    for (int k = 0; k < 4; ++k) {
      names.corners[face][k] = vertex_name(vertex(k));
      names.sides[face][k] = edge_name(vertex(k), vertex((k + 1) % 4));
    }
  }
  return names;
}();

constexpr double kNoGap = std::numeric_limits<double>::infinity();

/// Of the four corners, the next ones.
template <class Four>
Four next(Four x) {
  return __builtin_shufflevector(x, x, 1, 2, 3, 0);
}

/// The part of its way after which a line from x along d comes in over ±half, and after which it goes out
/// over it, at the negative end where `low`.
Lanes way_in(Lanes x, Lanes d, double half) {
  return (abs(x) - half) / abs(d);
}
Lanes way_out(Lanes x, Lanes d, double half, LaneMask low) {
  return (half - select(low, -x, x)) / abs(d);
}

}  // namespace

BoxFaces::BoxFaces(const BrickPair& bricks, const BrickAxis& face) : on_a(face.i >= 0) {
  z = on_a ? face.i : face.j, x = kNext[z], y = kAfter[z];
  up = on_a ? face.sign : -face.sign;
  const Lanes &own = (on_a ? bricks.a : bricks.b).half, &other = (on_a ? bricks.b : bricks.a).half;
  half_x = own[x], half_y = own[y], half_z = own[z];
  const Lanes* axes = on_a ? bricks.R : bricks.Rt;  // of the other box, a component a row
  i_z = index_of_largest(abs(axes[z]));
  i_x = kNext[i_z], i_y = kAfter[i_z];
  const auto axis = [&](int i) { return Vec3{axes[x][i], axes[y][i], up * axes[z][i]}; };
  facing = up * axes[z][i_z] > 0 ? -1 : 1;
  normal = facing * axis(i_z);
  along = other[i_x] * axis(i_x);
  across = other[i_y] * axis(i_y);
  const Lanes& t = on_a ? bricks.t : bricks.t_b;
  const double sign = on_a ? 1 : -1;
  number = Brick::face(z, up);
  i_number = Brick::face(i_z, facing);
  middle = Vec3{sign * t[x], sign * t[y], up * sign * t[z] - half_z} + other[i_z] * normal;
}

void BoxTouches::admit(Kind kind, LaneMask there) {
  FourTouches& touches = kinds_[kind];
  touches.valid = there & (touches.gap >= range_.from) & (touches.gap <= range_.to);
  touches.gap = select(touches.valid, touches.gap, all_lanes(kNoGap));
  deepest_ = min(deepest_, touches.gap);
  all_ |= bits(touches.valid) << (4 * kind);
}

/// Each side of the incident face is cut first by the two lines x = ±half_x, then what is left of it by y =
/// ±half_y. So what is in and what is out is asked of every point once, and the corners fit together even
/// where all is within the tolerance.
BoxTouches::BoxTouches(const BoxFaces& faces, const TouchRange& range) : faces_(faces), range_(range) {
  const Vec3 &middle = faces.middle, &along = faces.along, &across = faces.across;
  const Lanes x = middle.x + (along.x * kAlong + across.x * kAcross);
  const Lanes y = middle.y + (along.y * kAlong + across.y * kAcross);
  const Lanes z = middle.z + (along.z * kAlong + across.z * kAcross);
  kinds_[kCorners] = FourTouches{z, x, y, z, Lanes{}, Lanes{}, all_lanes(1), x, y, LaneMask{}};
  const double out_x = faces.half_x + range.tolerance, out_y = faces.half_y + range.tolerance;
  const LaneMask low_x = x<-out_x, high_x = x> out_x, from_out = low_x | high_x;
  const LaneMask inside = ~(from_out | (abs(y) > out_y));
  admit(kCorners, inside);
  if (bits(inside) == 0xf) {
    may_coincide_ = std::min(dot(along, along), dot(across, across)) <= range.same * range.same;
    return;
  }

  d_x_ = next(x) - x;
  d_y_ = next(y) - y;
  d_z_ = next(z) - z;
  const LaneMask next_low_x = next(low_x), next_high_x = next(high_x), to_out = next_low_x | next_high_x;
  const LaneMask left_by_x = ~((low_x & next_low_x) | (high_x & next_high_x));
  const Lanes x_in = select(from_out, min(way_in(x, d_x_, faces.half_x), all_lanes(1)), Lanes{});
  const Lanes x_out = select(to_out, max(way_out(x, d_x_, faces.half_x, next_low_x), Lanes{}), all_lanes(1));
  const Lanes from_y = y + x_in * d_y_, to_y = select(to_out, y + x_out * d_y_, next(y));
  const LaneMask low_y = from_y<-out_y, high_y = from_y> out_y, enters_y = low_y | high_y;
  const LaneMask to_low_y = to_y<-out_y, to_high_y = to_y> out_y, leaves_y = to_low_y | to_high_y;
  const LaneMask left = left_by_x & ~((low_y & to_low_y) | (high_y & to_high_y));
  const Lanes t_in = select(enters_y, min(max(way_in(y, d_y_, faces.half_y), x_in), x_out), x_in);
  const Lanes t_out =
      select(leaves_y, max(min(way_out(y, d_y_, faces.half_y, to_low_y), x_out), x_in), x_out);
  entries_ = {bits(~enters_y), bits(select(enters_y, high_y, high_x))};
  exits_ = {bits(~leaves_y), bits(select(leaves_y, to_high_y, next_high_x))};
  add_crossings(kEntries, t_in, ~enters_y, left & (from_out | enters_y));
  add_crossings(kExits, t_out, ~leaves_y, left & (to_out | leaves_y));

  // A corner of the rectangle is there where the line x = ±half_x has one end of what it cuts out of the
  // incident face beyond it.
  const auto corners_at = [&](LaneMask enters, LaneMask leaves, unsigned lower, unsigned upper) {
    const unsigned in = bits(enters & left_by_x), out = bits(leaves & left_by_x);
    if (in == 0 || out == 0) return 0U;
    const double one = from_y[std::countr_zero(in)], other = to_y[std::countr_zero(out)];
    const double low = std::min(one, other), high = std::max(one, other);
    return (low < -out_y && high >= -out_y ? lower : 0U) | (high > out_y && low <= out_y ? upper : 0U);
  };
  const unsigned below = corners_at(low_x, next_low_x, 1, 8) | corners_at(high_x, next_high_x, 2, 4);
  count_ = kCornersBelow;
  if (below != 0 && faces.normal.z <= -kNearlyParallel) add_corners_below(below);
}

/// As crossing_edges, whose letters these are: the way inward is along x or y.
void BoxTouches::add_crossings(Kind kind, Lanes t, LaneMask on_x, LaneMask there) {
  const FourTouches& corners = kinds_[kCorners];
  FourTouches& touches = kinds_[kind];
  count_ = kind + 1;
  const Lanes x_z = corners.z + t * d_z_;
  there &= min(x_z, 0.98 * x_z) <= range_.to;  // the normal is near to z
  if (bits(there) == 0) {
    touches.valid = there;
    touches.gap = all_lanes(kNoGap);
    return;
  }
  const Lanes d_e = select(on_x, d_x_, d_y_), de2 = d_e * d_e, dz2 = d_z_ * d_z_, l2 = de2 + dz2;
  const Lanes dxy2 = d_x_ * d_x_ + d_y_ * d_y_, dd = dxy2 + dz2;
  const LaneMask level = dz2 <= 1e-26 * dd;
  const Lanes scale = 1 / sqrt(l2);
  const Lanes m_z = select(level, all_lanes(1), abs(d_e) * scale);
  const Lanes m_e = select(level, Lanes{}, select(d_e > 0, -d_z_, d_z_) * scale);
  const Lanes gap = x_z * m_z, tau = -x_z * d_z_ * (scale * scale);
  const Lanes steep = select(l2 <= 0.01 * dd, all_lanes(0.9999), all_lanes(0.98));
  const LaneMask fits = (de2 > steep * l2) & (tau * tau * dd <= 0.04 * gap * gap + 1e-18 * dd);
  const Lanes at = t + select(level, Lanes{}, tau);
  touches.gap = gap;
  touches.x = corners.x + at * d_x_;
  touches.y = corners.y + at * d_y_;
  touches.z = corners.z + at * d_z_;
  touches.n_x = select(on_x, m_e, Lanes{});
  touches.n_y = select(on_x, Lanes{}, m_e);
  touches.n_z = m_z;
  touches.u = faces_.on_a ? touches.x - gap * touches.n_x : touches.x;
  touches.v = faces_.on_a ? touches.y - gap * touches.n_y : touches.y;
  admit(kind, there & (level | fits));
  // Crossings at an end of their sides may be in one place with the next corner.
  const double twice = 2 * range_.same;
  const Lanes to_end = min(t, 1 - t);
  const LaneMask near_end =
      (to_end * to_end * dxy2 <= twice * twice) |
      ((abs(touches.x) >= faces_.half_x - twice) & (abs(touches.y) >= faces_.half_y - twice));
  may_coincide_ |= bits(touches.valid & near_end) != 0;
}

/// As PatchClipper::add_vertex_below.
void BoxTouches::add_corners_below(unsigned which) {
  const Vec3 &n = faces_.normal, &middle = faces_.middle;
  const Lanes x = faces_.half_x * kAlong, y = faces_.half_y * kAcross;
  const Lanes gap = (x - middle.x) * n.x + (y - middle.y) * n.y - middle.z * n.z;
  const Lanes i_x = x - gap * n.x, i_y = y - gap * n.y, i_z = -gap * n.z;
  const Lanes u = faces_.on_a ? x : i_x, v = faces_.on_a ? y : i_y;
  kinds_[kCornersBelow] =
      FourTouches{gap, i_x, i_y, i_z, all_lanes(-n.x), all_lanes(-n.y), all_lanes(-n.z), u, v, LaneMask{}};
  admit(kCornersBelow, lanes_of_bits(which));
  count_ = kKinds;
}

bool BoxTouches::some_are_same() const {
  for (unsigned rest = all_; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const double u = kind_of(i).u[i % 4], v = kind_of(i).v[i % 4];
    unsigned near = 0;
    for (int kind = 0; kind < count_; ++kind) {
      const Lanes d_u = kinds_[kind].u - u, d_v = kinds_[kind].v - v;
      near |= bits(kinds_[kind].valid & (d_u * d_u + d_v * d_v <= range_.same * range_.same)) << (4 * kind);
    }
    if (std::popcount(near) > 1) return true;
  }
  return false;
}

std::uint64_t BoxTouches::feature(int touch) const {
  const int k = touch % 4, kind = touch / 4;
  std::uint32_t name_r = face_name(faces_.number), name_i = face_name(faces_.i_number);
  if (kind == kCorners) {
    name_i = kNames.corners[faces_.i_number][k];
  } else if (kind == kCornersBelow) {
    name_r = kNames.corners[faces_.number][k];
  } else {
    const Cuts& cuts = kind == kEntries ? entries_ : exits_;
    const unsigned on_x = (cuts.on_x >> k) & 1, above = (cuts.above >> k) & 1;
    // From corner to corner, sides are at y = -half_y, x = half_x, y = half_y and x = -half_x.
    name_r = kNames.sides[faces_.number][on_x == 1 ? 3 - 2 * above : 2 * above];
    name_i = kNames.sides[faces_.i_number][k];
  }
  return faces_.on_a ? feature_of(name_r, name_i) : feature_of(name_i, name_r);
}

/// The one of the earliest feature.
int BoxTouches::first_of(unsigned touches) const {
  int first = std::countr_zero(touches);
  touches &= touches - 1;
  if (touches == 0) return first;
  std::uint64_t earliest = feature(first);
  for (; touches != 0; touches &= touches - 1) {
    const int touch = std::countr_zero(touches);
    if (const std::uint64_t name = feature(touch); name < earliest) first = touch, earliest = name;
  }
  return first;
}

/// As ContactPoints::widest; -1: none.
template <class Measure>
int BoxTouches::widest(unsigned picked, double rounding, Measure measure) const {
  std::array<Lanes, kKinds> wide;
  Lanes most{};
  for (int kind = 0; kind < count_; ++kind) {
    wide[kind] = select(kinds_[kind].valid, measure(kinds_[kind]), Lanes{});
    most = max(most, wide[kind]);
  }
  const Lanes enough = largest(most) - rounding;
  if (!(enough[0] > 0)) return -1;
  unsigned as_wide = 0;
  for (int kind = 0; kind < count_; ++kind) as_wide |= bits(wide[kind] >= enough) << (4 * kind);
  return first_of(as_wide & ~picked);
}

unsigned BoxTouches::four_widest(double gap_rounding, double area_rounding) const {
  const Lanes deep = least(deepest_) + gap_rounding;
  unsigned as_deep = 0;
  for (int kind = 0; kind < count_; ++kind) as_deep |= bits(kinds_[kind].gap <= deep) << (4 * kind);

  struct Seen {
    double u, v;
  };
  const auto seen = [&](int touch) { return Seen{kind_of(touch).u[touch % 4], kind_of(touch).v[touch % 4]}; };
  /// Twice the area of the triangle on the side from one to another, positive on its right.
  struct Side {
    double u, v, at_0;

    Side(const Seen& from, const Seen& to)
        : u(to.v - from.v), v(from.u - to.u), at_0(-(u * from.u + v * from.v)) {}
    Lanes area(const FourTouches& x) const { return u * x.u + v * x.v + at_0; }
  };
  const int first = first_of(as_deep);
  unsigned picked = 1U << first;
  const Seen p = seen(first);
  const int second = widest(picked, area_rounding, [&](const FourTouches& x) {
    return (x.u - p.u) * (x.u - p.u) + (x.v - p.v) * (x.v - p.v);
  });
  if (second < 0) return 0;
  picked |= 1U << second;
  const Seen q = seen(second);
  const Side pq(p, q);
  const int third = widest(picked, area_rounding, [&](const FourTouches& x) { return abs(pq.area(x)); });
  if (third < 0) return 0;
  picked |= 1U << third;
  const Seen r = seen(third);
  const bool on_the_right = pq.u * r.u + pq.v * r.v + pq.at_0 > 0;
  // Around the triangle, with its inside on the left.
  const Side one = on_the_right ? Side(q, p) : pq;
  const Side two = on_the_right ? Side(p, r) : Side(q, r);
  const Side three = on_the_right ? Side(r, q) : Side(r, p);
  const int fourth = widest(picked, area_rounding, [&](const FourTouches& x) {
    return max(one.area(x), max(two.area(x), three.area(x)));
  });
  return fourth < 0 ? picked : picked | 1U << fourth;
}

}  // namespace pawl
