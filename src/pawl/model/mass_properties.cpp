#include <pawl/model/mass_properties.h>

#include <numbers>

namespace pawl {
namespace {

constexpr double kPi = std::numbers::pi;

/// Inertia about another point: + m (|d|² 1 - d dᵀ).
Mat3 shifted(const Mat3& inertia, double mass, const Vec3& d) {
  return inertia + mass * (dot(d, d) * Mat3::identity() - outer(d, d));
}

/// A planar inertia J turns about z only; the other entries never act, and J there keeps the matrix regular.
Mat3 planar_inertia(double J) {
  return J * Mat3::identity();
}

struct Local {  // about the shape's own centre, in the shape's axes
  double mass;
  Mat3 inertia;
};

Local sphere(double r, double density, Dimension dimension) {
  if (dimension == Dimension::planar) {
    const double m = density * kPi * r * r;
    return {m, planar_inertia(0.5 * m * r * r)};
  }
  const double m = density * 4.0 / 3.0 * kPi * r * r * r;
  return {m, 0.4 * m * r * r * Mat3::identity()};
}

Local capsule(double r, double length, double density, Dimension dimension) {
  const double half = 0.5 * length;
  if (dimension == Dimension::planar) {  // a rectangle and a disc cut in two; 4r/3π: a half disc's centre
    const double m_box = density * length * 2 * r;
    const double m_disc = density * kPi * r * r;
    const double c = 4 * r / (3 * kPi);
    const double J_disc = m_disc * (0.5 * r * r - c * c + (half + c) * (half + c));
    return {m_box + m_disc, planar_inertia(m_box * (length * length + 4 * r * r) / 12 + J_disc)};
  }
  // A cylinder along z and a ball cut in two; 3r/8: a half ball's centre.
  const double m_cyl = density * kPi * r * r * length;
  const double m_ball = density * 4.0 / 3.0 * kPi * r * r * r;
  const double c = 0.375 * r;
  const double along = m_cyl * 0.5 * r * r + m_ball * 0.4 * r * r;
  const double across = m_cyl * (0.25 * r * r + length * length / 12) +
                        m_ball * (0.4 * r * r - c * c + (half + c) * (half + c));
  return {m_cyl + m_ball, Mat3::diagonal({across, across, along})};
}

}  // namespace

MassProperties mass_properties(const SceneShape& shape, double density, Dimension dimension) {
  if (shape.kind == ShapeKind::half_space) return {};
  const Local local = shape.kind == ShapeKind::sphere
                          ? sphere(shape.radius, density, dimension)
                          : capsule(shape.radius, shape.length, density, dimension);
  const Mat3 R = to_matrix(shape.orientation);
  return {local.mass, shape.position, R * local.inertia * transpose(R)};
}

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {};
  const Vec3 center = (a.mass * a.center + b.mass * b.center) / mass;
  return {mass, center,
          shifted(a.inertia, a.mass, a.center - center) + shifted(b.inertia, b.mass, b.center - center)};
}

MassProperties mass_properties(const SceneBody& body, Dimension dimension) {
  if (body.mass && body.inertia) return {*body.mass, body.center_of_mass, *body.inertia};
  MassProperties sum;
  for (const SceneShape& shape : body.shapes) {
    sum = sum + mass_properties(shape, shape.density.value_or(body.mass ? 1.0 : 0.0), dimension);
  }
  if (body.mass && sum.mass > 0) {  // the shapes give the form, the given mass the amount
    sum.inertia = (*body.mass / sum.mass) * sum.inertia;
    sum.mass = *body.mass;
  }
  return sum;
}

}  // namespace pawl
