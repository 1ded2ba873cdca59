#include "analysis_text.h"

#include <cmath>

#include <fmt/format.h>

#include <pawl/base/numeric_util.h>

#include "shape_text.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

using Rows = std::span<const double>;

constexpr double kPrintedRounding =
    1e-9;  // relative to the largest value of the island: smaller ones print as 0

/// The components n, t and o of a contact.
std::string rows_text(const Model& model, Rows rows, double largest) {
  Vec3 v;
  for (int i = 0; i < 3 && i < static_cast<int>(rows.size()); ++i) {
    if (std::abs(rows[i]) > kPrintedRounding * largest) v[i] = rows[i];
  }
  return vector_text(v, model.planar());
}

/// The component r, if the contact has one.
std::string spin_text(Rows rows, double largest) {
  if (rows.size() < 4) return "";
  return fmt::format("{:.6g}", std::abs(rows[3]) > kPrintedRounding * largest ? rows[3] : 0.0);
}

/// Largest acceleration with and without contact forces.
double largest_acceleration(const AccelerationProblem& problem, const AccelerationSolution& solution) {
  return std::max(largest(problem.b), largest(solution.a));
}

Rows rows_of(const AccelerationProblem& problem, int contact, const std::vector<double>& x) {
  return Rows(x).subspan(problem.begin[contact], problem.size_of(contact));
}

bool has_spin(const Instant& instant) {
  return std::ranges::any_of(instant.contacts, [](const InstantContact& c) { return c.rows > 3; });
}

std::string contacts_text(const AnalysedState& state) {
  const Model& model = state.model;
  const bool spin = has_spin(state.instant);
  const std::string axes = model.planar() ? "n, t" : "n, t, o";
  const auto add = [&](Table& table, std::vector<std::string> cells) {
    if (!spin) std::erase(cells, "-");
    table.add(std::move(cells));
  };
  const auto if_spin = [&](std::string text) { return spin ? std::move(text) : "-"; };
  Table table(true);
  add(table, {"", "shape", "of", "gap (m)", "now", fmt::format("force {} (N)", axes), if_spin("r (N m)"),
              fmt::format("acceleration {} (m/s²)", axes), if_spin("r (rad/s²)"), "then"});
  for (std::size_t i = 0; i < state.instant.contacts.size(); ++i) {
    const InstantContact& at = state.instant.contacts[i];
    std::vector<std::string> cells{fmt::format("{}", i + 1), shape_text(model, at.contact.id.shape_a),
                                   shape_text(model, at.contact.id.shape_b),
                                   fmt::format("{:.3g}", at.contact.gap + 0.0),
                                   std::string(to_string(at.motion))};
    if (at.island < 0) {
      cells.insert(cells.end(), {"", if_spin(""), "", if_spin(""),
                                 at.motion == ContactMotion::approaching ? "an impact" : "no contact"});
    } else if (const auto& analysis = state.islands[at.island];
               analysis.status == Status::certified || analysis.status == Status::approximate) {
      const AccelerationProblem& problem = state.instant.islands[at.island];
      const Rows c = rows_of(problem, at.index_in_island, analysis.solution.c);
      const Rows a = rows_of(problem, at.index_in_island, analysis.solution.a);
      const double c_max = largest(analysis.solution.c);
      const double a_max = largest_acceleration(problem, analysis.solution);
      cells.insert(cells.end(), {rows_text(model, c, c_max), if_spin(spin_text(c, c_max)),
                                 rows_text(model, a, a_max), if_spin(spin_text(a, a_max)),
                                 std::string(to_string(analysis.solution.transitions[at.index_in_island]))});
    } else {
      cells.insert(cells.end(), {"", if_spin(""), "", if_spin(""), "no solution"});
      if (analysis.status == Status::refused) cells.back() = "not known";
    }
    add(table, std::move(cells));
  }
  return table.text();
}

std::string enumeration_text() {
  return "every contact state was tried";
}

std::string exists_text(const AccelerationAnalysis& analysis) {
  const Theorem1& theorem = analysis.theorem;
  if (analysis.exists() == Verdict::no) return "no (" + enumeration_text() + ")";
  if (analysis.exists() == Verdict::undecided) return "not known (none was found, which proves nothing)";
  if (theorem.exists_by_A()) {
    return theorem.all_rolling
               ? "yes, whatever the friction (Theorem 1 A: A is positive definite and nothing slides)"
               : fmt::format("yes (Theorem 1 A: μ = {:.4g} of what slides < {:.4g})",
                             theorem.sliding_friction, theorem.existence_bound);
  }
  if (theorem.exists_by_B()) return "yes, whatever the friction (Theorem 1 B: nothing slides, and b·c ≥ 0)";
  return analysis.counted.count == SolutionCount::unknown ? "yes (one was found and certified)"
                                                          : "yes (" + enumeration_text() + ")";
}

