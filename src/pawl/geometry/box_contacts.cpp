#include <pawl/geometry/box_contacts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include <pawl/geometry/brick_axes.h>
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

/// The better face of two boxes, the reference, and the face of the other box that faces it, the incident
/// one. They are seen in the axes of the reference's box, in an order that makes z the one out of it, with
/// the origin in the middle of the reference.
struct Faces {
  Faces(const BrickPair& bricks, const BrickAxis& face) : on_a(face.i >= 0) {
    z = on_a ? face.i : face.j, x = kNext[z], y = kAfter[z];
    up = on_a ? face.sign : -face.sign;
    const Lanes &own = (on_a ? bricks.a : bricks.b).half, &other = (on_a ? bricks.b : bricks.a).half;
    half_x = own[x], half_y = own[y], half_z = own[z];
    const Lanes* axes = on_a ? bricks.R : bricks.Rt;  // of the other box, a component a row
    const double facing_0 = std::abs(axes[z][0]), facing_1 = std::abs(axes[z][1]),
                 facing_2 = std::abs(axes[z][2]);
    i_z = facing_0 >= facing_1 ? (facing_0 >= facing_2 ? 0 : 2) : facing_1 >= facing_2 ? 1 : 2;
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

  bool on_a;              // the reference is a face of a
  int number, i_number;   // of the reference and of the incident face
  int x, y, z;            // axes of its box
  double up;              // the sign of its side
  double half_x, half_y;  // half its sides, m
  double half_z;          // how far it is from the middle of its box, m
  int i_x, i_y, i_z;      // axes of the incident box
  double facing;          // the sign of its side
  Vec3 normal;            // of the incident face, outward
  Vec3 middle;            // of that face, m
  Vec3 along, across;     // half its sides, m
};

/// The features that count as touching.
struct Range {
  double from, to;   // gaps of the cores, m
  double tolerance;  // what lies outside by less is inside, m
  double same;       // points nearer than this are one, m
};

/// Four at a time, features that meet: their gap (infinite where they do not), the point of the incident box,
/// and the normal out of the reference.
struct Touches {
  Lanes gap, x, y, z;
  Lanes n_x, n_y, n_z;
  Lanes u, v;  // a's point as it is seen along z
  LaneMask valid;
};

/// Which side of the reference cuts, bits of lanes.
struct Cuts {
  unsigned on_x;   // rather than on y
  unsigned above;  // at +half_x, +half_y
};

/// The corners of what the two faces have in common, seen along z: those that PatchClipper finds, with the
/// same gaps, but all of a kind at once. Up to eight of the sixteen are there.
class BoxTouches {
 public:
  BoxTouches(const Faces& faces, const Range& range);

  /// Those that are there, a bit each.
  unsigned all() const { return all_; }
  double least_gap() const { return least(deepest_)[0]; }
  /// Whether two of them are in one place.
  bool coincide() const { return may_coincide_ && some_are_same(); }
  /// Three or four of them, as ContactPoints picks them; none where all are in one line.
  unsigned four_widest(double gap_rounding, double area_rounding) const;

  std::uint64_t feature(int touch) const;
  const Touches& kind_of(int touch) const { return kinds_[touch / 4]; }

 private:
  // Corners of the incident face; where its sides come into the reference's rectangle, where they leave it;
  // corners of the reference.
  enum Kind { kCorners, kEntries, kExits, kCornersBelow, kKinds };

  void admit(Kind kind, LaneMask there);
  void add_crossings(Kind kind, Lanes t, LaneMask on_x, LaneMask there);
  void add_corners_below(unsigned which);
  bool some_are_same() const;
  template <class Measure>
  int widest(unsigned picked, double rounding, Measure measure) const;
  int first_of(unsigned touches) const;

