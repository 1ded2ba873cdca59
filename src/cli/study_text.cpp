#include "study_text.h"

#include <cmath>

#include <fmt/format.h>

#include <pawl/error.h>

#include "table.h"

namespace pawl::internal::cli {
namespace {

constexpr RunStatus kNotCertified[] = {RunStatus::uncertified, RunStatus::refused, RunStatus::invalid};

double share(std::uint64_t count, std::uint64_t n) {
  return n == 0 ? 0 : static_cast<double>(count) / static_cast<double>(n);
}

std::string interval_text(const Interval& interval) {
  return fmt::format("[{:.4f}, {:.4f}]", interval.low, interval.high);
}

std::string proportions_table(const StudySummary& summary) {
  Table table(true);
  table.add({"outcome", "result", "runs", "proportion", "95 % interval"});
  for (std::size_t i = 0; i < summary.info().outcomes.size(); ++i) {
    for (const Proportion& p : summary.proportions(i)) {
      table.add({summary.info().outcomes[i].name, p.name, std::to_string(p.count),
                 fmt::format("{:.4f}", share(p.count, summary.runs(RunStatus::certified))),
                 interval_text(p.interval)});
    }
  }
  return table.empty() ? "" : "\nProportions\n" + table.text();
}

std::string numbers_table(const StudySummary& summary) {
  Table table(true);
  table.add({"outcome", "runs", "mean", "±", "deviation", "least", "5 %", "50 %", "95 %", "greatest"});
  for (std::size_t i = 0; i < summary.info().outcomes.size(); ++i) {
    const OutcomeSummary o = summary.outcome(i);
    if (o.values.empty()) continue;
    const Mean mean = mean_of(o.values);
    std::vector<std::string> cells{o.name, std::to_string(o.values.size())};
    for (const double x :
         {mean.mean, mean.half_width, mean.deviation, o.values.front(), quantile(o.values, 0.05),
          quantile(o.values, 0.5), quantile(o.values, 0.95), o.values.back()})
      cells.push_back(fmt::format("{:.5g}", x));
    table.add(cells);
  }
  return table.empty() ? "" : "\nNumbers\n" + table.text();
}

std::string effects_table(const StudySummary& summary) {
  if (summary.effect_columns().empty() || summary.info().outcomes.empty()) return "";
  Table table(true);
  std::vector<std::string> header{"outcome"};
  for (const std::size_t i : summary.effect_columns()) header.push_back(summary.info().parameters[i].name);
  table.add(header);
  for (const EffectRow& row : summary.effects()) {
    std::vector<std::string> cells{row.outcome};
    for (const double effect : row.effects) cells.push_back(fmt::format("{:.3f}", effect));
    table.add(cells);
  }
  return table.empty()
             ? ""
             : "\nMain effects: share of the variance that a parameter alone explains\n" + table.text();
}

Json number_json(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string study_text(const StudySummary& summary) {
  const std::uint64_t n = summary.runs();
  std::string text =
      fmt::format("{}: {}, {} certified\n", summary.info().scene_name,
                  pluralize(static_cast<long long>(n), "run"), summary.runs(RunStatus::certified));
  for (const RunStatus status : kNotCertified) {
    const std::uint64_t count = summary.runs(status);
    if (count == 0) continue;
    text +=
        fmt::format("  {} {}, {:.4f} {}: not counted below; the first: {}\n", count, to_string(status),
                    share(count, n), interval_text(wilson_interval(count, n)), summary.first_message(status));
  }
  return text + proportions_table(summary) + numbers_table(summary) + effects_table(summary);
}

Json study_json(const StudySummary& summary) {
  const StudyInfo& info = summary.info();
  Json out{{"scene", info.scene_name},         {"scene_file", info.scene_file},
           {"version", info.identity.version}, {"design", info.identity.design},
           {"runs", summary.runs()},           {"certified", summary.runs(RunStatus::certified)},
           {"outcomes", Json::array()},        {"effects", Json::array()}};
  for (const RunStatus status : kNotCertified) out[std::string(to_string(status))] = summary.runs(status);
  for (std::size_t i = 0; i < info.outcomes.size(); ++i) {
    const OutcomeSummary o = summary.outcome(i);
    Json entry{{"name", o.name}, {"type", o.kind}};
    for (const Proportion& p : o.proportions) {
      entry["proportions"].push_back({{"result", p.name},
                                      {"count", p.count},
                                      {"proportion", share(p.count, o.runs)},
                                      {"low", p.interval.low},
                                      {"high", p.interval.high}});
    }
    if (!o.values.empty()) {
      const Mean mean = mean_of(o.values);
      entry["count"] = o.values.size();
      entry["mean"] = number_json(mean.mean);
      entry["mean_half_width"] = number_json(mean.half_width);
      entry["deviation"] = number_json(mean.deviation);
      for (const double p : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0})
        entry["quantiles"].push_back({p, number_json(quantile(o.values, p))});
    }
    out["outcomes"].push_back(entry);
  }
  const std::vector<std::size_t> columns = summary.effect_columns();
  for (const EffectRow& row : summary.effects()) {
    Json entry{{"outcome", row.outcome}, {"parameters", Json::object()}};
    for (std::size_t i = 0; i < row.effects.size(); ++i)
      entry["parameters"][info.parameters[columns[i]].name] = row.effects[i];
    out["effects"].push_back(entry);
  }
  return out;
}

std::string proportions_text(const StudySummary& summary) {
  std::string text;
  for (std::size_t i = 0; i < summary.info().outcomes.size(); ++i) {
    const std::vector<Proportion> proportions = summary.proportions(i);
    if (proportions.empty()) continue;
    text += fmt::format("  {}:", summary.info().outcomes[i].name);
    for (const Proportion& p : proportions) {
      text +=
          fmt::format(" {} {:.3f} [{:.3f}, {:.3f}]", p.name,
                      share(p.count, summary.runs(RunStatus::certified)), p.interval.low, p.interval.high);
    }
  }
  return text;
}

void print_study_csv(StudyStore& store, std::FILE* file) {
  std::string line = "sample,status,message,steps,uncertified,end_time,checksum,seconds";
  for (const ParameterColumn& p : store.info().parameters) line += ",p." + csv_cell(p.name);
  for (const OutcomeColumn& o : store.info().outcomes) line += ",o." + csv_cell(o.name);
  const auto put = [&] {
    line += "\n";
    if (std::fputs(line.c_str(), file) < 0) throw Error("the CSV file cannot be written");
  };
  put();
  store.read([&](const StudyRow& row) {
    line = fmt::format("{},{},{},{},{},{},{:016x},{:.6g}", row.sample, to_string(row.status),
                       csv_cell(row.message), row.steps, row.uncertified, row.end_time, row.checksum,
                       row.seconds);
    for (const double value : row.parameters) line += fmt::format(",{}", value);
    for (const OutcomeValue& value : row.outcomes) {
      line += ",";
      if (const double* number = std::get_if<double>(&value)) line += fmt::format("{}", *number);
      if (const std::string* name = std::get_if<std::string>(&value)) line += csv_cell(*name);
    }
    put();
  });
}

}  // namespace pawl::internal::cli
