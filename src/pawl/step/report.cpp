#include <pawl/report.h>

#include <ostream>

#include <fmt/format.h>

namespace pawl {

std::string_view to_string(ContactState state) {
  switch (state) {
    case ContactState::separating:
      return "separating";
    case ContactState::sliding:
      return "sliding";
    case ContactState::sticking:
      return "sticking";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, const StepReport& r) {
  return out << fmt::format("t = {:.6g} s: {} by {}, residual {:.2e}, {} contacts, overlap {:.2e} m", r.time,
                            to_string(r.status), r.solver, r.residual.natural_map, r.contacts,
                            r.gap_violation);
}

}  // namespace pawl
