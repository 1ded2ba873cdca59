#include <pawl/step/run.h>

#include <algorithm>
#include <cmath>

#include <pawl/step/impact_stage.h>

namespace pawl::internal {
namespace {

constexpr double kGainRounding = 1e-12;  // relative to the kinetic energy: a smaller gain is rounding
// Relative to the velocities at the contact: slower contacts stick.
constexpr double kStickingFraction = 1e-8;

}  // namespace

ContactRecord record_of(const Contact& contact) {
  ContactRecord record;
  record.body_a = contact.body_a;
  record.body_b = contact.body_b;
  record.shape_a = contact.id.shape_a;
  record.shape_b = contact.id.shape_b;
  record.feature = contact.id.feature;
  return record;
}

void add_impact_record(const ContactRecord& impact, std::vector<ContactRecord>& records) {
  const auto same = std::ranges::find_if(records, [&](const ContactRecord& record) {
    return record.shape_a == impact.shape_a && record.shape_b == impact.shape_b &&
           record.feature == impact.feature;
  });
  if (same == records.end()) {
    records.push_back(impact);
    return;
  }
  // The axes of the two may differ.
  const Vec3 impulse = impact.impulse[0] * impact.normal + impact.impulse[1] * impact.tangent +
                       impact.impulse[2] * cross(impact.normal, impact.tangent);
  same->impulse[0] += dot(same->normal, impulse);
  same->impulse[1] += dot(same->tangent, impulse);
  same->impulse[2] += dot(cross(same->normal, same->tangent), impulse);
  same->impulse[3] += impact.impulse[3];
  same->velocity = impact.velocity;
  same->state = impact.state;
}

void record_impact(const ImpactStage& impacts, std::vector<ContactRecord>& records) {
  for (std::size_t c = 0; c < impacts.contacts().size(); ++c) {
    const Contact& source = impacts.contacts()[c];
    const auto &p = impacts.impulses()[c], &u = impacts.velocities()[c];
    if (!(p[0] > 0)) continue;
    ContactRecord record = record_of(source);
    record.point = 0.5 * (source.point_a + source.point_b);
    record.normal = source.normal;
    record.tangent = impacts.tangents()[c];
    record.gap = source.gap;
    record.impulse = p;
    record.velocity = u;
    const double slip = std::hypot(u[1], u[2]), size = std::max(slip, std::abs(u[0]));
    record.state = u[0] > kStickingFraction * size    ? ContactState::separating
                   : slip <= kStickingFraction * size ? ContactState::sticking
                                                      : ContactState::sliding;
    add_impact_record(record, records);
  }
}

void record_events(const ImpactStage& impacts, double time, int first, std::vector<ImpactRecord>& events) {
  for (const ContactHistory& own : impacts.histories()) {
    const Contact& contact = impacts.contacts()[own.contact];
    for (int i = 0; i < own.history.count; ++i) {
      const ImpactPhase& phase = own.history.phase[i];
      events.push_back({time, first + own.impact, contact.body_a, contact.body_b, contact.id.shape_a,
                        contact.id.shape_b, contact.id.feature, phase.event, phase.p_n, phase.E_n,
                        phase.E_f});
    }
  }
}

void count_impact(const ImpactOutcome& outcome, StepReport& report, EnergyLedger& energy) {
  report.impacts += outcome.impacts;
  report.solves += outcome.solves;
  report.iterations += outcome.iterations;
  report.problem_size = std::max(report.problem_size, outcome.problem_size);
  report.residual = worst(report.residual, outcome.residual);
  energy.stored += outcome.work.stored;
  energy.returned += outcome.work.returned;
  energy.normal += outcome.work.returned - outcome.work.stored;
  energy.friction += outcome.work.friction;
  energy.joints += outcome.work.joints;
  energy.limits += outcome.work.limits;
  energy.imbalance += outcome.kinetic_change - outcome.work.total();
  if (outcome.kinetic_change > kGainRounding * outcome.kinetic) report.impact_gain += outcome.kinetic_change;
  energy.kinetic = outcome.kinetic;
}

}  // namespace pawl::internal
