#pragma once
// Newton's method for a step whose matrices are taken at its own end [Trinkle2001, 4].

#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>

namespace pawl::internal {

/// At rates r, which lead to q⁺ = q ⊕ h r, the step asks for
///   R(r) = J(r)ᵀ p,  R = M(r) (v⁺ - v_free(r)),  v⁺ = r - drift(r),
/// and for the laws of contact between p and u(r) = J(r) v⁺, with the gap itself in the normal rows. About r̂
/// and p̂ that is, to first order, R̂ + K (r - r̂) = Ĵᵀ p and u = û + U (r - r̂), with K = ∂(R - Jᵀ p̂)/∂r and
/// U = ∂u/∂r: a contact problem with W = U K⁻¹ Ĵᵀ. Its complementarity is kept as it is (Josephy's Newton
/// method), so that the solvers' Newton steps, and not a merit function, pass from one contact state to
/// another.
///
/// K and U come from differences of the assembled problem: an error in them costs speed of convergence and
/// no accuracy.
class NewtonLinearisation {
 public:
  NewtonLinearisation(const Model& model, const Method& method, const FrictionTable& friction,
                      int contact_points);

  /// Where to linearise, and what was assembled there.
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
  /// Clears the list of islands to be linearised.
  void start() { linearised_in_use_ = 0; }
  /// Adds an island, about impulses p̂. False where it is too large for the dense algebra here.
  bool add(const Point& point, int island, std::span<const double> p);
  /// Linearises all islands that were added.
  void linearise(const Point& point);

  /// Whether the i-th island added has a linearised problem: where motion and impulses are not determined by
  /// each other, it has none.
  bool is_regular(int i) const { return linearised_[i].regular; }
  /// The linearised problem of the i-th island added.
  const ContactProblem& problem(int i) const { return linearised_[i].problem; }
  /// Writes the rates that follow from its impulses.
  void velocities_after(const Point& point, int i, std::span<const double> p, std::span<double> rates) const;

 private:
  struct LinearisedIsland {
    int island = 0;
    int rates = 0;  // count
    double length =
        0;  // m: of its contacts and joints from their bodies' centres, by which turns are measured
    std::vector<double> p;  // p̂ [rows]
    std::vector<double>
        own_v_free;            // [rates] v_free; of masses that are no bodies', where they are linearised
    std::vector<double> R;     // [rates] R̂ - Ĵᵀ p̂
    std::vector<double> u;     // [rows] with ζ in the normal rows
    std::vector<double> K;     // [rates × rates]
    std::vector<double> U;     // [rows × rates]
    std::vector<double> X;     // [rows × rates] rows K⁻¹ Ĵᵀ e
    std::vector<double> free;  // [rates] -K⁻¹ R̂: the change of rates without impulses
    std::vector<int> pivot;
    bool regular = false;  // K is, and the problem is condensed
    double step = 0;       // of the difference being taken
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
  // Of a difference.
  std::vector<double> rates_, q_, v_end_, R_, u_;
  std::vector<Contact> contacts_;
  std::vector<ConstraintBlock> blocks_;
  Kinematics kinematics_;
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  Assembly assembly_;
};

}  // namespace pawl::internal
