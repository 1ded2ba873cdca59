#pragma once
// One scene in all its variations: the run of one sample.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <pawl/scene.h>
#include <pawl/simulation.h>
#include <pawl/store/study_store.h>
#include <pawl/study/design.h>

namespace pawl::internal {

/// The scene of a study. Constant, and shared by the workers.
class StudyScene {
 public:
  /// `scene` is as loaded, with its text and overrides; the varied parameters are those of the design.
  StudyScene(const Scene& scene, const Design& design);
  /// The scene of a stored study.
  explicit StudyScene(const StudyInfo& info);

  const std::vector<ParameterColumn>& columns() const { return columns_; }
  /// The scene with these values, one per column. Throws SceneError.
  Scene vary(const std::vector<double>& values) const;

 private:
  std::string text_, file_;
  std::vector<std::string> overrides_;
  std::vector<ParameterColumn> columns_;
};

/// What the caller does in the course of a run; each may be empty.
struct RunHooks {
  std::function<void(const Scene& scene, const Model& model, Simulation& simulation)> begin;
  std::function<void(const StepReport& report)> step;
  std::function<void(const Simulation& simulation)> end;
};

/// Runs one sample. The row does not depend on anything else. Stops early, with a row that is of no use, once
/// `cancelled` is set.
StudyRow run_sample(const StudyScene& scene, std::uint64_t sample, const std::vector<double>& values,
                    std::size_t outcomes, const std::atomic<bool>& cancelled, const RunHooks& hooks = {});

/// The columns of the varied parameters.
std::vector<ParameterColumn> parameter_columns(const std::vector<SceneParameter>& varied);
/// The values of a sample, one per column.
std::vector<double> sample_values(const Design& design, std::uint64_t sample);

/// What a study of this scene is. Compiles the scene and checks its outcomes. Throws SceneError.
StudyInfo describe_study(const Scene& scene, const Design& design, const std::string& design_text);

}  // namespace pawl::internal