  const Faces& faces_;
  const Range range_;
  std::array<Touches, kKinds> kinds_;
  int count_ = 1;  // kinds there are
  unsigned all_ = 0;
  Lanes deepest_ = all_lanes(kNoGap);
  Lanes d_x, d_y, d_z;  // the sides of the incident face, m
  Cuts entries_, exits_;
  bool may_coincide_ = false;
};

void BoxTouches::admit(Kind kind, LaneMask there) {
  Touches& touches = kinds_[kind];
  touches.valid = there & (touches.gap >= range_.from) & (touches.gap <= range_.to);
  touches.gap = select(touches.valid, touches.gap, all_lanes(kNoGap));
  deepest_ = min(deepest_, touches.gap);
  all_ |= bits(touches.valid) << (4 * kind);
}

/// The part of its way after which a line from x along d comes in over ±half, and after which it goes out
/// over it, at the negative end where `low`.
Lanes way_in(Lanes x, Lanes d, double half) {
  return (abs(x) - half) / abs(d);
}
Lanes way_out(Lanes x, Lanes d, double half, LaneMask low) {
  return (half - select(low, -x, x)) / abs(d);
}

/// Each side of the incident face is cut first by the two lines x = ±half_x, then what is left of it by y =
/// ±half_y. So what is in and what is out is asked of every point once, and the corners fit together even
/// where all is within the tolerance.
BoxTouches::BoxTouches(const Faces& faces, const Range& range) : faces_(faces), range_(range) {
  const Vec3 &middle = faces.middle, &along = faces.along, &across = faces.across;
  const Lanes x = middle.x + (along.x * kAlong + across.x * kAcross);
  const Lanes y = middle.y + (along.y * kAlong + across.y * kAcross);
  const Lanes z = middle.z + (along.z * kAlong + across.z * kAcross);
  kinds_[kCorners] = Touches{z, x, y, z, Lanes{}, Lanes{}, all_lanes(1), x, y, LaneMask{}};
  const double out_x = faces.half_x + range.tolerance, out_y = faces.half_y + range.tolerance;
  const LaneMask low_x = x<-out_x, high_x = x> out_x, from_out = low_x | high_x;
  const LaneMask inside = ~(from_out | (abs(y) > out_y));
  admit(kCorners, inside);
  if (bits(inside) == 0xf) {
    may_coincide_ = std::min(dot(along, along), dot(across, across)) <= range.same * range.same;
    return;
  }

  d_x = next(x) - x;
  d_y = next(y) - y;
  d_z = next(z) - z;
  const LaneMask next_low_x = next(low_x), next_high_x = next(high_x), to_out = next_low_x | next_high_x;
  const LaneMask left_by_x = ~((low_x & next_low_x) | (high_x & next_high_x));
  const Lanes x_in = select(from_out, min(way_in(x, d_x, faces.half_x), all_lanes(1)), Lanes{});
  const Lanes x_out = select(to_out, max(way_out(x, d_x, faces.half_x, next_low_x), Lanes{}), all_lanes(1));
  const Lanes from_y = y + x_in * d_y, to_y = select(to_out, y + x_out * d_y, next(y));
  const LaneMask low_y = from_y<-out_y, high_y = from_y> out_y, enters_y = low_y | high_y;
  const LaneMask to_low_y = to_y<-out_y, to_high_y = to_y> out_y, leaves_y = to_low_y | to_high_y;
  const LaneMask left = left_by_x & ~((low_y & to_low_y) | (high_y & to_high_y));
  const Lanes t_in = select(enters_y, min(max(way_in(y, d_y, faces.half_y), x_in), x_out), x_in);
  const Lanes t_out = select(leaves_y, max(min(way_out(y, d_y, faces.half_y, to_low_y), x_out), x_in), x_out);
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
  const Touches& corners = kinds_[kCorners];
  Touches& touches = kinds_[kind];
  count_ = kind + 1;
  const Lanes x_z = corners.z + t * d_z;
  there &= min(x_z, 0.98 * x_z) <= range_.to;  // the normal is near to z
  if (bits(there) == 0) {
    touches.valid = there;
    touches.gap = all_lanes(kNoGap);
    return;
  }
  const Lanes d_e = select(on_x, d_x, d_y), de2 = d_e * d_e, dz2 = d_z * d_z, l2 = de2 + dz2;
  const Lanes dxy2 = d_x * d_x + d_y * d_y, dd = dxy2 + dz2;
  const LaneMask level = dz2 <= 1e-26 * dd;
  const Lanes scale = 1 / sqrt(l2);
  const Lanes m_z = select(level, all_lanes(1), abs(d_e) * scale);
  const Lanes m_e = select(level, Lanes{}, select(d_e > 0, -d_z, d_z) * scale);
  const Lanes gap = x_z * m_z, tau = -x_z * d_z * (scale * scale);
  const Lanes steep = select(l2 <= 0.01 * dd, all_lanes(0.9999), all_lanes(0.98));
  const LaneMask fits = (de2 > steep * l2) & (tau * tau * dd <= 0.04 * gap * gap + 1e-18 * dd);
  const Lanes at = t + select(level, Lanes{}, tau);
  touches.gap = gap;
  touches.x = corners.x + at * d_x;
  touches.y = corners.y + at * d_y;
  touches.z = corners.z + at * d_z;
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
      Touches{gap, i_x, i_y, i_z, all_lanes(-n.x), all_lanes(-n.y), all_lanes(-n.z), u, v, LaneMask{}};
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
    Lanes area(const Touches& x) const { return u * x.u + v * x.v + at_0; }
  };
  const int first = first_of(as_deep);
  unsigned picked = 1U << first;
  const Seen p = seen(first);
  const int second = widest(picked, area_rounding, [&](const Touches& x) {
    return (x.u - p.u) * (x.u - p.u) + (x.v - p.v) * (x.v - p.v);
  });
  if (second < 0) return 0;
  picked |= 1U << second;
  const Seen q = seen(second);
  const Side pq(p, q);
  const int third = widest(picked, area_rounding, [&](const Touches& x) { return abs(pq.area(x)); });
  if (third < 0) return 0;
  picked |= 1U << third;
  const Seen r = seen(third);
  const bool on_the_right = pq.u * r.u + pq.v * r.v + pq.at_0 > 0;
  // Around the triangle, with its inside on the left.
  const Side one = on_the_right ? Side(q, p) : pq;
  const Side two = on_the_right ? Side(p, r) : Side(q, r);
  const Side three = on_the_right ? Side(r, q) : Side(r, p);
  const int fourth = widest(picked, area_rounding, [&](const Touches& x) {
    return max(one.area(x), max(two.area(x), three.area(x)));
  });
  return fourth < 0 ? picked : picked | 1U << fourth;
}

