#pragma once
// Statistics of the rows of a study. Only certified runs count; the others are counted apart.

#include <array>
#include <map>
#include <string>
#include <vector>

#include <pawl/store/study_store.h>
#include <pawl/study/statistics.h>

namespace pawl::internal {

struct Proportion {
  std::string name;  // of the class; "happened" of an event
  std::uint64_t count = 0;
  Interval interval;
};

struct OutcomeSummary {
  std::string name, kind;
  std::uint64_t runs = 0;               // certified
  std::vector<Proportion> proportions;  // pose: of each class; event, rest, jam: of its happening
  std::vector<double> values;           // sorted: of the numbers
};

/// The share of the variance of an outcome that each parameter alone explains.
struct EffectRow {
  std::string outcome;          // with its class: face = up
  std::vector<double> effects;  // of each of effect_columns()
};

class StudySummary {
 public:
  explicit StudySummary(StudyInfo info);

  void add(const StudyRow& row);
  const StudyInfo& info() const { return info_; }
  std::uint64_t runs() const;
  std::uint64_t runs(RunStatus status) const { return counts_[static_cast<std::size_t>(status)]; }
  /// The first message of runs with this status.
  const std::string& first_message(RunStatus status) const {
    return messages_[static_cast<std::size_t>(status)];
  }
  double seconds() const { return seconds_; }
  std::vector<Proportion> proportions(std::size_t outcome) const;
  OutcomeSummary outcome(std::size_t outcome) const;
  /// Indices in StudyInfo::parameters, without rotations, whose components mean nothing alone.
  std::vector<std::size_t> effect_columns() const;
  std::vector<EffectRow> effects() const;

 private:
  bool is_event(std::size_t outcome) const;

  StudyInfo info_;
  std::array<std::uint64_t, 4> counts_{};
  std::array<std::string, 4> messages_;
  double seconds_ = 0;
  // Of certified runs, in the order of add():
  std::vector<std::vector<double>> parameters_;  // [columns][runs]
  std::vector<std::vector<double>> numbers_;     // [outcomes][runs]; NaN: none
  std::vector<std::vector<int>> classes_;        // [outcomes][runs], of pose: index into names_
  std::vector<std::vector<std::string>> names_;  // [outcomes]
};

}  // namespace pawl::internal
