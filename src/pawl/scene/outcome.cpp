#include <pawl/outcome.h>

namespace pawl {

std::string_view to_string(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::pose:
      return "pose";
    case OutcomeKind::value:
      return "value";
    case OutcomeKind::event:
      return "event";
    case OutcomeKind::rest:
      return "rest";
    case OutcomeKind::gate:
      return "gate";
    case OutcomeKind::force:
      return "force";
    case OutcomeKind::jam:
      return "jam";
  }
  return "?";
}

std::string_view to_string(OutcomeTake take) {
  switch (take) {
    case OutcomeTake::end:
      return "end";
    case OutcomeTake::min:
      return "min";
    case OutcomeTake::max:
      return "max";
    case OutcomeTake::mean:
      return "mean";
  }
  return "?";
}

}  // namespace pawl
