#pragma once
// Every key a scene may hold, in one table: the reader refuses all others, and a test holds
// docs/scene.schema.json to it. Internal to scene/.

#include <string_view>
#include <vector>

namespace pawl::internal {

/// The keys of one object of the format. An object whose `type` decides about its keys has one row per type;
/// its `variant` is that type. An object of a single kind has one row with an empty variant.
struct ObjectKeys {
  std::string_view object;
  std::string_view variant;
  std::vector<std::string_view> keys;
};

const std::vector<ObjectKeys>& key_table();

/// The keys of the object, of all its variants together.
std::vector<std::string_view> keys_of(std::string_view object);

/// The keys of one variant.
const std::vector<std::string_view>& keys_of(std::string_view object, std::string_view variant);

}  // namespace pawl::internal
