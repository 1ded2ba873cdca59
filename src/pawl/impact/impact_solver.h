#pragma once
// Resolves simultaneous impacts of the contacts of one problem by the laws of restitution (docs/impacts.md).

#include <array>
#include <span>
#include <vector>

#include <pawl/impact.h>
#include <pawl/math.h>
#include <pawl/problem/delassus.h>
#include <pawl/scene.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// The restitution of one contact.
struct Restitution {
  double e = 0;  // in [0, 1]
  RestitutionLaw law = RestitutionLaw::energetic;
  bool limit = false;  // of a joint limit: its work is counted apart
};

/// Work of the impulses of an impact, J.
struct ImpactWork {
  double stored = 0;    // ≥ 0: by normal impulses in compression, taken from the bodies
  double returned = 0;  // ≥ 0: by normal impulses in expansion
  double friction = 0;
  double joints = 0;
  double limits = 0;  // by joint limits

  double total() const { return returned - stored + friction + joints + limits; }
  ImpactWork& operator+=(const ImpactWork& other) {
    stored += other.stored;
    returned += other.returned;
    friction += other.friction;
    joints += other.joints;
    limits += other.limits;
    return *this;
  }
};

/// The impact of a single contact with the energetic law, along its trajectory in impulse space.
struct SingleContactImpact {
  Status status = Status::certified;
  std::string_view reason;    // why it was refused
  std::array<double, 3> p{};  // N s; 0 for rows that the contact lacks
  ImpactWork work;
  ImpactHistory history;
  int steps = 0;  // of the integration
};
/// True if the trajectory can be computed for the friction set: an ellipse, an interval, or no friction.
bool has_path(const FrictionSet& set, int rows);
/// A = J M⁻¹ Jᵀ and the velocity v before, in the order n, t, o; only the first `rows` entries count.
SingleContactImpact single_contact_impact(const Mat3& A, const Vec3& v, const FrictionSet& set, int rows,
                                          double e);

struct ImpactSolution {
  Status status = Status::refused;
  std::string_view reason;  // why it is not certified
  SolveMethod method = SolveMethod::none;
  std::vector<double> p;       // [rows] N s
  std::vector<double> u;       // [rows] m/s, after the impact
  std::vector<double> v_next;  // generalised velocities after the impact
  ImpactWork work;
  std::vector<ImpactHistory> histories;  // [contacts]; those of phases have no tangential pause
  Residual residual;
  int size = 0, iterations = 0, solves = 0;
};

/// Resolves impacts; v_free of a problem is the velocity just before. Reuses its memory.
///   Single contact, energetic law: exactly, along its trajectory in impulse space.
///   Newton's law: one problem, 0 ≤ u_n + e u_n⁻ ⊥ p_n ≥ 0, with friction at the final velocities.
///   Poisson's law, several energetic contacts, or mixed laws: two problems, compression and expansion. In
///   expansion the normal impulses are at least κ times the impulses of compression.
///     Poisson: κ = e.
///     Energetic: κ = s e, with one factor s such that these contacts together return Σ e² × stored work.
///   Friction over a whole phase may do positive work where its contact slides back. The phases are then
///   resolved in 2, 4, … parts, as the impulses grow.
class ImpactSolver {
 public:
  /// `laws` are the laws of the problem's contacts. ζ of the problem is ignored.
  void solve(const ContactProblem& problem, std::span<const Restitution> laws, const SolveOptions& options,
             ImpactSolution& solution);

 private:
  void solve_along_path(const ContactProblem& problem, const Restitution& law, ImpactSolution& solution);
  bool solve_newton(const ContactProblem& problem, std::span<const Restitution> laws,
                    const SolveOptions& options, ImpactSolution& solution);
  void solve_two_phase(const ContactProblem& problem, std::span<const Restitution> laws,
                       const SolveOptions& options, int parts, ImpactSolution& solution);
  bool compress(const ContactProblem& problem, std::span<const Restitution> laws, const SolveOptions& options,
                int parts);
  bool expand(const ContactProblem& problem, std::span<const Restitution> laws, const SolveOptions& options,
              double factor, int parts);
  void make_expansion(const ContactProblem& problem, std::span<const Restitution> laws, double factor,
                      int parts);
  void add_expansion(const ContactProblem& problem, std::span<const Restitution> laws);

  /// The sums over the parts of a phase.
  struct Phase : ImpactSolution {
    double energetic = 0;  // J: normal work of the contacts with the energetic law; × e² where it is stored
    void begin(std::span<const double> u_before, std::span<const double> v_before);
  };

  ContactSolver solver_;
  ContactProblem phase_;  // one of the problems above
  Solution part_;
  Phase compression_, expansion_;
  std::vector<double>
      part_impulse_;  // [rows] of a part of expansion; at first the prescribed normal impulses
  // [contacts] block of phase_ for the friction of the prescribed impulse, or -1
  std::vector<int> restitution_slot_;
  std::vector<double> u_before_;       // [rows] before a part of expansion
  std::vector<double> v_restitution_;  // generalised velocities after the prescribed impulses
  BlockMatrix W_;
  DelassusScratch delassus_scratch_;
  std::vector<double> inverse_, response_, dense_;
  std::vector<int> row_pivot_, column_pivot_;
};

}  // namespace pawl::internal
