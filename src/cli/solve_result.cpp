#include "solve_result.h"

#include <algorithm>

#include <fmt/format.h>

#include "problem_methods.h"
#include "table.h"

namespace pawl::internal::cli {

std::vector<ResidualEntry> residuals(const Residual& r, const ContactProblem& problem) {
  bool friction = false, cones = false;
  for (int c = 0; c < problem.contacts; ++c) {
    const FrictionSet& set = problem.friction[c];
    const bool has_friction = !set.frictionless() && problem.friction_rows(c) > 0;
    friction = friction || has_friction;
    cones = cones || !has_friction || set.kind == FrictionKind::ellipsoid;
  }
  std::vector<ResidualEntry> out{{"natural map", r.natural_map, ""}};
  if (cones) out.push_back({"cone map", r.cone_map, ""});
  if (problem.primal()) out.push_back({"momentum", r.momentum, ""});
  if (problem.blocks() > problem.contacts) out.push_back({"bilateral", r.bilateral, ""});
  if (problem.contacts > 0) {
    out.push_back({"penetration rate", r.penetration_rate, " m/s"});
    out.push_back({"tension", r.tension, " N s"});
    out.push_back({"complementarity", r.complementarity, " J"});
  }
  if (friction) {
    out.push_back({"friction excess", r.friction_excess, " N s"});
    out.push_back({"work defect", r.work_defect, " J"});
    out.push_back({"energy gain", r.energy_gain, " J"});
  }
  return out;
}

std::vector<ResidualEntry> residuals(const LcpResidual& r, const MixedLcp& lcp) {
  std::vector<ResidualEntry> out;
  if (std::ranges::count(lcp.free, 0) > 0) out.push_back({"natural map", r.natural_map, ""});
  if (std::ranges::count(lcp.free, 1) > 0) out.push_back({"equations", r.equation, ""});
  return out;
}

Json to_json(const std::string& file, const std::string& method, const SolveResult& result) {
  Json out{{"format", "pawl-solution"}, {"version", 1}, {"problem", file}, {"kind", to_string(result.kind)}};
  if (!method.empty()) out["method"] = method;
  out["tolerance"] = result.tolerance;
  out["status"] = to_string(result.status);
  out["reason"] = result.reason;
  if (!method.empty()) {
    out["found_by"] = result.found_by;
    out["seconds"] = result.seconds;
  }
  Json residual = Json::object();
  for (const ResidualEntry& residual_entry : result.residuals) {
    std::string name = residual_entry.name;
    std::ranges::replace(name, ' ', '_');
    residual[name] = result.has_solution() ? Json(residual_entry.value) : Json();
  }
  out["residual"] = std::move(residual);
  out.update(result.details);
  return out;
}

std::string to_text(const std::string& file, const std::string& method, const SolveResult& result) {
  Table table;
  table.add({"status", fmt::format("{}{}{}", to_string(result.status), result.reason.empty() ? "" : ": ",
                                   result.reason)});
  table.add({"problem", fmt::format("{}: {}", to_string(result.kind), result.size)});
  if (!method.empty()) table.add({"method", method + found_by_text(method, result.found_by, result.status)});
  if (!result.work.empty())
    table.add({"work", fmt::format("{}, {}", result.work, duration_text(result.seconds))});
  if (!result.proof.empty()) table.add({"proof", result.proof});
  if (!result.impulses.empty()) table.add({"impulses", result.impulses});
  if (result.has_solution()) {
    std::string tolerance = fmt::format("  (tolerance {:g})", result.tolerance);
    for (const ResidualEntry& residual_entry : result.residuals) {
      table.add({residual_entry.name,
                 fmt::format("{:.2e}{}{}", residual_entry.value, residual_entry.unit, tolerance)});
      tolerance.clear();
    }
  }
  return fmt::format("{}\n{}", file, table.text());
}

}  // namespace pawl::internal::cli
