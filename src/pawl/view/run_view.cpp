#include <pawl/view/run_view.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

/// The trajectory stores the text of the scene, but not its meshes. They are looked up relative to the scene
/// path as given to the run, and then relative to the trajectory.
Scene scene_of(const std::string& path, const TrajectoryInfo& info) {
  const fs::path beside = fs::path(path).parent_path();
  const fs::path candidates[] = {info.scene_file, beside / info.scene_file,
                                 beside / fs::path(info.scene_file).filename()};
  std::string first_error;
  for (const fs::path& candidate : candidates) {
    try {
      Scene scene = parse_scene(info.scene_text, candidate.string(), info.overrides);
      scene.file = info.scene_file;
      return scene;
    } catch (const Error& error) {
      if (first_error.empty()) first_error = error.what();
    }
  }
  throw Error(
      fmt::format("{}: the scene it was made of can't be read any more (the file holds its text, but no "
                  "meshes: these must lie where they did, or beside the run): {}",
                  path, first_error));
}

void check_columns(const std::string& path, const TrajectoryInfo& info, const Model& model) {
  if (info.q_columns == q_columns(model) && info.v_columns == v_columns(model) &&
      info.bodies == model.body_names) {
    return;
  }
  throw Error(
      fmt::format("{}: its columns are not those of its scene (was it changed by another program?)", path));
}

}  // namespace

RunView::RunView(const std::string& path) : path_(path), reader_(std::make_unique<TrajectoryReader>(path)) {
  if (reader_->time().empty())
    throw Error(fmt::format("{}: the run holds no state, so there is nothing to show", path));
  scene_ = std::make_unique<const Scene>(scene_of(path, reader_->info()));
  model_ = std::make_unique<const Model>(compile(*scene_));
  check_columns(path, reader_->info(), *model_);
}

void RunView::refresh() {
  reader_.reset();  // first: two open readers of one file share HDF5's metadata cache
  reader_ = std::make_unique<TrajectoryReader>(path_);
}

std::uint64_t RunView::state_of_step(std::uint64_t step) const {
  const std::vector<double>& time = reader_->time();
  const auto at = std::ranges::lower_bound(time, reader_->step_time()[step]);
  return std::min<std::uint64_t>(at - time.begin(), time.size() - 1);
}

double RunView::step_size_of_state(std::uint64_t state) const {
  const std::vector<double>& ends = reader_->step_time();
  const double time = reader_->time()[state];
  const auto at = std::ranges::lower_bound(ends, time);
  if (state == 0 || at == ends.end() || *at != time) return 0;
  // A step begins at the end of the previous one.
  return time - (at == ends.begin() ? reader_->time().front() : *std::prev(at));
}

std::uint64_t RunView::state_at(double time) const {
  const std::vector<double>& times = reader_->time();
  const auto after = std::ranges::upper_bound(times, time);
  return after == times.begin() ? 0 : after - times.begin() - 1;
}

Pose frame_pose(const Model& model, const Kinematics& kinematics, int body) {
  const Pose& X = kinematics.X_WB[body];
  return {X.R, X * model.bodies[body].frame_origin_B};
}

}  // namespace pawl::internal