/// In the order of their features; `mirrored` gives them as those of (b, a).
void put(const Faces& faces, const BoxTouches& touches, unsigned chosen, const PlacedConvex& a,
         const PlacedConvex& b, bool mirrored, ContactSet& set) {
  struct Named {
    std::uint64_t feature;
    int touch;
  };
  std::array<Named, ContactSet::kMost> order;
  for (; chosen != 0; chosen &= chosen - 1) {
    const int touch = std::countr_zero(chosen);
    const std::uint64_t name = touches.feature(touch), feature = mirrored ? std::rotl(name, 32) : name;
    int place = set.count++;
    for (; place > 0 && feature < order[place - 1].feature; --place) order[place] = order[place - 1];
    order[place] = {feature, touch};
  }
  const PlacedConvex &own = faces.on_a ? a : b, &other = faces.on_a ? b : a;
  const Lanes x = column(own.X_WS.R, faces.x), y = column(own.X_WS.R, faces.y),
              z = faces.up * column(own.X_WS.R, faces.z);
  const Lanes origin = lanes_of(own.X_WS.p), middle = faces.half_z * z;
  const double margins = own.shape.margin + other.shape.margin;
  const bool incident_first = faces.on_a == mirrored;
  for (int i = 0; i < set.count; ++i) {
    const Touches& t = touches.kind_of(order[i].touch);
    const int k = order[i].touch % 4;
    const double gap = t.gap[k] - margins;
    const Lanes out = t.n_x[k] * x + t.n_y[k] * y + t.n_z[k] * z;
    const Lanes incident =
        origin + (middle + (t.x[k] * x + t.y[k] * y + t.z[k] * z) - other.shape.margin * out);
    const Lanes reference = incident - gap * out;
    ContactPoint& point = set.points[i];
    point.gap = gap;
    point.normal = first_three(incident_first ? out : -out);
    point.point_a = first_three(incident_first ? incident : reference);
    point.point_b = first_three(incident_first ? reference : incident);
    point.feature = order[i].feature;
  }
}

