#pragma once
// Forces and accelerations of a state, and whether they exist and are unique [TrinkleTzitzourisPang2001].

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/contact_problem.h>
#include <pawl/model.h>
#include <pawl/solver.h>

namespace pawl {

namespace internal {
class FrictionTable;
}

/// The contacts of one island at one instant: forces c and accelerations
///   a = A c + b,  A = J M⁻¹ Jᵀ = Y Yᵀ,  b = J M⁻¹ k + J̇ v             (i)
///   0 ≤ a_n ⊥ c_n ≥ 0                                                  (ii)
///   c_f ∈ F(μ c_n)                                                     (iii)
///   c_f ∈ argmax { -v_f · c' : c' ∈ F(μ c_n) } where a contact slides  (iv)
///   c_f ∈ argmax { -a_f · c' : c' ∈ F(μ c_n) } where it rolls
struct AccelerationProblem {
  std::vector<int> begin{0};           // [contacts + 1] first row of each contact: n, then its t, o, r
  int rates = 0;                       // generalised velocities of the moving bodies
  std::vector<double> Y;               // [rows × rates] J L⁻ᵀ with M = L Lᵀ
  std::vector<double> b;               // [rows] m/s², rad/s²
  std::vector<double> velocity_terms;  // [rows] J̇ v, a part of b
  std::vector<FrictionSet> friction;   // [contacts]
  std::vector<char> sliding;           // [contacts] 1 if sliding, 0 if rolling
  /// [contacts] c_f = μ c_n direction for sliding contacts: the point of F(1) of maximum dissipation.
  std::vector<FrictionVector> direction;

  int contacts() const { return static_cast<int>(begin.size()) - 1; }
  int rows() const { return begin.back(); }
  int size_of(int contact) const { return begin[contact + 1] - begin[contact]; }
  /// True if the friction force is known up to c_n: the contact slides or is frictionless.
  bool friction_known(int contact) const {
    return sliding[contact] != 0 || friction[contact].frictionless() || size_of(contact) == 1;
  }
};

/// A = Y Yᵀ [rows × rows], row-major, 1/kg.
std::vector<double> acceleration_matrix(const AccelerationProblem& problem);

/// The point of F(1) of maximum dissipation for a nonzero sliding velocity, in units of force per μ c_n. If a
/// whole face of a polyhedron qualifies, its point closest to 0.
FrictionVector sliding_direction(const FrictionSet& set, const FrictionVector& velocity);

/// The problem left after expressing the friction of sliding contacts in terms of c_n: one row for a contact
/// of known friction, all rows for a rolling one. Forces stand for impulses, accelerations for velocities. It
/// is in primal form if nothing slides, else in Delassus form, since W is then not symmetric.
ContactProblem reduced_problem(const AccelerationProblem& problem);

/// All forces [rows] from those of the reduced problem, and the resulting accelerations [rows].
std::vector<double> all_forces(const AccelerationProblem& problem, std::span<const double> reduced);
std::vector<double> accelerations(const AccelerationProblem& problem, std::span<const double> forces);

/// The state of a contact in the next instant.
enum class ContactTransition : std::uint8_t { breaks, keeps_rolling, starts_to_slide, keeps_sliding };
std::string_view to_string(ContactTransition transition);

struct AccelerationSolution {
  std::vector<double> c, a;                    // [rows]
  std::vector<ContactTransition> transitions;  // [contacts]
};
/// The solution for given forces of the reduced problem.
AccelerationSolution solution_of(const AccelerationProblem& problem, std::span<const double> reduced);

/// The motion of a contact. The model has only rolling and sliding contacts: an approach is an impact, which
/// accelerations cannot describe, and a leaving contact carries no force.
enum class ContactMotion : std::uint8_t { approaching, leaving, rolling, sliding };
std::string_view to_string(ContactMotion motion);

struct InstantContact {
  Contact contact;
  Vec3 tangent;  // t; o = n × t
  int rows = 0;  // 1 to 4 of n, t, o, r
  ContactMotion motion = ContactMotion::rolling;
  std::array<double, kContactRows> velocity{};  // m/s, rad/s
  bool kinked = false;       // normal, point or curvature jump here, so J̇ v is not unique
  int island = -1;           // index of its problem, -1 if not in the model, and …
  int index_in_island = -1;  // … its index in that problem
};

struct InstantOptions {
  std::optional<double> touching;  // m: largest gap of a contact; default: 10⁻⁶ of the smaller body's size
  /// Slower relative motion counts as rest. It is relative to the velocities of the two bodies at the
  /// contact, or to the velocity that its free acceleration gives over the size of the body.
  double velocity_tolerance = 1e-6;
  /// s: step of the method that made the state. On curved surfaces or paths it leaves contact velocities of
  /// the order of step · v²/size, which count as rest too.
  double step = 0;
  int contact_points = kDefaultContactPoints;            // per pair, as in RunOptions
  FrictionForm friction = FrictionForm::exact;           // of the friction sets
  int friction_directions = kDefaultFrictionDirections;  // of polyhedral sets without directions of their own
};

/// A state as the acceleration model sees it: its contacts, their motion, and one problem per island.
struct Instant {
  std::vector<InstantContact> contacts;  // sorted by id
  std::vector<AccelerationProblem> islands;
  std::shared_ptr<const internal::FrictionTable> friction_table;  // owns the polyhedra of the friction sets
  std::vector<std::vector<int>> island_contacts;                  // [islands] indices into `contacts`
};

/// Throws Error if the mass matrix is not positive definite.
Instant instant_of(const Model& model, const State& state, const InstantOptions& options = {});

/// The deepest overlap of all pairs that may touch, m; 0 if there is none. For models with joints of any
/// kind.
double deepest_overlap(const Model& model, const State& state);

enum class SolutionCount : std::uint8_t {
  unknown,         // not an LCP, too large, or degenerate within tolerance
  none,            // proven: every contact state was tried
  one,             // every other contact state was ruled out
  several_forces,  // one motion, several forces
  several,         // several motions
};
std::string_view to_string(SolutionCount count);

/// One motion.
struct CountedSolution {
  AccelerationSolution solution;
  bool forces_vary = false;    // other forces make the same motion
  bool motion_varies = false;  // one of a family of motions in the same contact state
};

struct SolutionCountResult {
  SolutionCount count = SolutionCount::unknown;
  std::string_view reason;  // why it is unknown
  std::vector<CountedSolution> solutions;
};

/// All bases are tried up to this many complementary unknowns: 1 for a contact of known friction, 4 for a
/// rolling contact in the plane, k + 2 for a polyhedron of k directions.
inline constexpr int kMaxCountedUnknowns = 16;

/// Counts all solutions. The count is unknown unless rolling contacts have polyhedra or intervals as friction
/// sets.
SolutionCountResult count_solutions(const AccelerationProblem& problem);

enum class Verdict : std::uint8_t { no, yes, undecided };
std::string_view to_string(Verdict answer);

struct Theorem1 {
  /// The rows that matter: n of every contact, the friction rows of rolling ones, one row along the friction
  /// of sliding ones. Their A, scaled to a unit diagonal, is positive definite if its rank is full.
  int rows = 0, rank = 0;
  double least_eigenvalue = 0;  // of that matrix; 0 up to rounding
  bool positive_definite() const { return rank == rows; }

