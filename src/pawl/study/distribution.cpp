#include <pawl/study/distribution.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pawl::internal {
namespace {

template <std::size_t N>
double polynomial(const double (&c)[N], double x) {
  double sum = 0;
  for (std::size_t i = N; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

/// In the upper tail 1 - p keeps its digits where p would be rounded to 1: the interval is mirrored there.
double truncated_normal(double mean, double deviation, double low, double high, double u) {
  const double a = (low - mean) / deviation, b = (high - mean) / deviation;
  double x = 0;
  if (a > 0) {
    const double above_a = normal_below(-a), above_b = normal_below(-b);
    x = -normal_quantile(above_a + u * (above_b - above_a));
  } else {
    const double below_a = normal_below(a), below_b = normal_below(b);
    x = normal_quantile(below_a + u * (below_b - below_a));
  }
  return std::clamp(mean + deviation * x, low, high);
}

double choose(const SceneParameter& p, double u) {
  if (p.weights.empty()) {
    const auto n = static_cast<double>(p.arguments.size());
    return p.arguments[static_cast<std::size_t>(std::min(u * n, n - 1))];
  }
  double sum = 0;
  for (double weight : p.weights) sum += weight;
  double left = u * sum;
  std::size_t last = 0;  // with a weight
  for (std::size_t i = 0; i < p.weights.size(); ++i) {
    if (p.weights[i] == 0) continue;
    last = i;
    left -= p.weights[i];
    if (left < 0) break;
  }
  return p.arguments[last];
}

/// Uniform over all rotations [Shoemake1992].
std::vector<double> rotation(std::span<const double> u) {
  const double a = std::sqrt(1 - u[0]), b = std::sqrt(u[0]);
  const double s = 2 * std::numbers::pi * u[1], t = 2 * std::numbers::pi * u[2];
  return {b * std::cos(t), a * std::sin(s), a * std::cos(s), b * std::sin(t)};
}

}  // namespace

int random_dimensions(const SceneParameter& parameter) {
  switch (parameter.kind) {
    case DistributionKind::fixed:
      return 0;
    case DistributionKind::rotation:
      return 3;
    case DistributionKind::box:
      return static_cast<int>(parameter.arguments.size() / 2);
    default:
      return 1;
  }
}

std::vector<double> draw(const SceneParameter& p, std::span<const double> u) {
  const std::vector<double>& a = p.arguments;
  switch (p.kind) {
    case DistributionKind::fixed:
      return p.nominal;
    case DistributionKind::range:
    case DistributionKind::uniform:
      return {a[0] + u[0] * (a[1] - a[0])};
    case DistributionKind::normal:
      return {a[0] + a[1] * normal_quantile(u[0])};
    case DistributionKind::truncated_normal:
      return {truncated_normal(a[0], a[1], a[2], a[3], u[0])};
    case DistributionKind::lognormal:
      return {a[0] * std::exp(a[1] * normal_quantile(u[0]))};
    case DistributionKind::choice:
      return {choose(p, u[0])};
    case DistributionKind::tolerance:
      return {a[0] + (2 * u[0] - 1) * a[1]};
    case DistributionKind::rotation:
      return rotation(u);
    case DistributionKind::box: {
      std::vector<double> point;
      const std::size_t n = a.size() / 2;
      for (std::size_t i = 0; i < n; ++i) point.push_back(a[i] + u[i] * (a[n + i] - a[i]));
      return point;
    }
  }
  return {};
}

double normal_quantile(double p) {
  static constexpr double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

}  // namespace pawl::internal
