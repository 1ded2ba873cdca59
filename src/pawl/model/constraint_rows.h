#pragma once
// What joints ask of the motion, in rows: how far each is from being met, and what changes it.

#include <array>
#include <span>
#include <vector>

#include <pawl/model/kinematics.h>

namespace pawl {

/// Up to three rows of one unit, m or rad. A row's rate is
///   force · (velocity of point_a of body a - velocity of point_b of body b) + torque · (spin of a - spin of
///   b),
/// or, of a block about joint coordinates, v[rate_a] - ratio v[rate_b].
struct ConstraintBlock {
  int rows = 0;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;  // world, m
  std::array<Vec3, 3> force{}, torque{};
  int rate_a = -1, rate_b = -1;  // in v
  int q_a = -1, q_b = -1;        // in q
  double ratio = 0;
  std::array<double, 3> error{};  // Θ: 0 where the joint is met
};

/// The blocks of all joints at a placement of coordinates q, always as many and in the same order. Every
/// row's rate is exactly the derivative of its error.
void constraint_blocks(const Model& model, const Kinematics& placed, std::span<const double> q,
                       std::vector<ConstraintBlock>& blocks);

/// How fast the bodies move where a block holds them, m/s or rad/s, and how large what its errors are
/// computed from is, m or rad: what its errors are measured by.
double rate_size(const ConstraintBlock& block, const Kinematics& placed, std::span<const double> v);
double place_size(const ConstraintBlock& block, const Kinematics& placed, std::span<const double> q);

/// The largest |Θ|, m or rad: the joints' part of the infeasibility I(q) of [AnitescuMillerHart2003, (3.15)].
double largest_error(std::span<const ConstraintBlock> blocks);

}  // namespace pawl
