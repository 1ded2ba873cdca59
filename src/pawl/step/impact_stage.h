#pragma once
// Impacts of bodies: which contacts meet in an instant, in which order they act, and what they do.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/impact/impact_solver.h>
#include <pawl/model/impulse_response.h>
#include <pawl/step/stepper.h>

namespace pawl::internal {

struct ImpactOutcome {
  int impacts = 0;  // problems resolved; 0: nothing closed
  Status status = Status::certified;
  std::string_view reason;  // why it is not certified
  SolveMethod method = SolveMethod::none;
  Residual residual;
  int problem_size = 0, solves = 0, iterations = 0;
  ImpactWork work;
  double kinetic = 0;         // J, after it
  double kinetic_change = 0;  // J
};

class ImpactStage {
 public:
  /// Shares the tables of the stepper, which must outlive it.
  ImpactStage(const Model& model, const RunOptions& options, const Stepper& stepper);

  /// Resolves an impact at q, if there is one: a contact with restitution whose gap is 0, or that is one of
  /// `closing_contacts` (sorted, as they are at q), and that closes faster than at rest; those of `resting`
  /// (sorted) do not. All contacts that touch take part. Changes v; where the answer is refused v stays as it
  /// was.
  ImpactOutcome resolve(double time, std::span<const double> q, std::span<const Contact> closing_contacts,
                        std::span<const ContactId> resting, std::span<double> v);

  /// Moves overlapping contacts with restitution apart: by the least displacement, in the measure of M, that
  /// leaves no overlap to first order. Velocities stay: a push would throw the bodies. Says whether q
  /// changed.
  bool project_positions(double time, std::span<double> q);

  // What the last impact was, contact by contact.
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<const Vec3> tangents() const { return tangents_; }
  std::span<const std::array<double, kContactRows>> impulses() const { return p_; }
  std::span<const std::array<double, kContactRows>> velocities() const { return u_; }  // after it
  std::span<const char> participated() const { return participated_; }

 private:
  void find_contacts(std::span<const Contact> closing_contacts);
  void prepare_masses();
  bool is_isolated(int contact) const;
  void resolve_single_contact(int contact, std::span<double> v, ImpactOutcome& outcome);
  void choose_blocks(double time, std::span<const double> q);
  int fastest_closing_contact() const;
  void assemble_contacts(std::span<const Contact> contacts, std::span<const double> v);
  void resolve_islands(int first, int count, bool elastic, std::span<double> v, ImpactOutcome& outcome);
  void resolve_sequentially(std::span<double> v, ImpactOutcome& outcome);
  void measure_velocities();

  const Model& model_;
  const RestitutionPolicy& restitution_policy_;
  ImpactOrder order_;
  const FrictionTable& friction_;
  const SolveOptions& solve_options_;
  double softness_;
  std::optional<ContactFinder> finder_;  // where anything bounces
  Kinematics kinematics_;
  double rest_speed_ = 0;
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  bool masses_known_ = false;  // of the placement
  ImpulseResponse response_;
  bool response_known_ = false;
  std::array<std::vector<double>, 3> columns_;  // [nv] of M⁻¹ Jᵀ
  Assembly assembly_;
  ImpactSolver solver_;
  ImpactSolution solution_;
  ContactSolver projection_solver_;
  Solution projection_;
  std::vector<Restitution> laws_;
  std::vector<Contact> contacts_;
  std::vector<Vec3> tangents_;
  std::vector<ConstraintBlock> blocks_;
  std::vector<char> block_active_, participated_;
  std::vector<double> zero_v_, v_start_, displacement_, q_projected_;
  std::vector<std::array<double, kContactRows>> p_, u_;
};

}  // namespace pawl::internal
