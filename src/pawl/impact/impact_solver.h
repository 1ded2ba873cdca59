#pragma once
// What the contacts of one problem do to each other in an instant, by the laws of restitution
// (docs/impacts.md).

#include <array>
#include <span>
#include <vector>

#include <pawl/math.h>
#include <pawl/problem/delassus.h>
#include <pawl/scene.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// What a contact gives back.
struct Restitution {
  double e = 0;  // in [0, 1]
  RestitutionLaw law = RestitutionLaw::energetic;
};

/// Work of the impulses of an impact, J.
struct ImpactWork {
  double stored = 0;    // ≥ 0: by normal impulses while contacts are compressed, taken from the bodies
  double returned = 0;  // ≥ 0: by normal impulses while they expand
  double friction = 0;
  double joints = 0;

  double total() const { return returned - stored + friction + joints; }
  ImpactWork& operator+=(const ImpactWork& other) {
    stored += other.stored;
    returned += other.returned;
    friction += other.friction;
    joints += other.joints;
    return *this;
  }
};

/// One contact that strikes with the energetic law, along its path in the space of impulses.
struct SingleContactImpact {
  Status status = Status::certified;
  std::string_view reason;    // why it is refused
  std::array<double, 3> p{};  // N s; what the contact lacks is 0
  ImpactWork work;
  int steps = 0;  // of the integration
};
/// Whether a path is known for a friction set on that many rows: an ellipse, an interval, or none.
bool has_path(const FrictionSet& set, int rows);
/// A = J M⁻¹ Jᵀ and the velocity before, in the order n, t, o, of which `rows` count.
SingleContactImpact single_contact_impact(const Mat3& A, const Vec3& v, const FrictionSet& set, int rows,
                                          double e);

struct ImpactSolution {
  Status status = Status::refused;
  std::string_view reason;  // why it is not certified
  SolveMethod method = SolveMethod::none;
  std::vector<double> p;       // [rows] N s
  std::vector<double> u;       // [rows] m/s, after it
  std::vector<double> v_next;  // velocities of the bodies after it
  ImpactWork work;
  Residual residual;
  int size = 0, iterations = 0, solves = 0;
};

/// Resolves impacts, each a problem whose v_free is the velocity just before. Keeps its memory.
///   A single contact with the energetic law: exactly, along its path in the space of impulses.
///   Newton's law: one problem, 0 ≤ u_n + e u_n⁻ ⊥ p_n ≥ 0, friction at the end velocities.
///   Poisson's, several contacts with the energetic one, or laws that differ: two problems, compression and
///   expansion, in which normal impulses are at least κ times those of compression. Poisson: κ = e.
///   Energetic: κ = s e, with the one s by which these contacts together give back Σ e² of the works that
///   they stored.
class ImpactSolver {
 public:
  /// `laws` are those of the problem's contacts. ζ of the problem is not used.
  void solve(const ContactProblem& problem, std::span<const Restitution> laws, const SolveOptions& options,
             ImpactSolution& solution);

 private:
  void solve_along_path(const ContactProblem& problem, const Restitution& law, ImpactSolution& solution);
  bool solve_newton(const ContactProblem& problem, std::span<const Restitution> laws,
                    const SolveOptions& options, ImpactSolution& solution);
  void solve_two_phase(const ContactProblem& problem, std::span<const Restitution> laws,
                       const SolveOptions& options, ImpactSolution& solution);
  void make_expansion(const ContactProblem& problem, std::span<const Restitution> laws, double factor);
  double stored_work(const ContactProblem& problem, int contact) const;
  double returned_work(const ContactProblem& problem, std::span<const Restitution> laws) const;
  void gather(const ContactProblem& problem, ImpactSolution& solution);

  ContactSolver solver_;
  ContactProblem phase_;  // one problem of those above
  Solution compression_, expansion_;
  std::vector<double> restitution_impulse_;  // [rows] the normal impulses that expansion starts from
  std::vector<int>
      restitution_slot_;  // [contacts] the block of phase_ for the friction of its given impulse, or -1
  std::vector<double> v_restitution_;  // velocities after them
  BlockMatrix W_;
  DelassusScratch delassus_scratch_;
  std::vector<double> inverse_, response_, dense_;
  std::vector<int> row_pivot_, column_pivot_;
};

}  // namespace pawl::internal