std::string undecided_reason(const AccelerationAnalysis& analysis) {
  const Theorem1& theorem = analysis.theorem;
  const std::string_view reason = analysis.counted.reason;
  if (!theorem.positive_definite()) return fmt::format("A is singular; contact states not tried: {}", reason);
  return fmt::format("μ = {:.4g} ≥ μ̄ = {:.4g}; contact states not tried: {}", theorem.friction,
                     theorem.uniqueness_bound, reason);
}

std::string unique_text(const AccelerationAnalysis& analysis) {
  const Theorem1& theorem = analysis.theorem;
  if (analysis.exists() == Verdict::no) return "";
  if (theorem.unique_by_A()) {
    return std::isinf(theorem.uniqueness_bound) ? "yes (A is positive definite, and there is no friction)"
                                                : fmt::format("yes (Theorem 1 A: μ = {:.4g} < μ̄ = {:.4g})",
                                                              theorem.friction, theorem.uniqueness_bound);
  }
  switch (analysis.unique_motion()) {
    case Verdict::no:
      return analysis.counted.solutions.size() > 1
                 ? fmt::format("no: {} motions", analysis.counted.solutions.size())
                 : "no: a family of motions";
    case Verdict::undecided:
      return "not known (" + undecided_reason(analysis) + ")";
    case Verdict::yes:
      break;
  }
  if (analysis.counted.count == SolutionCount::unknown) return "the motion is, as there is no friction";
  return analysis.counted.count == SolutionCount::one
             ? "yes (" + enumeration_text() + ")"
             : "the motion is (" + enumeration_text() + "), the forces are not: A is singular";
}

std::string solutions_text(const AnalysedState& state, int island) {
  const AccelerationProblem& problem = state.instant.islands[island];
  std::string text;
  const auto& solutions = state.islands[island].counted.solutions;
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    text += fmt::format("  motion {}{}:\n", i + 1,
                        solutions[i].motion_varies ? " (one of a family)"
                        : solutions[i].forces_vary ? " (with these or other forces)"
                                                   : "");
    const AccelerationSolution& solution = solutions[i].solution;
    for (int c = 0; c < problem.contacts(); ++c) {
      text += fmt::format(
          "    contact {}: force {} N, acceleration {} m/s²; {}\n",
          state.instant.island_contacts[island][c] + 1,
          rows_text(state.model, rows_of(problem, c, solution.c), largest(solution.c)),
          rows_text(state.model, rows_of(problem, c, solution.a), largest_acceleration(problem, solution)),
          to_string(solution.transitions[c]));
    }
  }
  return text;
}

