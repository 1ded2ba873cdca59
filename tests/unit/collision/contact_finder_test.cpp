#include <pawl/collision/contact_finder.h>
#include <pawl/collision/shapes/bounds.h>

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include <unit/base/random.h>
#include <unit/collision/ball_scenes.h>
#include <unit/record/allocation_count.h>

namespace pawl::internal {
namespace contact_finder_test {

using testing::ball;
using testing::ground;
using testing::model_of;
using testing::Random;
using testing::start_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SceneShape random_shape(Random& random, double size) {
  SceneShape shape;
  shape.material = "plain";
  constexpr ShapeKind kinds[] = {ShapeKind::sphere,   ShapeKind::capsule, ShapeKind::box,
                                 ShapeKind::cylinder, ShapeKind::cone,    ShapeKind::ellipsoid};
  shape.kind = kinds[random.below(6)];
  shape.radius = random.uniform(0.1, 0.5) * size;
  shape.length = shape.height = random.uniform(0.1, 1) * size;
  shape.size = {random.uniform(0.1, 1) * size, random.uniform(0.1, 1) * size, random.uniform(0.1, 1) * size};
  shape.position = random.vec(0.2 * size);
  shape.orientation = random.rotation();
  shape.group = 1u << random.below(4);
  if (random.below(4) == 0) shape.collides_with = static_cast<std::uint32_t>(random.below(16));
  return shape;
}

SceneBody bumpy_ground() {
  SceneBody body = ball("hills", {-2, -2, 0}, JointKind::weld);
  SceneShape& shape = body.shapes[0];
  shape.kind = ShapeKind::height_field;
  for (int i = 0; i < 25; ++i) shape.heights.push_back(0.3 * std::sin(i) - 1.3);
  shape.columns = 5;
  shape.spacing = {1, 1, 0};
  return body;
}

/// A half-space, hills, a fixed post, and random bodies of one or two shapes.
Model crowd(Random& random, int count) {
  std::vector<SceneBody> bodies{ground(), bumpy_ground(), ball("post", {0.5, 0.5, 0}, JointKind::weld)};
  bodies[0].shapes[0].offset = -1.5;
  for (int i = 0; i < count; ++i) {
    SceneBody body = ball("b" + std::to_string(i), random.vec(1.5));
    body.orientation = random.rotation();
    body.shapes.clear();
    for (int s = random.below(2); s >= 0; --s) body.shapes.push_back(random_shape(random, 1));
    body.inertia = Mat3::identity();
    bodies.push_back(body);
  }
  return model_of(bodies);
}

/// Contacts of every pair that may collide, one pair at a time, sorted by id.
std::vector<Contact> by_brute_force(const Model& model, const Kinematics& kinematics, double contact_margin) {
  std::vector<ShapePair> pairs;
  const int shapes = static_cast<int>(model.shapes.size());
  for (int s = 0; s < shapes; ++s) {
    for (int other = s + 1; other < shapes; ++other) {
      if (should_collide(model, s, other)) pairs.push_back(ordered_pair(model, s, other));
    }
  }
  std::ranges::sort(pairs);
  std::vector<Contact> contacts;
  for (const ShapePair& pair : pairs) {
    pair_contacts(model, pair, kinematics.X_WB[model.shapes[pair.a].body],
                  kinematics.X_WB[model.shapes[pair.b].body], contact_margin, kDefaultContactPoints,
                  contacts);
  }
  return contacts;
}

double brute_force_min_gap(const Model& model, const Kinematics& kinematics) {
  double least = kInfinity;
  const int shapes = static_cast<int>(model.shapes.size());
  for (int s = 0; s < shapes; ++s) {
    for (int other = s + 1; other < shapes; ++other) {
      if (!should_collide(model, s, other)) continue;
      const ShapePair pair = ordered_pair(model, s, other);
      least = std::min(least, pair_gap(model, pair, kinematics.X_WB[model.shapes[pair.a].body],
                                       kinematics.X_WB[model.shapes[pair.b].body]));
    }
  }
  return least;
}

/// Equal to the last bit.
void expect_same(const std::vector<Contact>& found, const std::vector<Contact>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].id, wanted[i].id);
    EXPECT_EQ(found[i].body_a, wanted[i].body_a);
    EXPECT_EQ(found[i].body_b, wanted[i].body_b);
    EXPECT_EQ(found[i].gap, wanted[i].gap);
    EXPECT_EQ(found[i].normal, wanted[i].normal);
    EXPECT_EQ(found[i].point_a, wanted[i].point_a);
    EXPECT_EQ(found[i].point_b, wanted[i].point_b);
  }
}

