#include "summary_text.h"

#include <fmt/format.h>

#include "table.h"

namespace pawl::internal::cli {
namespace {

std::string worst_text(const WorstValue& worst, const char* unit) {
  if (worst.value == 0) return "0";
  return fmt::format("{:.2e}{} at t = {:.6g} s", worst.value, unit, worst.time);
}

/// "ball and table", "ball" if both are the same, "" if none is known.
std::string names_text(std::int32_t a, std::int32_t b, const TrajectoryInfo& info) {
  const auto name = [&](std::int32_t body) -> std::string {
    const auto i = static_cast<std::size_t>(body);
    return body >= 0 && i < info.bodies.size() ? info.bodies[i] : "?";
  };
  if (a == 0 && b == 0) return "";
  return a == b ? name(a) : fmt::format("{} and {}", name(a), name(b));
}

}  // namespace

std::string reason_text(const RunSummary& s, const TrajectoryInfo& info) {
  if (s.first_reason.empty()) return "";
  const std::string names = names_text(s.first_body_a, s.first_body_b, info);
  return fmt::format(" ({}{}{})", s.first_reason, names.empty() ? "" : ": ", names);
}

namespace {

std::string steps_text(const RunSummary& s, const TrajectoryInfo& info) {
  if (s.certified == s.steps) return fmt::format("{}, all certified", s.steps);
  std::string text = fmt::format("{}: {} certified, {} approximate", s.steps, s.certified, s.approximate);
  if (s.refused > 0) text += fmt::format(", {} refused", s.refused);
  return text + fmt::format("; the first that is not at t = {:.6g} s{}", s.first_uncertified.value_or(0),
                            reason_text(s, info));
}

std::string impacts_text(const RunSummary& s) {
  std::string text =
      fmt::format("{}: {:.4g} J stored, {:.4g} J returned", s.impacts, s.end.stored, s.end.returned);
  if (s.impact_gain_steps > 0) {
    text += fmt::format("; {} of them gained energy, {:.3g} J, as their law lets them", s.impact_gain_steps,
                        s.impact_energy_gain);
  }
  if (s.inelastic_steps > 0) {
    text += fmt::format("; too many in {} steps, where contacts did not bounce, the first at t = {:.6g} s",
                        s.inelastic_steps, s.first_inelastic.value_or(0));
  }
  return text;
}

}  // namespace

std::string summary_text(const RunSummary& s, const TrajectoryInfo& info) {
  Table table;
  table.add({"steps", steps_text(s, info)});
  if (s.lacking_steps > 0) {
    const std::string names = names_text(s.first_lack_body_a, s.first_lack_body_b, info);
    table.add(
        {"motion",
         fmt::format("{} of the certified steps have a motion that lacks accuracy, the first in its {}{}",
                     s.lacking_steps, s.first_lack, names.empty() ? "" : fmt::format(" ({})", names))});
  }
  if (s.ambiguous_steps > 0) {
    table.add(
        {"ambiguous", fmt::format("{} steps, whose motion may not be the only one; the first at t = {:.6g} s",
                                  s.ambiguous_steps, s.first_ambiguous.value_or(0))});
  }
  table.add({"worst residual",
             fmt::format("{}  (tolerance {:.0e})", worst_text(s.natural_map, ""), info.tolerance)});
  table.add({"deepest overlap", worst_text(s.gap_violation, " m")});
  if (s.joint_violation.value > 0 || s.bilateral.value > 0) {
    table.add(
        {"joints", fmt::format("largest error {}; rows met to {}",
                               worst_text(s.joint_violation, " (m or rad)"), worst_text(s.bilateral, ""))});
  }
  table.add({"momentum balance", worst_text(s.momentum, "")});
  table.add({"contacts", fmt::format("at most {}, {:.3g} on average; problems of at most {} rows",
                                     s.max_contacts, s.mean_contacts(), s.max_problem_size)});
  if (s.impacts > 0) table.add({"impacts", impacts_text(s)});
  if (s.max_halvings > 0) table.add({"halved steps", fmt::format("up to {} times", s.max_halvings)});
  const double start = s.start.kinetic + s.start.potential, end = s.end.kinetic + s.end.potential;
  table.add({"energy", fmt::format("{:.6g} J → {:.6g} J; the ledger closes to {:.1e}", start, end,
                                   s.relative_imbalance())});
  table.add({"", fmt::format("contacts {:.4g} J, stabilisation {:.2g} J, friction {:.4g} J, joints {:.2g} J, "
                             "limits {:.4g} J, motors {:.4g} J, applied {:.4g} J, discretisation {:.2g} J",
                             s.end.normal, s.end.stabilisation, s.end.friction, s.end.joints, s.end.limits,
                             s.end.motors, s.end.applied, s.end.discretisation)});
  if (s.wall_seconds && s.steps > 0) {
    const double wall = *s.wall_seconds;
    table.add({"time", fmt::format("{}: {} a step, {:.3g}× real time", duration_text(wall),
                                   duration_text(wall / static_cast<double>(s.steps)), s.end_time / wall)});
  }
  return fmt::format("{}: {}, h = {:g} s, {:.6g} s simulated\n{}", info.scene_name, info.method, info.step,
                     s.end_time, table.text());
}

std::string warning_text(const RunSummary& s) {
  std::string text;
  if (s.ambiguous_steps > 0)
    text += fmt::format("note: the motion of {} steps may not be the only one, the first at t = {:.6g} s\n",
                        s.ambiguous_steps, s.first_ambiguous.value_or(0));
  if (s.inelastic_steps > 0)
    text += fmt::format(
        "note: too many impacts in {} steps, where contacts did not bounce, the first at t = {:.6g} s\n",
        s.inelastic_steps, s.first_inelastic.value_or(0));
  return text;
}

Json summary_json(const RunSummary& s, const TrajectoryInfo& info) {
  const auto worst = [](const WorstValue& w) { return Json{{"value", w.value}, {"time", w.time}}; };
  Json out{
      {"scene", info.scene_name},
      {"scene_file", info.scene_file},
      {"method", info.method},
      {"step", info.step},
      {"tolerance", info.tolerance},
      {"end_time", s.end_time},
      {"steps", s.steps},
      {"certified", s.certified},
      {"approximate", s.approximate},
      {"refused", s.refused},
      {"first_uncertified", nullptr},
      {"first_reason", s.first_reason},
      {"first_bodies", nullptr},
      {"lacking_steps", s.lacking_steps},
      {"ambiguous_steps", s.ambiguous_steps},
      {"worst_local_error", worst(s.local_error)},
      {"worst_natural_map", worst(s.natural_map)},
      {"worst_momentum", worst(s.momentum)},
      {"worst_bilateral", worst(s.bilateral)},
      {"worst_gap_violation", worst(s.gap_violation)},
      {"worst_joint_violation", worst(s.joint_violation)},
      {"max_contacts", s.max_contacts},
      {"mean_contacts", s.mean_contacts()},
      {"max_problem_size", s.max_problem_size},
      {"max_halvings", s.max_halvings},
      {"iterations", s.iterations},
      {"impacts", s.impacts},
      {"inelastic_steps", s.inelastic_steps},
      {"impact_gains", s.impact_gain_steps},
      {"impact_gain", s.impact_energy_gain},
      {"energy",
       {{"start", s.start.kinetic + s.start.potential},
        {"end", s.end.kinetic + s.end.potential},
        {"kinetic", s.end.kinetic},
        {"potential", s.end.potential},
        {"normal", s.end.normal},
        {"stabilisation", s.end.stabilisation},
        {"friction", s.end.friction},
        {"joints", s.end.joints},
        {"limits", s.end.limits},
        {"motors", s.end.motors},
        {"applied", s.end.applied},
        {"discretisation", s.end.discretisation},
        {"imbalance", s.end.imbalance},
        {"stored", s.end.stored},
        {"returned", s.end.returned},
        {"relative_imbalance", s.relative_imbalance()}}},
  };
  if (s.first_uncertified) out["first_uncertified"] = *s.first_uncertified;
  if (s.first_body_a != 0 || s.first_body_b != 0)
    out["first_bodies"] = {info.bodies[s.first_body_a], info.bodies[s.first_body_b]};
  if (s.wall_seconds) out["wall_seconds"] = *s.wall_seconds;
  return out;
}

}  // namespace pawl::internal::cli
