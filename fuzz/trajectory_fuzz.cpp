// Fuzzes the trajectory reader. A short run is recorded once; the input bytes are instructions that damage a
// copy of its file. Half of the damage is at the structures that HDF5 does not protect by checksums.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <pawl/error.h>
#include <pawl/hdf5/exit.h>
#include <pawl/record/csv.h>
#include <pawl/record/recorder.h>
#include <pawl/scene_file.h>
#include <pawl/trajectory.h>

namespace {

using namespace pawl;
using namespace pawl::internal;

constexpr const char* kScene =
    "pawl: 1\n"
    "materials: {plain: {friction: 0.3}}\n"
    "bodies:\n"
    "  floor: {joint: {type: weld}, shapes: [{type: half-space, material: plain}]}\n"
    "  ball: {mass: 1, position: [0, 0, 0.1], velocity: [1, 0, 0], shapes: [{type: sphere, radius: 0.1, "
    "material: plain}]}\n"
    "run: {step: 0.01, method: stewart-trinkle}\n";

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The file of a run with one row per chunk, so that its chunk indices have several levels after 64 rows.
std::string record_run(const std::string& until) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pawl-fuzz-" + std::to_string(::getpid()));
  const Scene scene = parse_scene(kScene, "ball.yaml", {"run.until=" + until});
  const Model model = compile(scene);
  Simulation simulation(model, scene.run);
  TrajectoryWriter writer(path, describe_run(scene, model), {.chunk_rows = 1, .flush_seconds = 1e9});
  Recorder recorder(simulation, scene.run, writer);
  while (!simulation.at_end()) recorder.add(simulation.step());
  writer.finish(true);
  std::string bytes = read_file(path);
  std::filesystem::remove(path);
  return bytes;
}

/// Starts of heaps of strings, nodes of chunk indices, and attributes.
std::vector<std::size_t> weak_spots(const std::string& bytes) {
  std::vector<std::size_t> spots;
  for (const char* mark : {"GCOL", "TREE", "columns", "bodies"}) {
    for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
      spots.push_back(at);
  }
  return spots;
}

class Instructions {
 public:
  Instructions(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= std::uint64_t{empty() ? std::uint8_t{0} : data_[at_++]} << (8 * i);
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void apply(Instructions& instructions, const std::vector<std::size_t>& spots, std::string& bytes) {
  const std::uint64_t what = instructions.number(1);
  const std::size_t spot = what % 2 == 0 ? 0 : spots[instructions.number(1) % spots.size()];
  const std::size_t at = spot + instructions.number(what % 2 == 0 ? 3 : 1);
  const auto put = [&](std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      bytes[(at + i) % bytes.size()] = static_cast<char>(value >> (8 * i));
  };
  switch (what / 2 % 5) {
    case 0:
      return put(instructions.number(1), 1);
    case 1:
      bytes[at % bytes.size()] ^= static_cast<char>(1 << instructions.number(1) % 8);
      return;
    case 2:
      return put(instructions.number(8), 8);
    case 3:  // the address of another structure
      return put(spots[instructions.number(1) % spots.size()], 8);
    case 4:
      if (what >= 200) bytes.resize(bytes.size() - at % bytes.size());
      return;
  }
}

void read(const std::string& path) {
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  try {
    const Trajectory run = read_trajectory(path);
    if (run.q.size() != run.time.size() * run.info.q_columns.size()) std::abort();
    summarize(run);
    for (const CsvTable table : {CsvTable::states, CsvTable::steps, CsvTable::contacts})
      print_csv(run, nowhere, "nowhere", table);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool prepared = (h5::do_not_clean_up_at_exit(), true);
  (void)prepared;
  // Long runs take long to read.
  static const std::string runs[] = {record_run("0.02"), record_run("0.7")};
  static const std::vector<std::size_t> all_spots[] = {weak_spots(runs[0]), weak_spots(runs[1])};
  static const int file = ::memfd_create("trajectory", MFD_CLOEXEC);
  Instructions instructions(data, size);
  const bool is_long = instructions.number(1) % 16 == 1;
  const std::vector<std::size_t>& spots = all_spots[is_long];
  std::string bytes = runs[is_long];
  for (int i = 0; i < 16 && !instructions.empty() && !bytes.empty(); ++i) apply(instructions, spots, bytes);
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  read("/proc/self/fd/" + std::to_string(file));
  return 0;
}