void perturb(Random& random, const Model& model, double h, std::vector<double>& q) {
  std::vector<double> next(q.size());
  integrate(model, q, random.numbers(model.nv), h, next);
  q = next;
}

TEST(ContactFinder, FindsOverlapsAndKeptContactsSortedById) {
  Random random(1);
  for (int sample = 0; sample < 200; ++sample) {
    std::vector<SceneBody> bodies{ground()};
    for (int i = 0; i < 8; ++i) {
      SceneBody body = ball("b" + std::to_string(i), random.vec(1.5));
      if (i % 2 == 0) {
        body.shapes[0].kind = ShapeKind::capsule;
        body.shapes[0].length = 1;
      }
      bodies.push_back(body);
    }
    const Model model = model_of(bodies);
    const Kinematics kinematics = start_of(model);
    const std::vector<Contact> all = by_brute_force(model, kinematics, kInfinity);
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Contact::id));

    std::vector<ContactId> keep{{1, 0, 99}};  // with one contact that no longer exists
    for (const Contact& contact : all) {
      if (random.below(3) == 0) keep.push_back(contact.id);
    }
    std::ranges::sort(keep);
    // Pairs with a contact to keep have all contacts within a hundredth of the first shape's bounding radius.
    const auto contact_margin = [&](const Contact& contact) {
      const bool kept = std::ranges::any_of(keep, [&](const ContactId& id) {
        return id.shape_a == contact.id.shape_a && id.shape_b == contact.id.shape_b;
      });
      return kept ? 0.01 * bounding_radius(model.shapes[contact.id.shape_a].solid) : 0;
    };
    std::vector<ContactId> wanted;
    for (const Contact& contact : all) {
      if (contact.gap <= contact_margin(contact) || std::ranges::binary_search(keep, contact.id)) {
        wanted.push_back(contact.id);
      }
    }
    ContactFinder finder(model);
    std::vector<Contact> found;
    finder.find({kinematics, nullptr, 0, keep}, found);
    std::vector<ContactId> ids;
    for (const Contact& contact : found) ids.push_back(contact.id);
    EXPECT_EQ(ids, wanted);
    EXPECT_EQ(finder.min_gap(kinematics, found), std::ranges::min_element(all, {}, &Contact::gap)->gap);
  }
}

TEST(ContactFinder, NamesTheBodiesOfAContact) {
  const Model model = model_of({ground(), ball("a", {0, 0, 0.4})});
  const Kinematics kinematics = start_of(model);
  ContactFinder finder(model);
  std::vector<Contact> found;
  finder.find({kinematics}, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].gap, -0.1);
  EXPECT_DOUBLE_EQ(finder.min_gap(kinematics, found), -0.1);
  EXPECT_EQ(model.body_names[found[0].body_a], "a");
  EXPECT_EQ(model.body_names[found[0].body_b], "ground");
  EXPECT_EQ(found[0].normal, (Vec3{0, 0, 1}));
}

