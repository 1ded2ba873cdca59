#include <pawl/step/warm_start.h>

#include <gmock/gmock.h>

namespace pawl::internal {
namespace {

constexpr double kSamePlace = 1e-6, kStep = 0.5;

Contact contact_at(std::uint64_t feature, double x) {
  Contact contact;
  contact.id = {1, 2, feature};
  contact.point_a = {x, 0, 0};
  return contact;
}

/// The normal impulses that contacts start from, after a step in which contact 7 at x = 0 pressed with 3 N s
/// and contact 8 at x = 1 with 4 N s.
std::vector<double> recalled(const std::vector<Contact>& contacts) {
  WarmStart memory(kSamePlace);
  RowImpulses p1, p;
  p1.assign(2, 0);
  p.assign(2, 0);
  p.contact[0][0] = 3;
  p.contact[1][0] = 4;
  const std::vector<Contact> before{contact_at(7, 0), contact_at(8, 1)};
  memory.store(kStep, before, std::vector<char>{kIncluded, kIncluded}, p1, p);
  std::vector<StepContact> now;
  for (const Contact& contact : contacts) now.push_back({contact, {}});
  memory.recall(kStep, now, 0, p1, p);
  std::vector<double> normal;
  for (const ContactValues& each : p.contact) normal.push_back(each[0]);
  return normal;
}

TEST(WarmStart, IsFoundById) {
  EXPECT_THAT(recalled({contact_at(7, 0.5), contact_at(8, 0.6)}), ::testing::ElementsAre(3, 4));
}

// Where a face lies on a face, rounding decides whose edges name the contacts.
TEST(WarmStart, IsFoundByPlaceIfTheFeatureHasChanged) {
  EXPECT_THAT(recalled({contact_at(5, 1 + 1e-9), contact_at(7, 0)}), ::testing::ElementsAre(4, 3));
  EXPECT_THAT(recalled({contact_at(5, 1 + 1e-3), contact_at(7, 0)}), ::testing::ElementsAre(0, 3));
}

TEST(WarmStart, GivesAnImpulseToOneContactOnly) {
  EXPECT_THAT(recalled({contact_at(5, 1e-9), contact_at(7, 0)}), ::testing::ElementsAre(0, 3));
}

TEST(WarmStart, OfAnotherPairIsNotTaken) {
  Contact other = contact_at(5, 1);
  other.id.shape_b = 3;
  EXPECT_THAT(recalled({other}), ::testing::ElementsAre(0));
}

}  // namespace
}  // namespace pawl::internal
