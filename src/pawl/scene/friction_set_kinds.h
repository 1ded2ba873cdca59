#pragma once
// The table of friction sets of a scene: names, keys and the set of the contact problem. Not installed.

#include <span>
#include <string_view>
#include <vector>

#include <pawl/friction_set.h>
#include <pawl/scene.h>

namespace pawl::internal {

struct FrictionSetKindRow {
  FrictionSetKind kind;
  std::string_view name;
  FrictionKind exact;  // in contact problems, where friction is exact
  std::vector<std::string_view> keys;
};

/// All kinds, in the order of FrictionSetKind.
std::span<const FrictionSetKindRow> friction_set_kinds();
const FrictionSetKindRow& friction_set_kind(FrictionSetKind kind);

}  // namespace pawl::internal
