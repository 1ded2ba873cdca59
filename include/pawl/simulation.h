#pragma once
// One scene in motion: its state, and the step that advances it.

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/contact_problem.h>
#include <pawl/joint_forces.h>
#include <pawl/model.h>
#include <pawl/report.h>
#include <pawl/run_options.h>

namespace pawl {

class Simulation {
 public:
  /// Keeps a copy of the model, on which its inputs act. Throws Error for invalid options (unknown method,
  /// step ≤ 0).
  Simulation(const Model& model, const RunOptions& options);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances to the next multiple of the nominal step, or less if the step was halved. Numerics never throw:
  /// read the status. A refused step leaves the state unchanged.
  StepReport step();

  // Inputs. They hold from the next step on until they are changed, and are no part of the state.

  /// One value per name of control_names() (model.h): the target of a motor (rad/s or m/s, rad or m), the
  /// force of a joint (N m or N), the factor of a wrench. NaN: as the scene says, which is how all begin.
  std::span<double> control();
  /// The index of a name in control(). Throws Error if there is none.
  int control_index(std::string_view name) const;
  /// Adds a wrench, in world axes, at a point of a body's frame as written in the scene (m), until
  /// clear_wrenches(). Throws Error if there is no such body.
  void apply_wrench(int body, const Wrench& wrench, const Vec3& point = {});
  void clear_wrenches();
  /// Takes over controls and wrenches. Throws Error if the other simulation has another number of inputs.
  void copy_inputs(const Simulation& other);
  /// Called before each step, to set inputs.
  void before_step(std::function<void(Simulation&)> callback);
  /// The model with the inputs as they are now.
  const Model& model();

  // Forces of the last step, averages over it; NaN where it has no forces: before the first step, after a
  // refused one, or one of the last resort.

  /// Joints of bodies, in the order of bodies, without free bodies and welds; then constraint joints.
  /// Impulses of impacts in constraint joints are not included.
  std::vector<JointForces> joint_forces() const;
  /// The sum of the contact forces on a body, or of those by one other body, about the origin of its frame.
  /// Throws Error if there is no such body.
  Wrench contact_wrench(int body, int other = -1) const;

  double time() const;
  /// True once the first time of the grid at or after the run's `until` is reached.
  bool at_end() const;
  const State& state() const;
  /// The contacts of the last step, in a stable order.
  std::span<const ContactRecord> contacts() const;
  /// The events of the impacts of the last step, in order.
  std::span<const ImpactRecord> impacts() const;
  /// Energies now, and work since the start.
  const EnergyLedger& energy() const;
  /// Continues from a state of this model, and starts the energy ledger anew. Throws Error if the state does
  /// not fit the model, or its history the method.
  void reset(const State& state);
  /// The same with the ledger that energy() had at that state: all reports continue bit for bit.
  void reset(const State& state, const EnergyLedger& energy);
  /// The contact problem of the last step with the largest residual, to be written by write_problem()
  /// (problem_file.h). Null if the step had none.
  const ContactProblem* worst_problem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl
