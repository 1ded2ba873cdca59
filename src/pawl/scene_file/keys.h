#pragma once
// The table of all keys of the scene format. The reader refuses any other key, and a test compares the table
// with docs/scene.schema.json. Internal to scene/.

#include <string_view>
#include <vector>

namespace pawl::internal {

/// The keys of one object of the format. An object whose keys depend on its `type` has one row per type, with
/// the type as `variant`. Any other object has one row with an empty variant.
struct ObjectKeys {
  std::string_view object;
  std::string_view variant;
  std::vector<std::string_view> keys;
};

const std::vector<ObjectKeys>& key_table();

/// The keys of all variants of the object.
std::vector<std::string_view> keys_of(std::string_view object);

/// The keys of one variant of the object.
const std::vector<std::string_view>& keys_of(std::string_view object, std::string_view variant);

}  // namespace pawl::internal
