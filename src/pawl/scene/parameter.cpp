#include <pawl/parameter.h>

namespace pawl {

std::string_view to_string(DistributionKind kind) {
  switch (kind) {
    case DistributionKind::fixed:
      return "fixed";
    case DistributionKind::range:
      return "range";
    case DistributionKind::uniform:
      return "uniform";
    case DistributionKind::normal:
      return "normal";
    case DistributionKind::truncated_normal:
      return "truncated_normal";
    case DistributionKind::lognormal:
      return "lognormal";
    case DistributionKind::choice:
      return "choice";
    case DistributionKind::tolerance:
      return "tolerance";
    case DistributionKind::rotation:
      return "rotation";
    case DistributionKind::box:
      return "box";
  }
  return "?";
}

}  // namespace pawl
