#include <algorithm>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/base/temporary_folder.h>
#include <pawl/error.h>
#include <pawl/poses/drop_scene.h>
#include <pawl/scene_file.h>
#include <pawl/sweep/study_summary.h>
#include <pawl/sweep/sweep.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "progress.h"
#include "scene_options.h"
#include "study_text.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct PosesArguments {
  SceneOptions scene;  // the part: a scene or a mesh
  std::string body, write_scene, output;
  double scale = 1, density = 1000, friction = 0.5, restitution = 0.3;
  int samples = 0, seed = 1;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool json = false;
};

/// Faces that a symmetry maps to each other, and how often the part came to rest on one of them.
struct Pose {
  const RestFace* face = nullptr;  // one of them
  int number = -1;                 // of it in RestFaces::faces
  int faces = 0;
  double estimate = 0;
  std::uint64_t count = 0;
};

struct Drops {
  std::uint64_t runs = 0, restless = 0, uncertified = 0;
  bool interrupted = false;
};

bool is_mesh(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return ending == ".stl" || ending == ".obj";
}

std::vector<Pose> poses_of(const RestFaces& faces) {
  std::vector<Pose> poses(static_cast<std::size_t>(faces.poses));
  for (std::size_t f = 0; f < faces.faces.size(); ++f) {
    const RestFace& face = faces.faces[f];
    if (!face.is_stable()) continue;
    Pose& pose = poses[static_cast<std::size_t>(face.pose)];
    if (pose.face == nullptr) {
      pose.face = &face;
      pose.number = static_cast<int>(f);
    }
    ++pose.faces;
    pose.estimate += face.captured;
  }
  return poses;
}

Drops drop(const PosesArguments& a, const std::string& text, const RestFaces& faces,
           std::vector<Pose>& poses) {
  std::optional<TemporaryFolder> folder;
  if (a.output.empty()) folder.emplace("pawl-poses");
  const std::string path =
      a.output.empty() ? folder->path() + "/drops.db" : resolve_output_path(a.output, a.scene.scene);
  const Scene scene = parse_scene(text, a.scene.scene + " dropped");
  DesignOptions options;
  options.seed = static_cast<std::uint64_t>(a.seed);
  options.samples = static_cast<std::uint64_t>(a.samples);
  const Design design(scene.parameters, options);
  StudyStore store(
      path, describe_study(scene, design, fmt::format("{}, seed {}", to_string(options.sampling), a.seed)));
  catch_interrupts();
  Drops drops;
  {
    StatusLine line(a.json);
    drops.interrupted =
        sweep(StudyScene(scene, design), design, {.jobs = a.jobs}, store,
              [&](const SweepProgress& p, const std::vector<StudyRow>&) {
                line.show(fmt::format("{} of {} drops, {:.3g} a second", p.stored, p.total,
                                      static_cast<double>(p.now) / std::max(1e-9, p.seconds)));
                return !interrupted();
              })
            .interrupted;
  }
  store.read([&](const StudyRow& row) {
    if (row.status != RunStatus::certified) {
      ++drops.uncertified;
      return;
    }
    ++drops.runs;
    const std::string* name = std::get_if<std::string>(&row.outcomes[1]);
    if (name == nullptr || *name == "none") {
      ++drops.restless;
      return;
    }
    const RestFace& face = faces.faces[static_cast<std::size_t>(std::stoi(name->substr(4)))];
    ++poses[static_cast<std::size_t>(face.pose)].count;
  });
  store.finish();
  return drops;
}

Json poses_json(const Part& part, const std::vector<Pose>& poses, const std::optional<Drops>& drops) {
  Json out{{"part", part.name},
           {"mass", part.body.mass},
           {"center_of_mass", vector_json(part.body.center)},
           {"poses", Json::array()}};
  for (const Pose& pose : poses) {
    Json entry{{"faces", pose.faces},
               {"face", pose.number},
               {"down", vector_json(pose.face->normal)},
               {"height", pose.face->height},
               {"margin", pose.face->margin},
               {"tilt", pose.face->tilt()},
               {"estimate", pose.estimate}};
    if (drops) {
      const Interval interval = wilson_interval(pose.count, drops->runs);
      entry["count"] = pose.count;
      entry["probability"] = drops->runs == 0
                                 ? Json()
                                 : Json(static_cast<double>(pose.count) / static_cast<double>(drops->runs));
      entry["low"] = interval.low;
      entry["high"] = interval.high;
    }
    out["poses"].push_back(entry);
  }
  if (drops) {
    out["drops"] = drops->runs;
    out["not_at_rest"] = drops->restless;
    out["uncertified"] = drops->uncertified;
    out["interrupted"] = drops->interrupted;
  }
  return out;
}

