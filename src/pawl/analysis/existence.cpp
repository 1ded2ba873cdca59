#include <pawl/analysis.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <pawl/analysis/self_stress.h>

namespace pawl {

using namespace internal;

namespace {

using Matrix = Eigen::MatrixXd;
using Indices = std::vector<int>;

constexpr double kRank = 1e-9;  // relative to rows of length 1; smaller singular values count as 0

/// Largest |d| of F(1), scaled by the radii.
double friction_set_radius(const FrictionSet& set, int dimensions) {
  if (set.kind == FrictionKind::mixed && dimensions == 3) return std::sqrt(2.0);
  if (set.kind != FrictionKind::polyhedron) return 1;
  double radius = 0;
  for (const FrictionVector& d : set.polyhedron->directions()) radius = std::max(radius, length(d));
  return radius;
}

/// Relevant rows of Y, friction scaled by the radii, and the row indices of each contact.
struct Reduced {
  Matrix Y;
  Indices normal;                 // [contacts]
  std::vector<Indices> friction;  // [contacts]
};

Reduced reduce(const AccelerationProblem& problem) {
  using Row = Eigen::RowVectorXd;
  const auto row = [&](int r) -> Row {
    return Eigen::Map<const Row>(problem.Y.data() + r * problem.rates, problem.rates);
  };
  Reduced out;
  std::vector<Row> rows;
  const auto add = [&](const Row& added) {
    rows.push_back(added);
    return static_cast<int>(rows.size()) - 1;
  };
  for (int c = 0; c < problem.contacts(); ++c) {
    const int begin = problem.begin[c], size = problem.size_of(c);
    const FrictionSet& set = problem.friction[c];
    out.normal.push_back(add(row(begin)));
    Indices& friction = out.friction.emplace_back();
    if (set.frictionless()) continue;
    if (problem.sliding[c] != 0) {
      Row along = Row::Zero(problem.rates);
      for (int i = 1; i < size; ++i) along += problem.direction[c][i - 1] * row(begin + i);
      friction.push_back(add(along));
    } else {
      for (int i = 1; i < size; ++i) friction.push_back(add(set.radii[i - 1] * row(begin + i)));
    }
  }
  out.Y.resize(static_cast<int>(rows.size()), problem.rates);
  for (std::size_t i = 0; i < rows.size(); ++i) out.Y.row(static_cast<int>(i)) = rows[i];
  return out;
}

double largest_eigenvalue(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

/// 2/√(λ₁ λ₂) over the friction of these contacts, λ₁ = λ_max(S⁻¹ (A⁻¹)_nn S⁻¹), λ₂ = λ_max(S A_ff S). Valid
/// for any S > 0. This S balances both factors for each contact, so that light and heavy bodies count
/// equally.
double friction_bound(const Reduced& rows, const Matrix& A, const Matrix& A_inverse,
                      const Indices& contacts) {
  Indices normals, frictions;
  std::vector<double> normal_scale, friction_scale;
  for (const int c : contacts) {
    const int n = rows.normal[c];
    const Indices& own = rows.friction[c];
    const double s = std::pow(A_inverse(n, n) / largest_eigenvalue(A(own, own)), 0.25);
    normals.push_back(n);
    normal_scale.push_back(1 / s);
    frictions.insert(frictions.end(), own.begin(), own.end());
    friction_scale.insert(friction_scale.end(), own.size(), s);
  }
  if (frictions.empty()) return std::numeric_limits<double>::infinity();
  const auto scaled = [](const Matrix& source, const Indices& indices, const std::vector<double>& scale) {
    const auto S =
        Eigen::Map<const Eigen::VectorXd>(scale.data(), static_cast<int>(scale.size())).asDiagonal();
    return Matrix(S * source(indices, indices) * S);
  };
  return 2 / std::sqrt(largest_eigenvalue(scaled(A_inverse, normals, normal_scale)) *
                       largest_eigenvalue(scaled(A, frictions, friction_scale)));
}

}  // namespace

std::string_view to_string(Verdict answer) {
  return answer == Verdict::yes ? "yes" : answer == Verdict::no ? "no" : "undecided";
}

Theorem1 apply_theorem_1(const AccelerationProblem& problem) {
  Theorem1 theorem;
  const Reduced rows = reduce(problem);
  Indices with_friction, sliding;
  for (int c = 0; c < problem.contacts(); ++c) {
    const FrictionSet& set = problem.friction[c];
    if (set.frictionless()) continue;
    with_friction.push_back(c);
    // The row of a sliding contact is already scaled by its point of the set.
    const bool slides = problem.sliding[c] != 0;
    const double mu = set.mu * (slides ? 1 : friction_set_radius(set, problem.size_of(c) - 1));
    theorem.friction = std::max(theorem.friction, mu);
    if (!slides) continue;
    sliding.push_back(c);
    theorem.sliding_friction = std::max(theorem.sliding_friction, mu);
  }
  theorem.all_rolling = sliding.empty();
  theorem.rows = static_cast<int>(rows.Y.rows());

  Matrix unit = rows.Y;
  for (int r = 0; r < theorem.rows; ++r) unit.row(r).stableNormalize();
  Eigen::VectorXd singular = Eigen::VectorXd::Zero(theorem.rows);
  if (unit.size() > 0) {
    const Eigen::VectorXd found = Eigen::BDCSVD<Matrix>(unit).singularValues();
    singular.head(found.size()) = found;
  }
  theorem.rank = static_cast<int>((singular.array() > kRank).count());
  if (theorem.rows > 0) theorem.least_eigenvalue = std::pow(singular[theorem.rows - 1], 2);

  if (theorem.positive_definite()) {
    // Via unit rows, the best conditioned factor: A = D U Uᵀ D.
    const Eigen::VectorXd inverse_lengths = rows.Y.rowwise().norm().cwiseInverse();
    const Matrix A = rows.Y * rows.Y.transpose();
    const Matrix A_inverse =
        inverse_lengths.asDiagonal() * (unit * unit.transpose()).inverse() * inverse_lengths.asDiagonal();
    theorem.existence_bound = friction_bound(rows, A, A_inverse, sliding);
    theorem.uniqueness_bound = friction_bound(rows, A, A_inverse, with_friction);
    theorem.condition_B = Verdict::yes;  // Jᵀ c = 0 only for c = 0
  } else if (theorem.all_rolling) {
    theorem.condition_B = check_condition_B(problem);
  }
  return theorem;
}

}  // namespace pawl
