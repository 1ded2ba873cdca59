#include "parameter_text.h"

#include <fmt/format.h>

#include "table.h"

namespace pawl::internal::cli {
namespace {

std::string number_text(const std::vector<double>& components) {
  return components.size() == 1 ? fmt::format("{:.10g}", components[0])
                                : fmt::format("({:.6g})", fmt::join(components, ", "));
}

}  // namespace

std::string variation_text(const SceneParameter& p) {
  if (!p.expression.empty()) return "= " + p.expression;
  switch (p.kind) {
    case DistributionKind::fixed:
      return "";
    case DistributionKind::tolerance:
      return fmt::format("{:.10g} ± {:.10g}", p.arguments[0], p.arguments[1]);
    case DistributionKind::rotation:
      return "random rotation";
    case DistributionKind::choice:
      if (!p.weights.empty())
        return fmt::format("choice [{:.6g}], weights [{:.6g}]", fmt::join(p.arguments, ", "),
                           fmt::join(p.weights, ", "));
      [[fallthrough]];
    default:
      return fmt::format("{} [{:.6g}]", to_string(p.kind), fmt::join(p.arguments, ", "));
  }
}

std::string parameters_text(const Scene& scene) {
  Table table(true);
  table.add({"parameter", "value", "unit", "varies"});
  for (const SceneParameter& p : scene.parameters)
    table.add({p.name, number_text(p.nominal), p.unit, variation_text(p)});
  return table.empty() ? "" : table.text();
}

Json parameters_json(const Scene& scene) {
  Json out = Json::array();
  for (const SceneParameter& p : scene.parameters) {
    Json entry{{"name", p.name}, {"value", p.nominal}, {"unit", p.unit}, {"value_si", p.value}};
    if (!p.expression.empty()) entry["expression"] = p.expression;
    if (p.varies()) {
      entry["distribution"] = to_string(p.kind);
      entry["arguments"] = p.arguments;
      if (!p.weights.empty()) entry["weights"] = p.weights;
    }
    out.push_back(entry);
  }
  return out;
}

}  // namespace pawl::internal::cli