/// Whether two edges that are apart are nearest to each other where they cross, and not at an end.
struct EdgePair {
  SeparatingAxis axis;
  Vec3 from_b, along_b;  // in the frame of a, m
  double on_a, on_b;

  EdgePair(const BrickPair& bricks, const BrickAxis& best) : axis(features_of(bricks, best)) {
    const auto turned = [&](const Vec3& x) {
      return x.x * bricks.Rt[0] + x.y * bricks.Rt[1] + x.z * bricks.Rt[2];
    };
    const Vec3 from_a = bricks.a.vertex(axis.a), along_a = bricks.a.vertex(axis.a_to) - from_a;
    const Vec3 corner_b = bricks.b.vertex(axis.b);
    from_b = first_three(turned(corner_b) + bricks.t);
    along_b = first_three(turned(bricks.b.vertex(axis.b_to) - corner_b));
    std::tie(on_a, on_b) = crossing_of_edges(from_a, along_a, from_b, along_b, axis.normal);
  }
  bool meet() const { return axis.value <= 0 || (is_on_edge(on_a) && is_on_edge(on_b)); }
};

void put(const EdgePair& edges, const PlacedConvex& a, const PlacedConvex& b, bool mirrored,
         ContactSet& set) {
  const SeparatingAxis& axis = edges.axis;
  const double gap = axis.value - (a.shape.margin + b.shape.margin);
  const Vec3 normal = a.X_WS.R * -axis.normal;
  const Vec3 core_b = edges.from_b + std::clamp(edges.on_b, 0.0, 1.0) * edges.along_b;
  const Vec3 point_b = a.X_WS.p + (a.X_WS.R * core_b + b.shape.margin * normal);
  const Vec3 point_a = point_b + gap * normal;
  const std::uint64_t name = feature_of(edge_name(axis.a, axis.a_to), edge_name(axis.b, axis.b_to));
  set.count = 1;
  set.points[0] = mirrored ? ContactPoint{gap, -normal, point_b, point_a, std::rotl(name, 32)}
                           : ContactPoint{gap, normal, point_a, point_b, name};
}

}  // namespace

bool contacts_of_boxes(const PlacedConvex& a, const PlacedConvex& b, double reach, int most, bool mirrored,
                       ContactSet& set) {
  const BrickPair bricks(a, b);
  const double margin_a = a.shape.margin, margin_b = b.shape.margin, enough = reach + (margin_a + margin_b);
  const DeepestBrickAxis axis = deepest_brick_axis(bricks, enough);
  set.count = 0;
  const double value = axis.best.value;
  if (value > enough) return true;
  if (axis.best.is_of_edges()) {
    const bool aside = cosine(bricks, axis.best, axis.face) < kNearlyParallel;
    if (aside || value > 0) {
      const EdgePair edges(bricks, axis.best);
      if (!edges.meet()) return false;
      if (aside) {
        put(edges, a, b, mirrored, set);
        return true;
      }
    }
  }
  const double radius_a = a.shape.polytope->outer_radius + margin_a,
               radius_b = b.shape.polytope->outer_radius + margin_b;
  const double size = radius_a + radius_b, extent = std::min(radius_a, radius_b);
  const double rounding = kGapRounding * size;
  const Faces faces(bricks, axis.face);
  const BoxTouches touches(faces, {value - rounding, enough, kOnTheRim * size, kSamePlace * extent});
  const int count = std::popcount(touches.all());
  const bool too_many = count > most && most != 4;
  if (touches.least_gap() > value + rounding || touches.coincide() || too_many) return false;
  const unsigned chosen =
      count <= most ? touches.all() : touches.four_widest(rounding, kAreaRounding * extent * extent);
  if (chosen == 0) return false;
  put(faces, touches, chosen, a, b, mirrored, set);
  return true;
}

}  // namespace pawl
