#pragma once
// Where several impulses give the same motion: the ones of least norm.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/impulse_cone.h>
#include <pawl/solve/contact/newton.h>
#include <pawl/solve/contact/primal_hessian.h>
#include <pawl/solve/contact/scaled_problem.h>

namespace pawl::internal {

struct MinimumNormResult {
  bool unique = false;   // for sure: no other impulses give the same motion under the same laws
  bool refined = false;  // x now holds those of least norm; else it was left as it was
  bool same = false;     // they are those that x held before
  int iterations = 0;
  double error = 0;  // scaled natural map of x
};

/// Whether impulses follow from the motion of one body after the other. Where a single block of independent
/// rows acts on a body, that body's motion tells its impulses, and the block can be taken off; and so on. Far
/// less work than a rank, and enough for balls and for whatever hangs or rests on one place.
class UniquenessCheck {
 public:
  /// Of a factored problem, whatever its contacts do. No says nothing.
  bool impulses_are_unique(const ContactProblem& problem);

 private:
  std::vector<int> acting_;    // [mass blocks] how many blocks of rows are left on it
  std::vector<char> waiting_;  // [blocks]
};

/// In hyperstatic states velocities are unique and impulses are not. Of all impulses that give the same
/// velocities and obey the laws at these velocities, those of least norm are one, and follow a relabelling or
/// mirroring of the contacts. The norm is that of the impulses as posed (N s), friction in the measure of the
/// radii: Σ p_n² + |p_f/e|². Bilateral rows count as they are posed.
///
/// A factored problem is solved over the velocities of its bodies, so that the impulses found give the same
/// momentum to rounding.
class MinimumNorm {
 public:
  /// x holds a solution. It is replaced where impulses of less norm satisfy the laws within the tolerance, or
  /// as well as x did; velocities below the tolerance count as 0. W is taken to be symmetric: where it is
  /// not, the impulses found are still a solution, of nearly least norm.
  MinimumNormResult refine(ScaledProblem& problem, double tolerance, std::span<double> x);
  /// Whether other impulses than those of least norm give the same motion; after refine(), where it did not
  /// say unique.
  bool has_other_solutions(ScaledProblem& problem, double tolerance, std::span<const double> x);

 private:
  struct Nearest {
    bool found = false;
    int iterations = 0;
  };

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
  std::vector<ConeEdge> edges_;     // of all polyhedra
  std::vector<double> weight_;      // [rows] D², the norm is ‖D x‖; at most 1
  std::vector<double> gain_;        // [rows] D⁻²
  BlockLu lu_, range_lu_;
  BlockMatrix A_;
  PrimalHessian primal_hessian_;
  std::vector<double> G_;  // the slopes with their gains, block by block
  std::vector<int> offset_;
  std::vector<ConeMatrix> projection_jacobians_,
      last_projection_jacobians_;  // [contacts] of the projection, or projectors on cones' spans
  Newton newton_;
  std::vector<double> x_, x0_;             // present point, and the one given
  std::vector<double> target_, residual_;  // the motion of x0, and what that of x_ misses: W x or Yᵀ x
  std::vector<double> step_;               // of λ
  std::vector<double> z_, step_z_, last_z_, w_, trial_, centre_, zero_, first_;
  std::vector<int> acting_,
      waiting_;  // of a body: how many blocks act on it; blocks that have been taken off
};

}  // namespace pawl::internal
