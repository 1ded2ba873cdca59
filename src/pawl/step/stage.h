#pragma once
// The contact problems of one stage of a step: assembled once, then solved for several shifts of their rows.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/assemble/assemble.h>
#include <pawl/solver.h>
#include <pawl/step/history.h>

namespace pawl::internal {

using ContactValues = std::array<double, kContactRows>;  // n, t, o, r
using BlockValues = std::array<double, 3>;

/// Impulses of contacts and constraint blocks, with the bases for a warm start.
struct RowImpulses {
  std::vector<ContactValues> contact;  // N s and N m s; 0 for rows that the contact lacks
  std::vector<BlockValues> block;      // 0 for blocks that are not in the problem
  std::vector<ContactBasis> contact_basis, block_basis;

  void assign(std::size_t contacts, std::size_t blocks) {
    contact.assign(contacts, {});
    block.assign(blocks, {});
    contact_basis.assign(contacts, 0);
    block_basis.assign(blocks, 0);
  }
};

/// What became of the islands of a stage: the worst of each.
struct StageOutcome {
  Status status = Status::certified;
  SolveMethod method = SolveMethod::none;
  std::string_view reason;
  Residual residual;
  double start_residual = 0;  // of the impulses before solving
  bool solved = false;        // some impulses were not accepted as they were
  int problem_size = 0, solves = 0, iterations = 0;
};

/// Compliance of contacts while piles are solved, relative to W_nn: 1e-3 takes more centrings, 1e-5 more
/// iterations.
inline constexpr double kPileSoftness = 1e-4;

class Stage {
 public:
  Stage(const Model& model, const FrictionTable& friction, double softness);

  /// The contacts and blocks of the stage, and the motion v_free before their impulses act. The blocks have
  /// the bounds, stiffnesses and dampings that apply to this stage.
  struct Input {
    const Kinematics& kinematics;
    std::span<const Contact> contacts;
    std::span<const Vec3> tangents;
    std::span<const ConstraintBlock> blocks;
    std::span<const char> active;  // [blocks]
    const FreeMotion& motion;      // M, its factors and v_free
    double h;                      // s: the impulse of a force bound F is h F
  };
  /// Assembles the islands without shifts. `input` must stay valid until the next call.
  void assemble(const Input& input);
  /// Takes the friction of one of the assembled contacts away.
  void remove_friction(int contact);
  /// Sets the velocities that the rows have beyond J v: ζ of normal rows and limits, the shift of the others.
  void set_shifts(std::span<const ContactValues> contacts, std::span<const BlockValues> blocks);
  /// Replaces v_free; it must stay valid.
  void set_free_velocity(std::span<const double> v_free);
  /// v := v_free + M⁻¹ Jᵀ p.
  void velocities_after(const RowImpulses& p, std::span<double> v);
  /// How exactly solve() answers.
  struct Accuracy {
    double accepted = 0;  // islands with a larger residual are solved
    /// p is the answer of another step: small islands, which are cheap to solve, then need a smaller
    /// residual, lest bodies at rest creep.
    bool warm = true;
    /// Above 0, the residual of a large island need only fall to this fraction: a later pass improves on it.
    double fraction = 0;
    double speed_scale = 0;  // m/s: ContactProblem::speed_scale
    /// Compliance of contacts relative to W_nn, centred on the impulses before: u + C (p − p_before) takes
    /// the place of u. In piles the rigid law is nearly infeasible: loops of bodies wedge, and the impulses
    /// are not unique. Centred anew, impulses approach those of the rigid law. 0: rigid at once.
    double softness = 0;
    int centrings = 1;  // at most so many per call
  };
  /// Judges p island by island, and solves those that are not accurate enough, starting from p. Writes p and
  /// v.
  StageOutcome solve(const SolveOptions& options, const Accuracy& accuracy, RowImpulses& p,
                     std::span<double> v);
  /// Of all impulses with the motion of the last solve(), takes those of least norm. Velocities may change
  /// within the tolerance.
  void choose_least_norm(const SolveOptions& options, RowImpulses& p, std::span<double> v);
  /// Packs or unpacks what later steps depend on.
  void transfer(History& history) { history.transfer(calls_to_skip_); }
  void forget() { calls_to_skip_ = 0; }
  const Assembly& assembly() const { return assembly_; }
  std::span<const Contact> contacts() const { return contacts_; }
  /// The island with the largest residual; null if there is none.
  const Island* worst_island() const;
  const ContactProblem* worst_problem() const;
  /// True if a sliding contact may jam (Painlevé): one that presses harder the more it is pressed, because
  /// friction turns the bodies into each other. Several motions may then obey the laws, or none.
  bool may_jam();

 private:
  void gather(const Island& island, const RowImpulses& p);
  void set_compliance(Island& island, double softness);
  bool solve_softly(Island& island, const SolveOptions& options, const Accuracy& accuracy,
                    Solution& solution);
  void solve_island(const Island& island, const SolveOptions& options, double fraction, Solution& solution);
  void scatter(const Island& island, const Solution& solution, RowImpulses& p, std::span<double> v);
  void scatter_velocities(const Island& island, std::span<const double> from, std::span<double> v) const;

  const Model& model_;
  const FrictionTable& friction_;
  double softness_;
  std::vector<double> zero_v_;
  std::span<const Contact> contacts_;
  std::span<const ConstraintBlock> blocks_;
  std::span<const double> v_free_;
  double h_ = 0;
  int calls_to_skip_ = 0;  // of choose_least_norm()
  Assembly assembly_;
  ContactSolver solver_;
  JudgeScratch judge_;
  std::vector<Solution> solutions_;
  std::vector<double> p_, v_, response_, shift_;
  std::vector<ContactBasis> basis_;
};

}  // namespace pawl::internal
