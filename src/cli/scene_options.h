#pragma once
// The arguments that every command on a scene has.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <pawl/scene.h>

namespace pawl::internal::cli {

/// SCENE, --until, --step, --method and --set. The first three are short for --set run.…, so that a
/// trajectory tells in one list how its scene differed from the file.
struct SceneOptions {
  std::string scene, until, step, method;
  std::vector<std::string> set;

  void add_to(CLI::App& command, bool with_step = true);
  Scene load() const;
};

}  // namespace pawl::internal::cli
