#pragma once
// Where several impulses give the same motion: the ones of least norm.

#include <array>
#include <span>
#include <vector>

#include <pawl/solve/block_lu.h>
#include <pawl/solve/newton.h>
#include <pawl/solve/scaled_problem.h>

namespace pawl {

struct MinimumNormResult {
  bool unique = false;   // no other impulses give the same motion under the same laws
  bool refined = false;  // x now holds those of least norm; else it was left as it was
  int iterations = 0;
  double error = 0;  // scaled natural map of x
};

/// In hyperstatic states velocities are unique and impulses are not. Of all impulses that give the same
/// velocities and obey the laws at these velocities, those of least norm are one, and follow a relabelling or
/// mirroring of the contacts. The norm is that of the impulses as posed (N s), friction in the measure of the
/// radii: Σ p_n² + |p_f/e|². Bilateral rows count as they are posed.
class MinimumNorm {
 public:
  /// x holds a solution. It is replaced where impulses of less norm satisfy the laws within the tolerance, or
  /// as well as x did; velocities below the tolerance count as 0. W is taken to be symmetric: where it is
  /// not, the impulses found are still a solution, of nearly least norm.
  MinimumNormResult refine(ScaledProblem& problem, double tolerance, std::span<double> x);

  static constexpr int kMostContactRows = 4;
  /// The impulses that a contact may carry at its velocities, those of its friction cone that do the most
  /// work: K ∩ (w + μ h(-w_f) n)⊥, again a cone.
  struct Cone {
    /// Friction entries with |x| ≤ μ x_n; where they slide, x = μ x_n direction.
    struct Ball {
      int begin = 0, size = 0;
      bool slides = false;
      FrictionVector direction{};
    };
    bool closed = false;  // separates: carries nothing
    double mu = 0;
    std::array<Ball, 2> ball;
    int balls = 0;
    int first_edge = 0, edges = 0;  // polyhedra have no balls: their cones are spanned by edges
  };
  using Edge = std::array<double, kMostContactRows>;
  using Matrix = std::array<double, kMostContactRows * kMostContactRows>;

 private:
  struct Nearest {
    bool found = false;
    int iterations = 0;
  };

  void set_cones(const ScaledProblem& problem, double still, std::span<const double> x);
  void set_weights(const ScaledProblem& problem);
  std::span<const Edge> edges_of(const Cone& cone) const {
    return std::span(edges_).subspan(cone.first_edge, cone.edges);
  }
  void set_spans(const ScaledProblem& problem);
  void factor_range(const BlockMatrix& W);
  bool full_rank(ScaledProblem& problem);
  bool admits_others(ScaledProblem& problem, double tolerance, std::span<const double> x);
  Nearest find_nearest(ScaledProblem& problem, double tolerance, std::span<const double> centre,
                       std::span<const double> x0);
  double evaluate(ScaledProblem& problem, double lambda_W_x0);
  double distance(std::span<const double> a, std::span<const double> b) const;
  void assemble(const BlockMatrix& W, double shift, std::span<const double> gain);

  std::vector<Cone> cones_;     // [contacts]
  std::vector<Edge> edges_;     // of all polyhedra
  std::vector<double> weight_;  // [rows] D², the norm is ‖D x‖; at most 1
  std::vector<double> gain_;    // [rows] D⁻²
  BlockLu lu_, range_lu_;
  BlockMatrix A_;
  std::vector<Matrix> slopes_;  // [contacts] of the projection, or projectors on the cones' spans
  Newton newton_;
  std::vector<double> x_, x0_, W_x0_;  // present point, the one given, and W x0
  std::vector<double> z_, step_z_, last_z_, residual_;
  std::vector<double> w_, step_, trial_, centre_, zero_, first_;
};

}  // namespace pawl
