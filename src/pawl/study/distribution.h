#pragma once
// Values of parameters from numbers in (0, 1), by the inverse of the distribution function.

#include <span>
#include <vector>

#include <pawl/parameter.h>

namespace pawl::internal {

/// Numbers in (0, 1) that a value takes: 1, of a rotation 3, of a box one per coordinate; 0 if it is fixed.
int random_dimensions(const SceneParameter& parameter);

/// The components of the value in the parameter's unit.
std::vector<double> draw(const SceneParameter& parameter, std::span<const double> u);

/// Inverse of the distribution function of the normal distribution, by algorithm AS 241 (relative error
/// 1e-16) [Wichura1988].
double normal_quantile(double p);

}  // namespace pawl::internal