void print_table(const Part& part, const std::vector<Pose>& poses, const std::optional<Drops>& drops) {
  print_stdout("{}: {:.6g} kg, centre of mass at {} m, {}\n", part.name, part.body.mass,
               vector_text(part.body.center, false),
               pluralize(static_cast<long long>(poses.size()), "rest pose"));
  Table table(true);
  std::vector<std::string> header{"pose",        "faces",   "down",    "height (mm)",
                                  "margin (mm)", "tips at", "estimate"};
  if (drops) header.insert(header.end(), {"drops", "probability", "95 % interval"});
  table.add(header);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Pose& pose = poses[i];
    const RestFace& face = *pose.face;
    std::vector<std::string> cells{std::to_string(i + 1),
                                   std::to_string(pose.faces),
                                   fmt::format("({:.3f}, {:.3f}, {:.3f})", face.normal.x + 0.0,
                                               face.normal.y + 0.0, face.normal.z + 0.0),
                                   fmt::format("{:.4g}", 1e3 * face.height),
                                   fmt::format("{:.4g}", 1e3 * face.margin),
                                   fmt::format("{:.1f}°", face.tilt() * 180 / std::numbers::pi),
                                   fmt::format("{:.4f}", pose.estimate)};
    if (drops) {
      const Interval interval = wilson_interval(pose.count, drops->runs);
      cells.insert(cells.end(),
                   {std::to_string(pose.count),
                    drops->runs == 0 ? "—"
                                     : fmt::format("{:.4f}", static_cast<double>(pose.count) /
                                                                 static_cast<double>(drops->runs)),
                    fmt::format("[{:.4f}, {:.4f}]", interval.low, interval.high)});
    }
    table.add(cells);
  }
  print_stdout("{}", table.text());
  if (!drops) return;
  if (drops->restless > 0)
    print_stdout("  {} of {} drops did not come to rest on a face\n", drops->restless, drops->runs);
  if (drops->uncertified > 0)
    print_stdout("  {} more drops are not certified and not counted\n", drops->uncertified);
}

int find_poses(const PosesArguments& a) {
  const bool mesh = is_mesh(a.scene.scene);
  if (mesh && (!a.body.empty() || !a.scene.set.empty())) throw Error("--body and --set belong to scenes");
  const Part part =
      mesh ? load_part(a.scene.scene, a.scale, a.density) : part_of_scene(a.scene.load(), a.body);
  RestFaces faces;
  try {
    faces = find_rest_faces(part.points, part.body);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", part.name, error.what()));
  }
  std::vector<Pose> poses = poses_of(faces);
  const std::string text = drop_scene(part, faces, {a.friction, a.restitution});
  if (!a.write_scene.empty()) write_text(resolve_output_path(a.write_scene, a.scene.scene), text);
  std::optional<Drops> drops;
  if (a.samples > 0) drops = drop(a, text, faces, poses);
  if (a.json) {
    print_stdout("{}\n", json_text(poses_json(part, poses, drops)));
  } else {
    print_table(part, poses, drops);
  }
  if (drops && drops->interrupted) return interrupt_exit_code();
  return drops && drops->uncertified > 0 ? kExitUncertified : 0;
}

}  // namespace

void add_poses_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<PosesArguments>();
  Command command = line.add_command("poses", "Rest poses of a part on a table, and how likely each is");
  command.add_option("PART", arguments->scene.scene, "A closed mesh (.stl, .obj) or a scene").required();
  command.add_option("--body", arguments->body, "Of a scene: the body, if several move");
  command.add_option("--set", arguments->scene.set, "Of a scene: override a field")
      .disallow_extra_args()
      .take_all();
  command.add_option("--scale", arguments->scale, "Of a mesh: metres per unit of its file, 0.001 for mm")
      .range(1e-9, 1e9)
      .capture_default_str();
  command.add_option("--density", arguments->density, "Of a mesh, kg/m³")
      .range(1e-6, 1e9)
      .capture_default_str();
  command
      .add_option("--samples", arguments->samples,
                  "Number of drops; none: only faces, margins and the estimate")
      .range(1, 1'000'000'000);
  command.add_option("--friction", arguments->friction, "Of part and table")
      .range(0.0, 1e6)
      .capture_default_str();
  command.add_option("--restitution", arguments->restitution, "Of part and table")
      .range(0.0, 1.0)
      .capture_default_str();
  command.add_option("--seed", arguments->seed, "Of the random numbers")
      .range(0, 2'147'483'647)
      .capture_default_str();
  command.add_option("--jobs", arguments->jobs, "Drops at a time").range(1, 1024).capture_default_str();
  command.add_option("-o,--output", arguments->output,
                     "Store the drops in this study, which is continued if it exists");
  command.add_option("--write-scene", arguments->write_scene, "Write the scene of the drops, for pawl sweep");
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "The part rests on a face of its hull if its centre of mass is above it. The margin is the distance "
      "from\n"
      "there to the nearest edge. The estimate is by solid angles, without dynamics. Faces that a rotation "
      "of the\n"
      "part maps to each other are one pose.\n"
      "Examples:\n"
      "  pawl poses part.stl --scale 0.001 --density 7850 --samples 2000\n"
      "  pawl poses scenes/studies/fair_cube.yaml");
  command.callback([arguments, &exit_code] { exit_code = find_poses(*arguments); });
}

}  // namespace pawl::internal::cli
