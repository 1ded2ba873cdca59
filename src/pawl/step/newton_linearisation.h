#pragma once
// Newton's method for a step whose matrices are evaluated at its own end [TrinkleTzitzourisPang2001, 4].

#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>

namespace pawl::internal {

/// With velocities r, which lead to q⁺ = q ⊕ h r, the equations of the step are
///   R(r) = J(r)ᵀ p,   R = M(r) (v⁺ − v_free(r)),   v⁺ = r − drift(r),
/// and the contact laws between p and u(r) = J(r) v⁺, with the exact gap in the normal rows. To first order
/// about r̂ and p̂,
///   R̂ + K (r − r̂) = Ĵᵀ p,   u = û + U (r − r̂),   K = ∂(R − Jᵀ p̂)/∂r,   U = ∂u/∂r.
/// This is a contact problem with W = U K⁻¹ Ĵᵀ. Complementarity is not linearised (Josephy-Newton method), so
/// the solvers, not a merit function, choose the contact states.
///
/// K and U are finite differences of the assembled problem. Their errors slow down convergence but do not
/// affect the accuracy.
class NewtonLinearisation {
 public:
  NewtonLinearisation(const Model& model, const Method& method, const FrictionTable& friction,
                      int contact_points);

  /// The point of linearisation, and the problem assembled there.
  struct Point {
    std::span<const double> q, v;  // at the start of the step
    StepClock clock;
    std::span<const double> rates;  // r̂
    const Kinematics& kinematics;
    std::span<const Contact> contacts;
    std::span<const ConstraintBlock> blocks;
    std::span<const char> active;  // [blocks]
    const FreeMotion& motion;
    const Assembly& assembly;
  };
  /// Clears the list of islands.
  void start() { linearised_in_use_ = 0; }
  /// Adds an island, linearised about impulses p̂. Returns false if it is too large for dense algebra.
  bool add(const Point& point, int island, std::span<const double> p);
  /// Linearises all added islands.
  void linearise(const Point& point);

  /// True if K of the i-th added island is regular; otherwise it has no linearised problem.
  bool is_regular(int i) const { return linearised_[i].regular; }
  /// The linearised problem of the i-th added island.
  const ContactProblem& problem(int i) const { return linearised_[i].problem; }
  /// Writes the velocities r that follow from the impulses of the i-th added island.
  void velocities_after(const Point& point, int i, std::span<const double> p, std::span<double> rates) const;

 private:
  struct LinearisedIsland {
    int island = 0;
    int rates = 0;  // number of velocities
    // m: max distance of its contacts and joints from the centres of mass; scales rotations
    double length = 0;
    std::vector<double> p;  // p̂ [rows]
    // [rates] v_free; for fictitious masses, the velocity at the linearisation
    std::vector<double> own_v_free;
    std::vector<double> R;     // [rates] R̂ − Ĵᵀ p̂
    std::vector<double> u;     // [rows] û, with ζ in the normal rows
    std::vector<double> K;     // [rates × rates]
    std::vector<double> U;     // [rows × rates]
    std::vector<double> X;     // [rows × rates] row r is K⁻¹ Ĵᵀ e_r
    std::vector<double> free;  // [rates] −K⁻¹ R̂: change of velocities without impulses
    std::vector<int> pivot;
    bool regular = false;  // K is regular, and the problem is condensed
    double step = 0;       // of the finite difference
    ContactProblem problem;
  };
  void evaluate(const Island& island, const FreeMotion& motion, std::span<const double> rates,
                const LinearisedIsland& linearised, std::span<double> R, std::span<double> u);
  void add_fictitious_mass_columns(const Island& island, LinearisedIsland& linearised) const;
  void condense(const Point& point, LinearisedIsland& linearised);

  const Model& model_;
  const Method& method_;
  const FrictionTable& friction_;
  int contact_points_;
  std::vector<LinearisedIsland> linearised_;
  int linearised_in_use_ = 0;
  // Scratch of a finite difference.
  std::vector<double> rates_, q_, v_end_, R_, u_;
  std::vector<Contact> contacts_;
  std::vector<ConstraintBlock> blocks_;
  Kinematics kinematics_;
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  Assembly assembly_;
};

}  // namespace pawl::internal
