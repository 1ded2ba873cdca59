#pragma once
// A recorded run together with the scene it was made of.

#include <memory>
#include <string>

#include <pawl/model/kinematics.h>
#include <pawl/trajectory.h>

namespace pawl::internal {

/// All that a page or a picture shows of a run. The states stay in the file until they are asked for; the
/// scene is read once from the text that the file holds. Like the reader, for one thread at a time.
class RunView {
 public:
  /// Throws Error naming the file, also where the scene's meshes are not found any more.
  explicit RunView(const std::string& path);

  const std::string& path() const { return path_; }
  const Scene& scene() const { return *scene_; }
  const Model& model() const { return *model_; }
  const TrajectoryReader& reader() const { return *reader_; }
  std::uint64_t states() const { return reader_->time().size(); }
  std::uint64_t steps() const { return reader_->step_time().size(); }

  /// Opens the file again: the rows that were added since then count.
  void refresh();

  /// The state that a step led to: the first at or after its end, or the last there is.
  std::uint64_t state_of_step(std::uint64_t step) const;
  /// The length of the step that led to a state, s; 0 of the first, to which none did.
  double step_size_of_state(std::uint64_t state) const;
  /// The last state no later than `time`; the first where all are later.
  std::uint64_t state_at(double time) const;

 private:
  std::string path_;
  std::unique_ptr<const TrajectoryReader> reader_;
  std::unique_ptr<const Scene> scene_;
  std::unique_ptr<const Model> model_;
};

/// Where the scene's frame of a body is, for a placement by position_kinematics, whose poses are those of
/// centres of mass.
Pose frame_pose(const Model& model, const Kinematics& kinematics, int body);

}  // namespace pawl::internal
