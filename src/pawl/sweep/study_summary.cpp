#include <pawl/sweep/study_summary.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pawl::internal {

StudySummary::StudySummary(StudyInfo info)
    : info_(std::move(info)),
      parameters_(info_.parameters.size()),
      numbers_(info_.outcomes.size()),
      classes_(info_.outcomes.size()),
      names_(info_.outcomes.size()) {}

void StudySummary::add(const StudyRow& row) {
  const auto status = static_cast<std::size_t>(row.status);
  if (counts_[status]++ == 0) messages_[status] = row.message;
  seconds_ += row.seconds;
  if (row.status != RunStatus::certified) return;
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].push_back(row.parameters[i]);
  for (std::size_t i = 0; i < info_.outcomes.size(); ++i) {
    if (info_.outcomes[i].kind == "pose") {
      const std::string* name = std::get_if<std::string>(&row.outcomes[i]);
      const std::string text = name == nullptr ? "(no result)" : *name;
      const auto found = std::ranges::find(names_[i], text);
      classes_[i].push_back(static_cast<int>(found - names_[i].begin()));
      if (found == names_[i].end()) names_[i].push_back(text);
    } else {
      const double* number = std::get_if<double>(&row.outcomes[i]);
      numbers_[i].push_back(number == nullptr ? std::numeric_limits<double>::quiet_NaN() : *number);
    }
  }
}

std::uint64_t StudySummary::runs() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

bool StudySummary::is_event(std::size_t outcome) const {
  const std::string& kind = info_.outcomes[outcome].kind;
  return kind == "event" || kind == "rest" || kind == "jam";
}

std::vector<Proportion> StudySummary::proportions(std::size_t outcome) const {
  const std::uint64_t n = runs(RunStatus::certified);
  std::vector<Proportion> result;
  if (info_.outcomes[outcome].kind == "pose") {
    std::vector<std::uint64_t> counts(names_[outcome].size());
    for (const int index : classes_[outcome]) ++counts[index];
    for (std::size_t i = 0; i < counts.size(); ++i)
      result.push_back({names_[outcome][i], counts[i], wilson_interval(counts[i], n)});
    std::ranges::sort(result, {}, &Proportion::name);
  } else if (is_event(outcome)) {
    const auto happened = static_cast<std::uint64_t>(
        std::ranges::count_if(numbers_[outcome], [](double x) { return !std::isnan(x); }));
    result.push_back({"happened", happened, wilson_interval(happened, n)});
  }
  return result;
}

OutcomeSummary StudySummary::outcome(std::size_t outcome) const {
  OutcomeSummary summary{info_.outcomes[outcome].name,
                         info_.outcomes[outcome].kind,
                         runs(RunStatus::certified),
                         proportions(outcome),
                         {}};
  for (const double x : numbers_[outcome]) {
    if (!std::isnan(x)) summary.values.push_back(x);
  }
  std::ranges::sort(summary.values);
  return summary;
}

std::vector<std::size_t> StudySummary::effect_columns() const {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < info_.parameters.size(); ++i) {
    if (std::ranges::count(info_.parameters, info_.parameters[i].parameter, &ParameterColumn::parameter) < 4)
      columns.push_back(i);
  }
  return columns;
}

std::vector<EffectRow> StudySummary::effects() const {
  std::vector<EffectRow> rows;
  const std::vector<std::size_t> columns = effect_columns();
  const auto add_row = [&](const std::string& name, const std::vector<double>& y) {
    EffectRow row{name, {}};
    for (const std::size_t i : columns) row.effects.push_back(main_effect(parameters_[i], y));
    rows.push_back(std::move(row));
  };
  for (std::size_t i = 0; i < info_.outcomes.size(); ++i) {
    const std::string& name = info_.outcomes[i].name;
    if (info_.outcomes[i].kind == "pose") {
      std::vector<std::string> sorted = names_[i];
      std::ranges::sort(sorted);
      for (const std::string& each : sorted) {
        std::vector<double> is_class;
        for (const int index : classes_[i]) is_class.push_back(names_[i][index] == each ? 1 : 0);
        add_row(name + " = " + each, is_class);
      }
    } else if (std::ranges::any_of(numbers_[i], [](double x) { return std::isnan(x); })) {
      std::vector<double> happened;
      for (const double x : numbers_[i]) happened.push_back(std::isnan(x) ? 0 : 1);
      add_row(name + " happened", happened);
    } else {
      add_row(name, numbers_[i]);
    }
  }
  return rows;
}

}  // namespace pawl::internal
