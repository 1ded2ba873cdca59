#pragma once
// Reads the parameters of a scene. Internal to scene/.

#include <map>
#include <string>

#include <pawl/scene_file/parameters.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {

/// The units that the file itself gives its parameters, by name.
using DeclaredUnits = std::map<std::string, std::string, std::less<>>;
DeclaredUnits declared_units(const YamlNode& root);

/// Fills scene.parameters. A number of --set is in the declared unit.
Parameters read_parameters(const Field& field, const DeclaredUnits& declared, Scene& scene);

}  // namespace pawl::internal
