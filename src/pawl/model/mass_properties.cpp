#include <pawl/model/mass_properties.h>

#include <pawl/model/collision_shape.h>

namespace pawl::internal {

MassProperties mass_properties(const SceneShape& shape, double density, Dimension dimension) {
  if (is_static_only(shape.kind) || density == 0) return {};
  const MassProperties solid = mass_properties(make_collision_shape(shape, dimension));
  const Mat3 R = to_matrix(shape.orientation);
  return {density * solid.mass, shape.position + R * solid.center,
          density * (R * solid.inertia * transpose(R))};
}

MassProperties mass_properties(const SceneBody& body, Dimension dimension) {
  if (body.mass && body.inertia) return {*body.mass, body.center_of_mass, *body.inertia};
  MassProperties sum;
  for (const SceneShape& shape : body.shapes) {
    sum = sum + mass_properties(shape, shape.density.value_or(body.mass ? 1.0 : 0.0), dimension);
  }
  if (body.mass && sum.mass > 0) {  // the shapes give the distribution, `mass` the amount
    sum.inertia = (*body.mass / sum.mass) * sum.inertia;
    sum.mass = *body.mass;
  }
  return sum;
}

}  // namespace pawl::internal
