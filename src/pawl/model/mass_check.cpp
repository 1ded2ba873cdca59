#include "mass_check.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

/// A value of a body that is zero or not finite, or whose inverse is not finite.
struct Fault {
  enum class Of { mass, inertia, center } of;
  double value = 0;
};

bool is_good(double x, bool moves) {
  return std::isfinite(x) && (!moves || (x > 0 && std::isfinite(1 / x)));
}

/// A planar body rotates about z only.
std::optional<Fault> fault_of(const MassProperties& mass, Dimension dimension, bool moves) {
  if (!is_good(mass.mass, moves)) return Fault{Fault::Of::mass, mass.mass};
  for (int i = dimension == Dimension::planar ? 2 : 0; i < 3; ++i) {
    if (!is_good(mass.inertia(i, i), moves)) return Fault{Fault::Of::inertia, mass.inertia(i, i)};
  }
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(mass.center[i])) return Fault{Fault::Of::center, mass.center[i]};
  }
  return std::nullopt;
}

std::string verdict(std::string_view what, double value, std::string_view unit) {
  if (std::isnan(value)) {  // a result of infinities
    return fmt::format("the {} comes out as no number, on the way too large for double precision", what);
  }
  return fmt::format("the {} comes out as {:.6g} {}, too {} for double precision", what, value, unit,
                     std::abs(value) < 1 ? "small" : "large");
}

std::string text_of(const Fault& fault) {
  switch (fault.of) {
    case Fault::Of::mass:
      return verdict("mass", fault.value, "kg");
    case Fault::Of::inertia:
      return verdict("moment of inertia", fault.value, "kg m²");
    case Fault::Of::center:
      return verdict("centre of mass", fault.value, "m");
  }
  return {};
}

/// Reports the shape's size if its volume is out of range by itself, else its density.
[[noreturn]] void refuse_shape(const Scene& scene, const SceneBody& body, std::size_t index,
                               const Fault& fault, double volume, bool moves) {
  const bool planar = scene.dimension == Dimension::planar;
  const std::string_view form = planar ? "area" : "volume", unit = planar ? "m²" : "m³";
  const SceneShape& shape = body.shapes[index];
  const std::string field = fmt::format("bodies.{}.shapes.{}", body.name, index);
  const std::string_view lengths =
      ": lengths are metres, and must make a mass and an inertia that are numbers";
  if (!is_good(volume, moves)) {
    throw SceneError(scene.file, shape.location, field, verdict(form, volume, unit) + std::string(lengths));
  }
  if (fault.of != Fault::Of::mass || !shape.density) {
    throw SceneError(scene.file, shape.location, field, text_of(fault) + std::string(lengths));
  }
  throw SceneError(scene.file, shape.location, field + ".density",
                   fmt::format("{}: {} {:.6g} {} × density {:.6g} kg/{}", text_of(fault), form, volume, unit,
                               *shape.density, unit));
}

}  // namespace

void check_own_mass(const Scene& scene, const SceneBody& body, const MassProperties& own, bool moves) {
  const std::optional<Fault> fault = fault_of(own, scene.dimension, moves);
  if (!fault) return;
  const std::string field = "bodies." + body.name;
  if (body.mass && body.inertia) {
    throw SceneError(scene.file, body.location,
                     field + (fault->of == Fault::Of::mass      ? ".mass"
                              : fault->of == Fault::Of::inertia ? ".inertia"
                                                                : ".center_of_mass"),
                     text_of(*fault));
  }
  bool weighs = false;
  for (std::size_t i = 0; i < body.shapes.size(); ++i) {
    const SceneShape& shape = body.shapes[i];
    const double density = shape.density.value_or(body.mass ? 1.0 : 0.0);
    if (is_static_only(shape.kind) || density == 0) continue;
    weighs = true;
    const std::optional<Fault> of_shape =
        fault_of(mass_properties(shape, density, scene.dimension), scene.dimension, moves);
    if (of_shape) {
      refuse_shape(scene, body, i, *of_shape, mass_properties(shape, 1, scene.dimension).mass, moves);
    }
  }
  if (weighs) throw SceneError(scene.file, body.location, field, text_of(*fault));
}

void check_rigid_mass(const Scene& scene, const SceneBody& body, const MassProperties& whole) {
  if (const std::optional<Fault> fault = fault_of(whole, scene.dimension, true)) {
    throw SceneError(scene.file, body.location, "bodies." + body.name,
                     "with what is welded to it, " + text_of(*fault));
  }
}

}  // namespace pawl::internal
