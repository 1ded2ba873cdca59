#pragma once
// Minimum-norm impulses, where several impulses give the same motion.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/impulse_cone.h>
#include <pawl/solve/contact/newton.h>
#include <pawl/solve/contact/primal_hessian.h>
#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

struct MinimumNormResult {
  bool unique = false;   // proven: no other impulses give the same motion under the same laws
  bool refined = false;  // x now holds the minimum-norm impulses; otherwise x is unchanged
  bool same = false;     // the minimum-norm impulses equal the previous x
  int iterations = 0;
  double error = 0;  // scaled natural map of x
};

/// Cheap sufficient test for unique impulses. If a single block of independent rows acts on a body, the
/// body's motion determines its impulses, and the block is removed; this repeats. Much cheaper than a rank,
/// and sufficient for balls and for bodies that hang or rest on one contact block.
class UniquenessCheck {
 public:
  /// Tests a problem in primal form, for any contact states. False is inconclusive.
  bool impulses_are_unique(const ContactProblem& problem);

 private:
  std::vector<int> acting_;    // [mass blocks] number of remaining blocks that act on it
  std::vector<char> waiting_;  // [blocks] 1 while not removed
};

/// In hyperstatic states velocities are unique and impulses are not. Among all impulses that give the same
/// velocities and obey the laws at these velocities, the minimum-norm impulses are unique. They are
/// equivariant under relabelling and mirroring of the contacts.
/// The norm is that of the impulses as posed (N s), with friction scaled by the radii: Σ p_n² + |p_f/e|².
/// Bilateral rows enter unscaled.
/// A problem in primal form is solved over its body velocities, so that the momentum is preserved to
/// rounding.
class MinimumNorm {
 public:
  /// x holds a solution. It is replaced if impulses of smaller norm satisfy the laws within the tolerance or
  /// as well as x did; velocities below the tolerance count as 0. W is assumed symmetric. Otherwise the
  /// result is still a solution, of nearly minimum norm. Requires friction sets that are polyhedra or
  /// round_parts; x is unchanged for others. `max_steps` limits the Newton steps of each attempt.
  MinimumNormResult refine(ScaledProblem& problem, double tolerance, std::span<double> x, int max_steps = 60);
  /// True if other impulses than the minimum-norm ones give the same motion. Call after refine(), unless it
  /// returned `unique`.
  bool has_other_solutions(ScaledProblem& problem, double tolerance, std::span<const double> x);

 private:
  struct Nearest {
    bool found = false;
    int iterations = 0;
  };

  static bool applies(const ScaledProblem& problem);
  void set_cones(const ScaledProblem& problem, double velocity_tolerance, std::span<const double> x);
  void set_weights(const ScaledProblem& problem);
  std::span<const ConeEdge> edges_of(const ImpulseCone& cone) const {
    return std::span(edges_).subspan(cone.first_edge, cone.edges);
  }
  void set_spans(const ScaledProblem& problem);
  bool has_more_impulses_than_velocities(const ScaledProblem& problem) const;
  bool full_rank(ScaledProblem& problem);
  Nearest find_nearest(ScaledProblem& problem, double tolerance, std::span<const double> centre,
                       std::span<const double> x0);
  double evaluate(ScaledProblem& problem, double lambda_target);
  double distance(std::span<const double> a, std::span<const double> b) const;
  void factor_range(ScaledProblem& problem);
  void factor(ScaledProblem& problem, double shift, std::span<const double> gain);
  void apply(ScaledProblem& problem, std::span<const double> x, std::vector<double>& y);
  void apply_transposed(ScaledProblem& problem, std::span<const double> y, std::span<double> x);

  std::vector<ImpulseCone> cones_;  // [contacts]
  std::vector<ConeEdge> edges_;     // of all polyhedral contacts
  std::vector<double> weight_;      // [rows] D², at most 1; the norm is ‖D x‖
  std::vector<double> gain_;        // [rows] D⁻²
  BlockLu lu_, range_lu_;
  BlockMatrix A_;
  PrimalHessian primal_hessian_;
  std::vector<double> G_;  // Jacobians times gains, block by block
  std::vector<int> offset_;
  /// [contacts] Jacobians of the projection, or projectors on the spans of the cones
  std::vector<ConeMatrix> projection_jacobians_, last_projection_jacobians_;
  Newton newton_;
  std::vector<double> x_, x0_;             // current point; point given
  std::vector<double> target_, residual_;  // motion of x0 (W x or Yᵀ x); its difference from the motion of x_
  std::vector<double> step_;               // of λ
  std::vector<double> z_, step_z_, last_z_, w_, trial_, centre_, zero_, first_;
  /// number of blocks that act on a body; blocks already removed
  std::vector<int> acting_, waiting_;
  int max_steps_ = 0;
};

}  // namespace pawl::internal
