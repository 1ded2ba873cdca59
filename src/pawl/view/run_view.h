#pragma once
// A recorded run together with its scene.

#include <memory>
#include <string>

#include <pawl/model/kinematics.h>
#include <pawl/trajectory.h>

namespace pawl::internal {

/// Data source of pages and plots. States are read from the file on demand. The scene is parsed once, from
/// the text stored in the file. Like TrajectoryReader, it must be used by one thread at a time.
class RunView {
 public:
  /// Throws Error naming the file, also if meshes of the scene no longer exist.
  explicit RunView(const std::string& path);

  const std::string& path() const { return path_; }
  const Scene& scene() const { return *scene_; }
  const Model& model() const { return *model_; }
  const TrajectoryReader& reader() const { return *reader_; }
  std::uint64_t states() const { return reader_->time().size(); }
  std::uint64_t steps() const { return reader_->step_time().size(); }

  /// Reopens the file, to see rows added since.
  void refresh();

  /// Index of the first state at or after the end of a step, or of the last state.
  std::uint64_t state_of_step(std::uint64_t step) const;
  /// Length in s of the step that led to a state; 0 for the first state.
  double step_size_of_state(std::uint64_t state) const;
  /// Index of the last state no later than `time`, or 0 if all are later.
  std::uint64_t state_at(double time) const;

 private:
  std::string path_;
  std::unique_ptr<const TrajectoryReader> reader_;
  std::unique_ptr<const Scene> scene_;
  std::unique_ptr<const Model> model_;
};

/// Pose of a body's scene frame; position_kinematics() gives poses of centres of mass.
Pose frame_pose(const Model& model, const Kinematics& kinematics, int body);

}  // namespace pawl::internal
