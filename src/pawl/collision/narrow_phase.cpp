#include <pawl/collision/narrow_phase.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <pawl/base/tolerances.h>
#include <pawl/collision/distance/signed_distance.h>
#include <pawl/collision/manifold/surface_contacts.h>
#include <pawl/geometry.h>

namespace pawl::internal {
namespace {

static_assert(kMaxContactPoints == Manifold::kMaxPoints);

/// Root of the bodies welded to this one; 0 if they are welded to the world.
int weld_root(const Model& model, int body) {
  while (body != 0 && model.bodies[body].joint == JointKind::weld) body = model.bodies[body].parent;
  return body;
}

}  // namespace

HalfSpace half_space_of(const Shape& shape, const Pose& X_WB) {
  const Vec3 normal = X_WB.R * shape.normal_B;
  return {normal, dot(normal, X_WB * shape.X_BS.p)};
}

Vec3 tangent(const Vec3& normal, bool planar) {
  if (planar) return {normal.y, -normal.x, 0};
  const Vec3 level{-normal.y, normal.x, 0};  // z × n
  const double length = norm(level);
  return length > tolerances::kFine ? level / length : normalized(Vec3{1, 0, 0} - normal.x * normal);
}

bool should_collide(const Model& model, int shape, int other) {
  assert(shape >= 0 && shape < std::ssize(model.shapes) && other >= 0 && other < std::ssize(model.shapes));
  const Shape &a = model.shapes[shape], &b = model.shapes[other];
  const Body &body_a = model.bodies[a.body], &body_b = model.bodies[b.body];
  if (body_a.tree < 0 && body_b.tree < 0) return false;
  if (weld_root(model, a.body) == weld_root(model, b.body)) return false;
  const std::pair<int, int> bodies = std::minmax(a.body, b.body);
  if (std::ranges::binary_search(model.never_collide, bodies)) return false;
  const bool joined = body_a.parent == b.body || body_b.parent == a.body;
  if (joined && !std::ranges::binary_search(model.always_collide, bodies)) return false;
  return (a.group & b.collides_with) != 0 && (b.group & a.collides_with) != 0;
}

ShapePair ordered_pair(const Model& model, int shape, int other) {
  const auto [low, high] = std::minmax(shape, other);
  return model.bodies[model.shapes[low].body].tree < 0 ? ShapePair{high, low} : ShapePair{low, high};
}

void pair_contacts(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB,
                   double contact_margin, int max_points, std::vector<Contact>& contacts) {
  assert(pair.a >= 0 && pair.a < std::ssize(model.shapes) && pair.b >= 0 &&
         pair.b < std::ssize(model.shapes));
  const Shape &a = model.shapes[pair.a], &b = model.shapes[pair.b];
  const PosedConvex solid{a.solid, X_WA * a.X_BS};
  const auto add = [&](const ManifoldPoint& point) {
    contacts.push_back({{pair.a, pair.b, point.feature},
                        a.body,
                        b.body,
                        point.gap,
                        point.point_a,
                        point.point_b,
                        point.normal});
  };
  if (b.surface >= 0) {
    thread_local std::vector<ManifoldPoint> points;
    points.clear();
    surface_contacts(solid, *model.surfaces[b.surface], X_WB * b.X_BS, contact_margin, points, max_points);
    std::ranges::for_each(points, add);
    return;
  }
  Manifold set;
  if (b.kind == ShapeKind::half_space) {
    collide(solid, half_space_of(b, X_WB), contact_margin, max_points, set);
  } else {
    collide(solid, {b.solid, X_WB * b.X_BS}, contact_margin, max_points, set);
  }
  std::for_each_n(set.points.begin(), set.count, add);
}

namespace {

/// Upper bound of the distance that a place of contact moves between two configurations.
double displacement_bound(const Kinematics& from, const Kinematics& to, const Contact& contact) {
  double sum = 0;
  for (const auto& [body, point] :
       {std::pair(contact.body_a, contact.point_a), {contact.body_b, contact.point_b}}) {
    const Pose &X = from.X_WB[body], &Y = to.X_WB[body];
    double turned = 0;
    for (int i = 0; i < 3; ++i) turned += dot(Y.R.row[i] - X.R.row[i], Y.R.row[i] - X.R.row[i]);
    sum += norm(Y.p - X.p) + std::sqrt(turned) * norm(point - X.p);
  }
  return 2 * sum;
}

/// Follows the contacts of one pair, [first, last) of `followed`. `found` are the contacts of the pair in the
/// new configuration. `moved` holds the same contacts moved with their bodies.
void rematch(const Kinematics& kinematics, const Kinematics& kinematics_next,
             std::span<const Contact> contacts, std::span<const Contact> found, std::span<Contact> followed) {
  const auto id_is_taken = [&](const ContactId& id) {
    return std::ranges::any_of(followed, [&](const Contact& each) { return each.id == id; });
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (std::ranges::binary_search(found, contacts[c].id, {}, &Contact::id)) continue;
    const Contact* nearest = nullptr;
    double least = displacement_bound(kinematics, kinematics_next, contacts[c]);
    for (const Contact& other : found) {
      const double distance =
          std::max(norm(other.point_a - contacts[c].point_a), norm(other.point_b - contacts[c].point_b));
      if (distance > least || id_is_taken(other.id)) continue;
      least = distance;
      nearest = &other;
    }
    if (nearest != nullptr) followed[c] = *nearest;
  }
}

void follow(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
            int max_points, bool by_place, std::span<const Contact> contacts,
            std::vector<Contact>& followed) {
  followed.assign(contacts.begin(), contacts.end());
  for (Contact& contact : followed) {
    const Pose X_a = kinematics_next.X_WB[contact.body_a] * inverse(kinematics.X_WB[contact.body_a]);
    const Pose X_b = kinematics_next.X_WB[contact.body_b] * inverse(kinematics.X_WB[contact.body_b]);
    contact.point_a = X_a * contact.point_a;
    contact.point_b = X_b * contact.point_b;
    contact.normal = X_b.R * contact.normal;
    contact.gap = dot(contact.normal, contact.point_a - contact.point_b);
  }
  // The contacts of a pair are appended behind the list, and overwrite the followed contacts of the same id.
  for (std::size_t first = 0; first < contacts.size();) {
    const ShapePair pair{contacts[first].id.shape_a, contacts[first].id.shape_b};
    const auto is_of_pair = [&](const Contact& contact) {
      return contact.id.shape_a == pair.a && contact.id.shape_b == pair.b;
    };
    double margin = std::numeric_limits<double>::infinity();
    if (by_place) {
      // The number of points is limited: far ones must not displace those that are followed.
      margin = 0;
      for (std::size_t c = first; c < contacts.size() && is_of_pair(contacts[c]); ++c) {
        margin =
            std::max(margin, followed[c].gap + displacement_bound(kinematics, kinematics_next, contacts[c]));
      }
    }
    pair_contacts(model, pair, kinematics_next.X_WB[contacts[first].body_a],
                  kinematics_next.X_WB[contacts[first].body_b], margin, max_points, followed);
    const auto found = std::span(followed).subspan(contacts.size());
    const std::size_t pair_begin = first;
    for (; first < contacts.size() && is_of_pair(contacts[first]); ++first) {
      const auto same = std::ranges::lower_bound(found, contacts[first].id, {}, &Contact::id);
      if (same != found.end() && same->id == contacts[first].id) followed[first] = *same;
    }
    if (by_place) {
      rematch(kinematics, kinematics_next, contacts.subspan(pair_begin, first - pair_begin), found,
              std::span(followed).subspan(pair_begin, first - pair_begin));
    }
    followed.resize(contacts.size());
  }
}

}  // namespace

void follow_contacts(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
                     int max_points, std::span<const Contact> contacts, std::vector<Contact>& followed) {
  follow(model, kinematics, kinematics_next, max_points, false, contacts, followed);
}

void track_contacts(const Model& model, const Kinematics& kinematics, const Kinematics& kinematics_next,
                    int max_points, std::span<const Contact> contacts, std::vector<Contact>& tracked) {
  follow(model, kinematics, kinematics_next, max_points, true, contacts, tracked);
}

std::optional<ContactKinematics> contact_kinematics(const Model& model, const Kinematics& kinematics,
                                                    const Contact& contact) {
  const Shape &a = model.shapes[contact.id.shape_a], &b = model.shapes[contact.id.shape_b];
  if (b.surface >= 0) return {};
  const PosedConvex solid{a.solid, kinematics.X_WB[a.body] * a.X_BS};
  const ManifoldPoint point{contact.gap, contact.normal, contact.point_a, contact.point_b,
                            contact.id.feature};
  if (b.kind == ShapeKind::half_space) {
    return contact_kinematics(solid, half_space_of(b, kinematics.X_WB[b.body]), point);
  }
  return contact_kinematics(solid, {b.solid, kinematics.X_WB[b.body] * b.X_BS}, point);
}

double pair_gap(const Model& model, const ShapePair& pair, const Pose& X_WA, const Pose& X_WB) {
  const Shape &a = model.shapes[pair.a], &b = model.shapes[pair.b];
  const PosedConvex solid{a.solid, X_WA * a.X_BS};
  if (b.surface >= 0) return surface_gap(solid, *model.surfaces[b.surface], X_WB * b.X_BS);
  if (b.kind == ShapeKind::half_space) return separation(solid, half_space_of(b, X_WB)).gap;
  return separation(solid, {b.solid, X_WB * b.X_BS}).gap;
}

}  // namespace pawl::internal