  // (A), if A is positive definite: forces exist for all b if the μ of sliding contacts are below
  // existence_bound, and are unique if all μ are below uniqueness_bound. +∞: for any μ.
  double existence_bound = 0, uniqueness_bound = 0;
  double sliding_friction = 0;  // largest μ of sliding contacts …
  double friction = 0;          // … and of all contacts; scaled by the size of sets larger than their radii
  bool exists_by_A() const { return positive_definite() && sliding_friction < existence_bound; }
  bool unique_by_A() const { return positive_definite() && friction < uniqueness_bound; }

  /// (B): all contacts roll, and b · c ≥ 0 for all c in the friction cones with Jᵀ c = 0. Then forces exist
  /// for any μ.
  bool all_rolling = false;
  Verdict condition_B = Verdict::undecided;
  bool exists_by_B() const { return all_rolling && condition_B == Verdict::yes; }
};
/// [TrinkleTzitzourisPang2001, Theorem 1] with computed bounds (docs/existence-and-uniqueness.md).
Theorem1 apply_theorem_1(const AccelerationProblem& problem);

/// Solution of one acceleration problem, and what is known about others.
struct AccelerationAnalysis {
  Status status = Status::refused;  // of `solution`, as judged; no_solution: proven
  Residual residual;                // forces stand for impulses, accelerations for velocities
  std::string_view method;          // that found the solution
  AccelerationSolution solution;
  ForceUniqueness forces = ForceUniqueness::unknown;  // whether other forces give the same motion
  Theorem1 theorem;
  SolutionCountResult counted;

  /// Decided by the count of solutions, else by Theorem 1, else by the solution found.
  Verdict exists() const;
  Verdict unique_motion() const;
  Verdict unique_forces() const;
};

/// `tolerance`: of the judged residual.
AccelerationAnalysis analyse(const AccelerationProblem& problem, double tolerance = 1e-8);

}  // namespace pawl
