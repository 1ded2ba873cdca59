#pragma once
// Alternating direction method of multipliers (ADMM). It converges slowly to full precision, but needs
// neither a good start nor a regular W.

#include <span>
#include <vector>

#include <pawl/linalg/block_lu.h>
#include <pawl/solve/contact/iterative.h>
#include <pawl/solve/contact/scaled_problem.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// Anderson acceleration of v := v + α r(v): combines the last steps so that r, if it were linear, would be
/// minimal.
class AndersonAcceleration {
 public:
  void resize(int n);
  void reset() { count_ = 0, has_last_ = false; }
  void push(std::span<const double> v, std::span<const double> r);
  /// v := the accelerated next v. Returns false and leaves v unchanged if no earlier steps are stored.
  bool step(double alpha, std::span<const double> r, std::span<double> v);

 private:
  static constexpr int kMemory = 10;
  std::span<double> dv(int k) { return std::span(dv_).subspan(k * n_, n_); }
  std::span<double> dr(int k) { return std::span(dr_).subspan(k * n_, n_); }

  std::size_t n_ = 0;
  int count_ = 0, next_ = 0;
  bool has_last_ = false;
  std::vector<double> dv_, dr_;  // [kMemory × n] differences of successive v and r
  std::vector<double> last_v_, last_r_;
};

class Admm {
 public:
  /// x holds the start and receives the best iterate.
  IterativeResult solve(ScaledProblem& problem, const AdmmOptions& options, std::span<double> x);

 private:
  void start(ScaledProblem& problem, std::span<const double> x);
  void update_z(const ScaledProblem& problem);
  void update_x(const ScaledProblem& problem);
  void set_slack(const ScaledProblem& problem, std::span<const double> w);
  void factor(const BlockMatrix& W);
  double spectral_penalty();
  void change_penalty(ScaledProblem& problem, double rho);

  double rho_ = 0;
  BlockLu lu_;
  BlockMatrix A_;  // W + ρ I
  std::vector<double> v_, x_, z_, lambda_, slack_, r_;
  std::vector<double> w_, best_, plain_;
  AndersonAcceleration anderson_;
  struct Pairs {  // arguments and values of the two maps
    std::vector<double> x, motion, z, law;
  };
  Pairs current_, previous_;  // of spectral_penalty()
};

}  // namespace pawl::internal
