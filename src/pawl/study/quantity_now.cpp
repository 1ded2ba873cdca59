#include <pawl/study/quantity_now.h>

#include <algorithm>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

struct RunQuantity {
  std::string_view name;
  double (*value)(const Simulation& simulation, const StepReport* report);
};

constexpr RunQuantity kOfRun[] = {
    {"time", [](const Simulation& s, const StepReport*) { return s.time(); }},
    {"kinetic", [](const Simulation& s, const StepReport*) { return s.energy().kinetic; }},
    {"potential", [](const Simulation& s, const StepReport*) { return s.energy().potential; }},
    {"energy",
     [](const Simulation& s, const StepReport*) { return s.energy().kinetic + s.energy().potential; }},
    {"normal", [](const Simulation& s, const StepReport*) { return s.energy().normal; }},
    {"friction", [](const Simulation& s, const StepReport*) { return s.energy().friction; }},
    {"joints", [](const Simulation& s, const StepReport*) { return s.energy().joints; }},
    {"limits", [](const Simulation& s, const StepReport*) { return s.energy().limits; }},
    {"motors", [](const Simulation& s, const StepReport*) { return s.energy().motors; }},
    {"applied", [](const Simulation& s, const StepReport*) { return s.energy().applied; }},
    {"contacts", [](const Simulation&,
                    const StepReport* r) { return r == nullptr ? 0.0 : static_cast<double>(r->contacts); }},
    {"overlap", [](const Simulation&, const StepReport* r) { return r == nullptr ? 0.0 : r->gap_violation; }},
};

}  // namespace

QuantityNow::QuantityNow(const Model& model, std::string_view name) {
  const auto find_in = [&](const std::vector<std::string>& columns, Source source) {
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end()) return false;
    source_ = source;
    index_ = static_cast<std::size_t>(found - columns.begin());
    return true;
  };
  const std::vector<std::string> q = q_columns(model), v = v_columns(model);
  if (find_in(q, Source::q) || find_in(v, Source::v)) return;
  const auto found = std::ranges::find(kOfRun, name, &RunQuantity::name);
  if (found == std::end(kOfRun)) {
    std::string names;
    for (const RunQuantity& each : kOfRun) names += fmt::format("{}, ", each.name);
    constexpr std::size_t kShown = 20;
    std::vector<std::string> columns = q;
    columns.insert(columns.end(), v.begin(), v.end());
    const bool more = columns.size() > kShown;
    if (more) columns.resize(kShown);
    throw Error(fmt::format("there is no quantity '{}': there are {}{}{}", name, names,
                            fmt::join(columns, ", "), more ? ", …" : ""));
  }
  index_ = static_cast<std::size_t>(found - std::begin(kOfRun));
}

double QuantityNow::value(const Simulation& simulation, const StepReport* report) const {
  switch (source_) {
    case Source::q:
      return simulation.state().q[index_];
    case Source::v:
      return simulation.state().v[index_];
    case Source::of_run:
      return kOfRun[index_].value(simulation, report);
  }
  return 0;
}

}  // namespace pawl::internal
