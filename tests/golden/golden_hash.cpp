// Prints hashes of q and v after a number of steps, one line per scene:
//   golden_hash [--steps N] [--random N] [SCENE.yaml...] [--check FILE]
// With --check the lines are compared with the lines of FILE; the exit code is 1 if any differs.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <pawl/scene_file.h>
#include <pawl/simulation.h>

#include "random_scene.h"

namespace {

/// FNV-1a over the bits of doubles.
class Hash {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The hash of time, q and v, and the number of steps taken: a run ends early at a refused step.
std::string hash_of_run(const pawl::Scene& scene, int steps) {
  const pawl::Model model = pawl::compile(scene);
  pawl::Simulation sim(model, scene.run);
  Hash hash;
  int taken = 0;
  for (; taken < steps; ++taken) {
    if (sim.step().status == pawl::Status::refused) break;
  }
  hash.add(sim.time());
  for (const double x : sim.state().q) hash.add(x);
  for (const double x : sim.state().v) hash.add(x);
  return fmt::format("{:016x} {}", hash.value(), taken);
}

std::string line_of(const pawl::Scene& scene, int steps) {
  try {
    return hash_of_run(scene, steps);
  } catch (const pawl::Error& error) {
    return fmt::format("error {}", error.what());
  }
}

struct Arguments {
  int steps = 200, random = 0;
  std::string check;
  std::vector<std::string> scenes;
};

Arguments parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] {
      if (i + 1 >= argc) throw pawl::Error(argument + " needs a value");
      return std::string(argv[++i]);
    };
    if (argument == "--steps") {
      out.steps = std::stoi(value());
    } else if (argument == "--random") {
      out.random = std::stoi(value());
    } else if (argument == "--check") {
      out.check = value();
    } else {
      out.scenes.push_back(argument);
    }
  }
  return out;
}

std::map<std::string, std::string> read_golden(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw pawl::Error("can't read " + path);
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) lines[line.substr(0, space)] = line.substr(space + 1);
  }
  return lines;
}

int run(const Arguments& arguments) {
  const auto golden =
      arguments.check.empty() ? std::map<std::string, std::string>{} : read_golden(arguments.check);
  int differing = 0, compared = 0;
  const auto report = [&](const std::string& name, const std::string& line) {
    if (arguments.check.empty()) {
      fmt::print("{} {}\n", name, line);
      std::fflush(stdout);
      return;
    }
    ++compared;
    const auto known = golden.find(name);
    if (known != golden.end() && known->second == line) return;
    ++differing;
    fmt::print("{}: {}, expected {}\n", name, line, known == golden.end() ? "no such scene" : known->second);
  };
  for (const std::string& path : arguments.scenes) {
    report(std::filesystem::path(path).stem().string(), line_of(pawl::load_scene(path), arguments.steps));
  }
  for (int seed = 1; seed <= arguments.random; ++seed) {
    const std::string name = fmt::format("random-{}", seed);
    report(name, line_of(pawl::parse_scene(pawl::internal::random_scene(seed), name), arguments.steps));
  }
  if (!arguments.check.empty())
    fmt::print("{} of {} hashes are as expected\n", compared - differing, compared);
  return differing > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "golden_hash: {}\n", error.what());
    return 2;
  }
}