/// Formats ascending indices, counted from 1: "1, 3-5".
std::string index_ranges_text(const std::vector<int>& indices) {
  std::string text;
  for (std::size_t i = 0, last = 0; i < indices.size(); i = last + 1) {
    for (last = i; last + 1 < indices.size() && indices[last + 1] == indices[last] + 1; ++last) {
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", indices[i] + 1);
    if (last > i) text += fmt::format("{}{}", last == i + 1 ? ", " : "-", indices[last] + 1);
  }
  return text;
}

std::string island_text(const AnalysedState& state, int island) {
  const AccelerationAnalysis& analysis = state.islands[island];
  const Theorem1& theorem = analysis.theorem;
  const auto& members = state.instant.island_contacts[island];
  std::string text = fmt::format(
      "\n{} {}: A has {} rows that matter and rank {}, {}\n", members.size() == 1 ? "Contact" : "Contacts",
      index_ranges_text(members), theorem.rows, theorem.rank,
      theorem.positive_definite()
          ? fmt::format("least eigenvalue {:.3g}: positive definite", theorem.least_eigenvalue)
          : std::string("singular"));
  text += "  exists: " + exists_text(analysis) + "\n";
  if (const std::string unique = unique_text(analysis); !unique.empty()) text += "  unique: " + unique + "\n";
  if (!theorem.positive_definite() && theorem.all_rolling && theorem.condition_B != Verdict::yes) {
    text += fmt::format("  b·c ≥ 0 for all c of the friction cones with Jᵀ c = 0: {}\n",
                        to_string(theorem.condition_B));
  }
  if (analysis.forces == ForceUniqueness::unique) text += "  No other forces give this motion.\n";
  if (analysis.forces == ForceUniqueness::least_norm)
    text += "  Of all forces that give this motion, those shown have the least norm.\n";
  if (analysis.forces == ForceUniqueness::any) text += "  Other forces give this motion as well.\n";
  if (analysis.status != Status::no_solution) {
    text += fmt::format("  The answer is {}: residual {:.2g}, by {}\n", to_string(analysis.status),
                        analysis.residual.worst(), analysis.method);
  }
  if (analysis.unique_motion() == Verdict::no) text += solutions_text(state, island);
  return text;
}

std::string notes_text(const AnalysedState& state) {
  bool impact = false, kinked = false;
  for (const InstantContact& contact : state.instant.contacts) {
    impact |= contact.motion == ContactMotion::approaching;
    kinked |= contact.kinked;
  }
  std::string text;
  if (impact) text += "\nnote: an impact comes first; the accelerations are those without it\n";
  if (kinked)
    text += "\nnote: a surface bends sharply at a moving contact; its acceleration is not to be trusted\n";
  return text;
}

/// JSON has no infinity: it becomes null.
Json number_json(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json solution_json(const AccelerationProblem& problem, const AccelerationSolution& solution) {
  Json out = Json::array();
  for (int c = 0; c < problem.contacts(); ++c) {
    out.push_back({{"force", rows_of(problem, c, solution.c)},
                   {"acceleration", rows_of(problem, c, solution.a)},
                   {"then", to_string(solution.transitions[c])}});
  }
  return out;
}

Json theorem_json(const Theorem1& theorem) {
  return {{"rows", theorem.rows},
          {"rank", theorem.rank},
          {"least_eigenvalue", theorem.least_eigenvalue},
          {"positive_definite", theorem.positive_definite()},
          {"friction", theorem.friction},
          {"sliding_friction", theorem.sliding_friction},
          {"existence_bound", theorem.positive_definite() ? number_json(theorem.existence_bound) : Json()},
          {"uniqueness_bound", theorem.positive_definite() ? number_json(theorem.uniqueness_bound) : Json()},
          {"exists_by_A", theorem.exists_by_A()},
          {"unique_by_A", theorem.unique_by_A()},
          {"all_rolling", theorem.all_rolling},
          {"condition_B", to_string(theorem.condition_B)},
          {"exists_by_B", theorem.exists_by_B()}};
}

Json island_json(const AnalysedState& state, int island) {
  const AccelerationAnalysis& analysis = state.islands[island];
  const AccelerationProblem& problem = state.instant.islands[island];
  const std::vector<double> A = acceleration_matrix(problem);
  Json out{{"contacts", state.instant.island_contacts[island]},
           {"begin", problem.begin},
           {"A", Json::array()},
           {"b", problem.b},
           {"velocity_terms", problem.velocity_terms},
           {"status", to_string(analysis.status)},
           {"method", analysis.method},
           {"residual", number_json(analysis.residual.worst())},
           {"exists", to_string(analysis.exists())},
           {"unique_motion", to_string(analysis.unique_motion())},
           {"unique_forces", to_string(analysis.unique_forces())},
           {"theorem_1", theorem_json(analysis.theorem)},
           {"count", to_string(analysis.counted.count)},
           {"count_reason", analysis.counted.reason},
           {"solutions", Json::array()}};
  for (int r = 0; r < problem.rows(); ++r) {
    out["A"].push_back(Rows(A).subspan(r * problem.rows(), problem.rows()));
  }
  for (const CountedSolution& solution : analysis.counted.solutions) {
    out["solutions"].push_back({{"contacts", solution_json(problem, solution.solution)},
                                {"forces_vary", solution.forces_vary},
                                {"motion_varies", solution.motion_varies}});
  }
  return out;
}

}  // namespace

std::string analysis_text(const AnalysedState& state) {
  std::string text = fmt::format("Contacts at t = {:g} s: {}\n", state.time, state.instant.contacts.size());
  if (state.instant.contacts.empty()) return text;
  text += contacts_text(state);
  for (std::size_t i = 0; i < state.islands.size(); ++i) text += island_text(state, static_cast<int>(i));
  return text + notes_text(state);
}

Json analysis_json(const AnalysedState& state) {
  Json out{{"time", state.time}, {"contacts", Json::array()}, {"islands", Json::array()}};
  for (const InstantContact& at : state.instant.contacts) {
    Json contact{
        {"shapes",
         {shape_text(state.model, at.contact.id.shape_a), shape_text(state.model, at.contact.id.shape_b)}},
        {"feature", at.contact.id.feature},
        {"gap", at.contact.gap},
        {"point", vector_json(0.5 * (at.contact.point_a + at.contact.point_b))},
        {"normal", vector_json(at.contact.normal)},
        {"tangent", vector_json(at.tangent)},
        {"velocity", Rows(at.velocity).first(at.rows)},
        {"now", to_string(at.motion)},
        {"kinked", at.kinked},
        {"island", at.island >= 0 ? Json(at.island) : Json()}};
    const bool solved = at.island >= 0 && (state.islands[at.island].status == Status::certified ||
                                           state.islands[at.island].status == Status::approximate);
    if (solved) {
      const Json solution =
          solution_json(state.instant.islands[at.island], state.islands[at.island].solution);
      contact.update(solution[at.index_in_island]);
    }
    out["contacts"].push_back(std::move(contact));
  }
  for (std::size_t i = 0; i < state.islands.size(); ++i) {
    out["islands"].push_back(island_json(state, static_cast<int>(i)));
  }
  return out;
}

}  // namespace pawl::internal::cli