TEST(ContactFinder, WithoutPairsHasNoContactsAndInfiniteGap) {
  const Model model = model_of({ball("a", {})});
  const Kinematics kinematics = start_of(model);
  ContactFinder finder(model);
  std::vector<Contact> found(3);
  finder.find({kinematics}, found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(finder.min_gap(kinematics, found), kInfinity);
}

TEST(ContactFinder, MatchesBruteForceToTheLastBit) {
  Random random(2);
  std::size_t max_count = 0;
  for (int sample = 0; sample < 60; ++sample) {
    const Model model = crowd(random, 12);
    ContactFinder finder(model);
    std::vector<double> q = model.q_start;
    std::vector<Contact> found;
    for (int step = 0; step < 5; ++step) {
      Kinematics kinematics;
      position_kinematics(model, q, kinematics);
      const double contact_margin = step % 2 == 0 ? 0 : random.scale(1e-3, 1);
      finder.find({kinematics, nullptr, contact_margin}, found);
      expect_same(found, by_brute_force(model, kinematics, contact_margin));
      max_count = std::max(max_count, found.size());
      perturb(random, model, random.scale(1e-3, 1), q);
    }
  }
  EXPECT_GT(max_count, 20U);
}

TEST(ContactFinder, DoesNotDependOnEarlierQueries) {
  Random random(3);
  const Model model = crowd(random, 20);
  ContactFinder used(model);
  std::vector<double> q = model.q_start;
  std::vector<Contact> found, fresh;
  for (int step = 0; step < 50; ++step) {
    Kinematics before, kinematics;
    position_kinematics(model, q, before);
    perturb(random, model, random.scale(1e-3, 3), q);
    position_kinematics(model, q, kinematics);
    const Kinematics* start = random.below(2) == 0 ? &before : nullptr;
    const double contact_margin = random.below(2) == 0 ? 0 : random.scale(1e-3, 1);
    used.find({kinematics, start, contact_margin}, found);
    ContactFinder first_time(model);
    first_time.find({kinematics, start, contact_margin}, fresh);
    expect_same(found, fresh);
    EXPECT_EQ(used.min_gap(kinematics, found), first_time.min_gap(kinematics, fresh));
  }
}

TEST(ContactFinder, MinGapIsThatOfBruteForce) {
  Random random(4);
  int apart = 0;
  for (int sample = 0; sample < 300; ++sample) {
    const Model model = crowd(random, 1 + random.below(4));
    std::vector<double> q = model.q_start;
    perturb(random, model, 2, q);
    // Bodies with their centres below the hills have no contacts with them.
    for (const Body& body : model.bodies) {
      if (body.joint == JointKind::free) q[body.q_begin + 2] = std::abs(q[body.q_begin + 2]) - 0.5;
    }
    Kinematics kinematics;
    position_kinematics(model, q, kinematics);
    ContactFinder finder(model);
    std::vector<Contact> found;
    finder.find({kinematics}, found);
    const double least = brute_force_min_gap(model, kinematics);
    if (least == kInfinity) continue;  // their groups do not collide
    EXPECT_NEAR(finder.min_gap(kinematics, found), least, 1e-14) << "sample " << sample;
    apart += least > 0;
  }
  EXPECT_GT(apart, 30);
  EXPECT_LT(apart, 270);
}

TEST(ContactFinder, AllocatesNothingOnceWarm) {
  Random random(5);
  const Model model = crowd(random, 20);
  std::vector<Kinematics> states(20);
  std::vector<double> q = model.q_start;
  for (Kinematics& kinematics : states) {
    position_kinematics(model, q, kinematics);
    perturb(random, model, 0.1, q);
  }
  ContactFinder finder(model);
  std::vector<Contact> found;
  const auto go = [&] {
    for (std::size_t i = 1; i < states.size(); ++i) {
      finder.find({states[i], &states[i - 1], 0.01}, found);
      finder.min_gap(states[i], found);
    }
  };
  go();
  go();
  const long before = allocation_count();
  go();
  EXPECT_EQ(allocation_count() - before, 0);
}

TEST(ContactFinder, ABodyOfNonFinitePoseHasNoContactsAndAffectsNoOther) {
  const Model model = model_of({ground(), ball("lost", {0, 0, 0.4}), ball("a", {3, 0, 0.4})});
  Kinematics kinematics = start_of(model);
  ContactFinder finder(model);
  std::vector<Contact> found;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
    kinematics.X_WB[model.shapes[1].body].p = {bad, 0, 0.4};
    finder.find({kinematics}, found);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(model.body_names[found[0].body_a], "a");
  }
}

}  // namespace contact_finder_test
}  // namespace pawl::internal
