#pragma once
// Resolves impacts between bodies: the contacts that take part, their order, and their impulses.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <pawl/assemble/assemble.h>
#include <pawl/collision/contact_finder.h>
#include <pawl/impact/impact_solver.h>
#include <pawl/model/impulse_response.h>
#include <pawl/report.h>
#include <pawl/step/named_bodies.h>
#include <pawl/step/restitution_policy.h>

namespace pawl::internal {

struct ImpactOutcome {
  int impacts = 0;  // number of problems resolved; 0: no contact was closing
  Status status = Status::certified;
  std::string_view reason;  // why it is not certified
  NamedBodies named;        // the bodies that the reason is about
  SolveMethod method = SolveMethod::none;
  Residual residual;
  int problem_size = 0, solves = 0, iterations = 0;
  ImpactWork work;
  double kinetic = 0;         // J, after the impact
  double kinetic_change = 0;  // J
};

/// The events of one contact in one impact.
struct ContactHistory {
  int contact = 0;  // index into contacts()
  int impact = 0;   // number of the impact, from 0
  ImpactHistory history;
};

class ImpactStage {
 public:
  /// The tables must outlive this object.
  ImpactStage(const Model& model, const RunOptions& options, const RestitutionPolicy& restitution_policy,
              const FrictionTable& friction, const SolveOptions& solve_options, double softness);

  /// Resolves the impact of the given contacts (at q, sorted) and of joint limits with an error of at most
  /// `limit_gap`, if any of them closes faster than `rest_speed`. Changes v; leaves it unchanged if the
  /// impact is refused.
  ImpactOutcome resolve_touching(double time, std::span<const double> q, std::span<const Contact> contacts,
                                 double rest_speed, double limit_gap, std::span<double> v);

  /// Resolves an impact at q if there is one. It needs a contact with restitution that closes faster than the
  /// rest speed and either has gap 0 or is in `closing_contacts` (sorted, at q). Contacts in `resting`
  /// (sorted) do not start an impact. All touching contacts take part. Changes v; leaves v unchanged if the
  /// impact is refused.
  ImpactOutcome resolve(double time, std::span<const double> q, std::span<const Contact> closing_contacts,
                        std::span<const ContactId> resting, std::span<double> v);

  /// Separates penetrating contacts with restitution: applies the smallest displacement, in the M-norm,
  /// without penetration to first order. Velocities stay unchanged, because a velocity correction would throw
  /// the bodies apart. Returns true if q changed.
  bool project_positions(double time, std::span<double> q);

  // The last impact, contact by contact.
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<const Vec3> tangents() const { return tangents_; }
  std::span<const std::array<double, kContactRows>> impulses() const { return p_; }
  std::span<const std::array<double, kContactRows>> velocities() const { return u_; }  // after the impact
  std::span<const char> participated() const { return participated_; }
  std::span<const ContactHistory> histories() const { return histories_; }

 private:
  void begin(std::span<const double> q, std::span<const double> v);
  void resolve_all(std::span<double> v, ImpactOutcome& outcome);
  bool limit_closes() const;
  void find_contacts(std::span<const Contact> closing_contacts);
  void prepare_masses();
  bool is_isolated(int contact) const;
  void resolve_single_contact(int contact, std::span<double> v, ImpactOutcome& outcome);
  void choose_blocks(double time, std::span<const double> q, double limit_gap);
  int fastest_closing_contact() const;
  void assemble_contacts(std::span<const Contact> contacts, std::span<const double> v);
  void resolve_islands(int first, int count, bool elastic, std::span<double> v, ImpactOutcome& outcome);
  void resolve_sequentially(std::span<double> v, ImpactOutcome& outcome);
  void measure_velocities();

  const Model& model_;
  const RestitutionPolicy& restitution_policy_;
  ImpactOrder order_;
  const FrictionTable& friction_;
  SolveOptions solve_options_;
  double softness_;
  std::optional<ContactFinder> finder_;  // set if any contact has restitution
  Kinematics kinematics_;
  double rest_speed_ = 0;
  DynamicsScratch dynamics_;
  FreeMotion motion_;
  bool masses_known_ = false;  // at the current configuration
  ImpulseResponse response_;
  bool response_known_ = false;
  std::array<std::vector<double>, 3> columns_;  // [nv] columns of M⁻¹ Jᵀ
  Assembly assembly_;
  ImpactSolver solver_;
  ImpactSolution solution_;
  ContactSolver projection_solver_;
  Solution projection_;
  std::vector<Restitution> laws_;
  std::vector<Contact> contacts_;
  std::vector<Vec3> tangents_;
  std::vector<ConstraintBlock> blocks_;
  std::vector<ContactHistory> histories_;
  std::vector<char> block_active_, participated_;
  std::vector<double> zero_v_, v_start_, v_now_, displacement_, q_projected_;
  std::vector<std::array<double, kContactRows>> p_, u_;
};

}  // namespace pawl::internal
