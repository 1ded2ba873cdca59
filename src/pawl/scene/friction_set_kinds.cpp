#include <pawl/scene/friction_set_kinds.h>

#include <cassert>

namespace pawl::internal {

std::span<const FrictionSetKindRow> friction_set_kinds() {
  using enum FrictionSetKind;
  static const std::vector<FrictionSetKindRow> rows{
      {ellipsoid,
       "ellipsoid",
       FrictionKind::ellipsoid,
       {"type", "e_t", "e_o", "e_r", "directions", "along", "of"}},
      {polyhedron,
       "polyhedron",
       FrictionKind::polyhedron,
       {"type", "e_t", "e_o", "e_r", "directions", "along", "of"}},
      {mixed, "mixed", FrictionKind::mixed, {"type", "e_t", "e_o", "e_r", "directions", "along", "of"}},
      {planar, "planar", FrictionKind::polyhedron, {"type", "e_t", "along", "of"}},
      {none, "none", FrictionKind::none, {"type"}},
  };
  return rows;
}

const FrictionSetKindRow& friction_set_kind(FrictionSetKind kind) {
  const FrictionSetKindRow& row = friction_set_kinds()[static_cast<std::size_t>(kind)];
  assert(row.kind == kind);
  return row;
}

}  // namespace pawl::internal

namespace pawl {

std::string_view to_string(FrictionSetKind kind) {
  return internal::friction_set_kind(kind).name;
}

}  // namespace pawl
