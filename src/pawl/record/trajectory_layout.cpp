#include <pawl/record/trajectory_layout.h>

#include <array>
#include <type_traits>

namespace pawl::internal::layout {
namespace {

static_assert(std::is_standard_layout_v<StepReport> && std::is_standard_layout_v<ContactRecord> &&
                  std::is_standard_layout_v<EnergyLedger> && std::is_standard_layout_v<JointForces>,
              "columns are found by offsetof");
static_assert(sizeof(Vec3) == 3 * sizeof(double));

template <class Enum, Enum... values>
std::span<const std::string_view> names_of() {
  static const std::array<std::string_view, sizeof...(values)> names{to_string(values)...};
  return names;
}

/// The column for a struct member of type T.
template <class T>
Column column(std::string_view name, std::string_view unit, std::size_t offset) {
  if constexpr (std::is_same_v<T, double>) {
    return {name, unit, offset, CellType::real, "", {}, false};
  } else if constexpr (std::is_same_v<T, Vec3>) {
    return {name, unit, offset, CellType::real, "xyz", {}, false};
  } else if constexpr (std::is_same_v<T, std::array<double, 4>>) {
    return {name, unit, offset, CellType::real, "ntor", {}, false};
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return {name, unit, offset, CellType::integer, "", {}, false};
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return {name, unit, offset, CellType::count, "", {}, false};
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return {name, unit, offset, CellType::name, "", {}, false};
  } else if constexpr (std::is_same_v<T, Status>) {
    using enum Status;
    return {
        name, unit, offset, CellType::choice, "", names_of<T, certified, approximate, refused, no_solution>(),
        false};
  } else if constexpr (std::is_same_v<T, ImpactEvent>) {
    using enum ImpactEvent;
    return {
        name, unit, offset, CellType::choice, "", names_of<T, start, tangential_pause, normal_pause, end>(),
        false};
  } else {
    static_assert(std::is_same_v<T, ContactState>);
    using enum ContactState;
    return {name, unit, offset, CellType::choice, "", names_of<T, separating, sliding, sticking>(), false};
  }
}

Column phrase_column(Column column) {
  column.type = CellType::phrase;
  return column;
}

Column optional_column(Column column) {
  column.is_optional = true;
  return column;
}

#define PAWL_COLUMN(Row, member, name, unit) column<decltype(Row::member)>(name, unit, offsetof(Row, member))

}  // namespace

const Table& energy_table() {
  static const Column columns[] = {
      PAWL_COLUMN(EnergyLedger, kinetic, "kinetic", "J"),
      PAWL_COLUMN(EnergyLedger, potential, "potential", "J"),
      PAWL_COLUMN(EnergyLedger, normal, "normal", "J"),
      PAWL_COLUMN(EnergyLedger, stabilisation, "stabilisation", "J"),
      PAWL_COLUMN(EnergyLedger, friction, "friction", "J"),
      PAWL_COLUMN(EnergyLedger, joints, "joints", "J"),
      PAWL_COLUMN(EnergyLedger, limits, "limits", "J"),
      PAWL_COLUMN(EnergyLedger, motors, "motors", "J"),
      PAWL_COLUMN(EnergyLedger, applied, "applied", "J"),
      PAWL_COLUMN(EnergyLedger, discretisation, "discretisation", "J"),
      PAWL_COLUMN(EnergyLedger, imbalance, "imbalance", "J"),
      optional_column(PAWL_COLUMN(EnergyLedger, stored, "stored", "J")),
      optional_column(PAWL_COLUMN(EnergyLedger, returned, "returned", "J")),
  };
  static const Table table{"energy", columns};
  return table;
}

const Table& step_table() {
  static const Column columns[] = {
      PAWL_COLUMN(StepReport, time, "time", "s"),
      PAWL_COLUMN(StepReport, step, "step", "s"),
      PAWL_COLUMN(StepReport, status, "status", "1"),
      PAWL_COLUMN(StepReport, method, "method", "1"),
      PAWL_COLUMN(StepReport, solver, "solver", "1"),
      phrase_column(PAWL_COLUMN(StepReport, reason, "reason", "1")),
      PAWL_COLUMN(StepReport, contacts, "contacts", "1"),
      PAWL_COLUMN(StepReport, problem_size, "problem_size", "1"),
      PAWL_COLUMN(StepReport, solves, "solves", "1"),
      PAWL_COLUMN(StepReport, iterations, "iterations", "1"),
      PAWL_COLUMN(StepReport, passes, "passes", "1"),
      PAWL_COLUMN(StepReport, halvings, "halvings", "1"),
      PAWL_COLUMN(StepReport, impacts, "impacts", "1"),
      PAWL_COLUMN(StepReport, inelastic, "inelastic", "1"),
      PAWL_COLUMN(StepReport, impact_gain, "impact_gain", "J"),
      PAWL_COLUMN(StepReport, residual.natural_map, "natural_map", "1"),
      PAWL_COLUMN(StepReport, residual.momentum, "momentum", "1"),
      PAWL_COLUMN(StepReport, residual.penetration_rate, "penetration_rate", "m/s"),
      PAWL_COLUMN(StepReport, residual.tension, "tension", "N s"),
      PAWL_COLUMN(StepReport, residual.complementarity, "complementarity", "J"),
      PAWL_COLUMN(StepReport, residual.friction_excess, "friction_excess", "N s"),
      PAWL_COLUMN(StepReport, residual.work_defect, "work_defect", "J"),
      PAWL_COLUMN(StepReport, residual.energy_gain, "energy_gain", "J"),
      PAWL_COLUMN(StepReport, residual.bilateral, "bilateral", "1"),
      PAWL_COLUMN(StepReport, gap_violation, "gap_violation", "m"),
      PAWL_COLUMN(StepReport, joint_violation, "joint_violation", "m or rad"),
      PAWL_COLUMN(StepReport, fixed_point_error, "fixed_point_error", "1"),
      optional_column(PAWL_COLUMN(StepReport, slack, "slack", "m")),
      optional_column(PAWL_COLUMN(StepReport, local_error, "local_error", "1")),
      optional_column(PAWL_COLUMN(StepReport, ambiguous, "ambiguous", "1")),
      optional_column(PAWL_COLUMN(StepReport, motion, "motion", "1")),
      optional_column(PAWL_COLUMN(StepReport, body_a, "body_a", "1")),
      optional_column(PAWL_COLUMN(StepReport, body_b, "body_b", "1")),
  };
  static const Table table{"steps", columns};
  return table;
}

const Table& contact_table() {
  static const Column columns[] = {
      PAWL_COLUMN(ContactRecord, body_a, "body_a", "1"),
      PAWL_COLUMN(ContactRecord, body_b, "body_b", "1"),
      PAWL_COLUMN(ContactRecord, shape_a, "shape_a", "1"),
      PAWL_COLUMN(ContactRecord, shape_b, "shape_b", "1"),
      PAWL_COLUMN(ContactRecord, feature, "feature", "1"),
      PAWL_COLUMN(ContactRecord, state, "state", "1"),
      PAWL_COLUMN(ContactRecord, point, "point", "m"),
      PAWL_COLUMN(ContactRecord, normal, "normal", "1"),
      PAWL_COLUMN(ContactRecord, tangent, "tangent", "1"),
      PAWL_COLUMN(ContactRecord, gap, "gap", "m"),
      PAWL_COLUMN(ContactRecord, impulse, "impulse", "N s, N s, N s, N m s"),
      PAWL_COLUMN(ContactRecord, velocity, "velocity", "m/s, m/s, m/s, rad/s"),
  };
  static const Table table{"contacts", columns};
  return table;
}

const Table& impact_table() {
  static const Column columns[] = {
      optional_column(PAWL_COLUMN(ImpactRecord, time, "time", "s")),
      optional_column(PAWL_COLUMN(ImpactRecord, impact, "impact", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, body_a, "body_a", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, body_b, "body_b", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, shape_a, "shape_a", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, shape_b, "shape_b", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, feature, "feature", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, event, "event", "1")),
      optional_column(PAWL_COLUMN(ImpactRecord, p_n, "p_n", "N s")),
      optional_column(PAWL_COLUMN(ImpactRecord, E_n, "E_n", "J")),
      optional_column(PAWL_COLUMN(ImpactRecord, E_f, "E_f", "J")),
  };
  static const Table table{"impacts", columns};
  return table;
}

const Table& joint_table() {
  static const Column columns[] = {
      optional_column(PAWL_COLUMN(JointForces, time, "time", "s")),
      optional_column(PAWL_COLUMN(JointForces, body_a, "body_a", "1")),
      optional_column(PAWL_COLUMN(JointForces, body_b, "body_b", "1")),
      optional_column(PAWL_COLUMN(JointForces, joint, "joint", "1")),
      optional_column(PAWL_COLUMN(JointForces, reaction.force, "force", "N")),
      optional_column(PAWL_COLUMN(JointForces, reaction.torque, "torque", "N m")),
      optional_column(PAWL_COLUMN(JointForces, motor, "motor", "N or N m")),
      optional_column(PAWL_COLUMN(JointForces, limit, "limit", "N or N m")),
      optional_column(PAWL_COLUMN(JointForces, friction, "friction", "N or N m")),
      optional_column(PAWL_COLUMN(JointForces, spring, "spring", "N or N m")),
      optional_column(PAWL_COLUMN(JointForces, damper, "damper", "N or N m")),
      optional_column(PAWL_COLUMN(JointForces, coupling, "coupling", "N or N m")),
  };
  static const Table table{"joints", columns};
  return table;
}

#undef PAWL_COLUMN

std::size_t cell_bytes(CellType type) {
  switch (type) {
    case CellType::real:
      return sizeof(double);
    case CellType::integer:
      return sizeof(std::int32_t);
    case CellType::count:
      return sizeof(std::uint64_t);
    case CellType::choice:
      return 1;
    case CellType::name:
      return kNameBytes;
    case CellType::phrase:
      return kPhraseBytes;
  }
  return 0;
}

}  // namespace pawl::internal::layout
