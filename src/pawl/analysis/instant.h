#pragma once
// A state as the model in accelerations sees it: which contacts there are, how they move, and A and b.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <pawl/analysis/acceleration_problem.h>
#include <pawl/assemble/friction_table.h>
#include <pawl/collision/contact.h>

namespace pawl {

/// What a contact does. Only those that roll or slide are in the model; an approach is an impact, which
/// accelerations can't describe, and what leaves has no force.
enum class ContactMotion : std::uint8_t { approaching, leaving, rolling, sliding };
std::string_view to_string(ContactMotion motion);

struct InstantContact {
  Contact contact;
  Vec3 tangent;  // t; o = n × t
  int rows = 0;  // n, t, o, r: as many as its friction set has
  ContactMotion motion = ContactMotion::rolling;
  std::array<double, kContactRows> velocity{};  // m/s, rad/s
  bool kinked = false;  // normal, point or curvature jump here: J̇ v is not one number
  int island = -1;      // in the model: number of its problem, and in it of the contact
  int index_in_island = -1;
};

struct InstantOptions {
  std::optional<double> touching;  // m: contacts with gaps up to this; else 10⁻⁶ of the smaller body's size
  /// A contact does not approach, leave or slide where that is slower than this share of the velocities that
  /// meet there, or of those that its free acceleration gives over the body's size.
  double velocity_tolerance = 1e-6;
  /// s: of the method that made the state. It leaves contacts velocities of the order of step v²/size where
  /// surfaces or paths are curved, and these count as 0 too.
  double step = 0;
  int contact_points = kDefaultContactPoints;  // a pair has at most, as the run has
};

struct Instant {
  std::vector<InstantContact> contacts;  // sorted by id
  std::vector<AccelerationProblem> islands;
  std::vector<std::vector<int>> island_contacts;  // of each, numbers in `contacts`
};

/// `friction` must outlive the answer. Throws Error where the mass matrix is not positive definite.
Instant instant_of(const Model& model, const FrictionTable& friction, const State& state,
                   const InstantOptions& options = {});

}  // namespace pawl
