#include <pawl/view/quantity.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/record/trajectory_layout.h>
#include <pawl/view/downsampler.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kRowsPerBlock = 4096;  // rows read at a time

template <class Row>
double column_value(const Row& row, const layout::Column& column) {
  const std::byte* at = reinterpret_cast<const std::byte*>(&row) + column.offset;
  if (column.type == layout::CellType::integer) {
    std::int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  double value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Collects rows of values over time and downsamples them at the end.
class Table {
 public:
  Table(std::vector<std::string> names, std::uint64_t rows) : names_(std::move(names)) {
    values_.reserve(rows * names_.size());
  }

  void add(double time, std::initializer_list<double> row) { add(time, std::vector<double>(row)); }
  void add(double time, const std::vector<double>& row) {
    time_.push_back(time);
    values_.insert(values_.end(), row.begin(), row.end());
  }

  std::vector<QuantityCurve> curves(std::uint64_t points) const {
    const std::size_t width = names_.size();
    Downsampler downsampler(time_.size(), points, width);
    for (std::size_t i = 0; i < time_.size(); ++i) downsampler.add(&values_[i * width]);
    const std::vector<std::uint64_t> kept = downsampler.finish();
    std::vector<QuantityCurve> curves;
    for (std::size_t c = 0; c < width; ++c) {
      QuantityCurve& curve = curves.emplace_back();
      curve.name = names_[c];
      for (const std::uint64_t row : kept) {
        curve.time.push_back(time_[row]);
        curve.value.push_back(values_[row * width + c]);
      }
    }
    return curves;
  }

 private:
  std::vector<std::string> names_;
  std::vector<double> time_, values_;
};

/// One state of a run with its kinematics.
struct StateView {
  const RunView& run;
  const StateRows& rows;
  std::uint64_t row;  // index in `rows`
  std::uint64_t state;
  const Kinematics& kinematics;

  std::span<const ContactRecord> contacts() const {
    const std::uint64_t begin = rows.contact_offset[row];
    return std::span(rows.contacts).subspan(begin, rows.contact_offset[row + 1] - begin);
  }
};

/// Values of one state, one per name.
using StateValues = std::function<std::vector<double>(const StateView& state)>;

std::vector<QuantityCurve> sample_states(const RunView& run, std::uint64_t points,
                                         std::vector<std::string> names, const StateValues& evaluate) {
  const Model& model = run.model();
  Table table(std::move(names), run.states());
  Kinematics kinematics;
  for (std::uint64_t first = 0; first < run.states(); first += kRowsPerBlock) {
    const StateRows rows = run.reader().read_states(first, std::min(kRowsPerBlock, run.states() - first));
    const std::span<const double> q(rows.q), v(rows.v);
    for (std::uint64_t i = 0; i < rows.time.size(); ++i) {
      position_kinematics(model, q.subspan(i * model.nq, model.nq), kinematics);
      velocity_kinematics(model, v.subspan(i * model.nv, model.nv), kinematics);
      table.add(rows.time[i], evaluate({run, rows, i, first + i, kinematics}));
    }
  }
  return table.curves(points);
}

std::vector<double> vector_components(const Vec3& v, bool planar) {
  return planar ? std::vector<double>{v.x, v.y} : std::vector<double>{v.x, v.y, v.z};
}

std::vector<std::string> axes(bool planar, const std::string& letter = "") {
  std::vector<std::string> names;
  for (const char* axis : {"x", "y", "z"})
    names.push_back(letter.empty() ? axis : fmt::format("{}_{}", letter, axis));
  if (planar) names.pop_back();
  return names;
}

/// Force of a contact on body a, in world axes.
Vec3 contact_force(const ContactRecord& contact, double h) {
  if (!(h > 0)) return {};
  const Vec3 o = cross(contact.normal, contact.tangent);
  return (contact.impulse[0] * contact.normal + contact.impulse[1] * contact.tangent +
          contact.impulse[2] * o) /
         h;
}

Quantity energy(const RunView& run, std::uint64_t points) {
  return {"Energy", "J",
          sample_states(run, points, {"kinetic", "potential", "total"}, [](const StateView& s) {
            const EnergyLedger& e = s.rows.energy[s.row];
            return std::vector<double>{e.kinetic, e.potential, e.kinetic + e.potential};
          })};
}

Quantity work(const RunView& run, std::uint64_t points) {
  std::vector<layout::Column> columns;
  std::vector<std::string> names;
  for (const layout::Column& column : layout::energy_table().columns) {
    if (column.name == "kinetic" || column.name == "potential") continue;
    columns.push_back(column);
    names.emplace_back(column.name);
  }
  Quantity work{"Work since the start", "J", sample_states(run, points, names, [&](const StateView& s) {
                  std::vector<double> values;
                  for (const layout::Column& column : columns)
                    values.push_back(column_value(s.rows.energy[s.row], column));
                  return values;
                })};
  // Most runs have no motors, joints or limits: drop curves that are zero throughout.
  std::erase_if(work.curves, [](const QuantityCurve& curve) {
    return std::ranges::all_of(curve.value, [](double value) { return value == 0; });
  });
  return work;
}

Quantity gap(const RunView& run, std::uint64_t points) {
  return {"Least gap of the contacts", "m", sample_states(run, points, {"gap"}, [](const StateView& s) {
            double min_gap = std::numeric_limits<double>::quiet_NaN();  // without contacts
            for (const ContactRecord& contact : s.contacts()) min_gap = std::fmin(min_gap, contact.gap);
            return std::vector<double>{min_gap};
          })};
}

Quantity force(const RunView& run, std::uint64_t points) {
  return {"Contact forces", "N",
          sample_states(run, points, {"sum of normal", "greatest normal", "sum of friction"},
                        [](const StateView& s) {
                          const double h = s.run.step_size_of_state(s.state);
                          double sum = 0, max_normal = 0, friction = 0;
                          for (const ContactRecord& contact : s.contacts()) {
                            const double n = h > 0 ? contact.impulse[0] / h : 0;
                            sum += n;
                            max_normal = std::max(max_normal, n);
                            if (h > 0) friction += std::hypot(contact.impulse[1], contact.impulse[2]) / h;
                          }
                          return std::vector<double>{sum, max_normal, friction};
                        })};
}

Quantity force_on(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Contact force on " + run.model().body_names[body], "N",
          sample_states(run, points, axes(planar, "f"), [=](const StateView& s) {
            const double h = s.run.step_size_of_state(s.state);
            Vec3 sum;
            for (const ContactRecord& contact : s.contacts()) {
              if (contact.body_a == body) sum += contact_force(contact, h);
              if (contact.body_b == body) sum -= contact_force(contact, h);
            }
            return vector_components(sum, planar);
          })};
}

Quantity position(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Position of " + run.model().body_names[body], "m",
          sample_states(run, points, axes(planar), [=](const StateView& s) {
            return vector_components(frame_pose(s.run.model(), s.kinematics, body).p, planar);
          })};
}

Quantity velocity(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Velocity of " + run.model().body_names[body], "m/s",
          sample_states(run, points, axes(planar, "v"),
                        [=](const StateView& s) { return vector_components(s.kinematics.c[body], planar); })};
}

Quantity speed(const RunView& run, int body, std::uint64_t points) {
  return {"Speed of " + run.model().body_names[body], "m/s",
          sample_states(run, points, {"speed"},
                        [=](const StateView& s) { return std::vector<double>{norm(s.kinematics.c[body])}; })};
}

Quantity angular_velocity(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Angular velocity of " + run.model().body_names[body], "rad/s",
          sample_states(run, points, planar ? std::vector<std::string>{"ω"} : axes(false, "ω"),
                        [=](const StateView& s) {
                          const Vec3& w = s.kinematics.w[body];
                          return planar ? std::vector<double>{w.z} : std::vector<double>{w.x, w.y, w.z};
                        })};
}

/// Forces of the joint of a body to its parent, over the recorded states.
template <class Values>
Quantity of_joint(const RunView& run, int body, const std::string& title, const std::string& unit,
                  std::vector<std::string> names, std::uint64_t points, Values values) {
  const std::vector<JointForces> joints = run.reader().read_joints();
  Table table(std::move(names), joints.size());
  bool any = false;
  for (const JointForces& joint : joints) {
    if (joint.body_a != body || joint.joint >= 0) continue;
    table.add(joint.time, values(joint));
    any = true;
  }
  if (!any) {
    throw Error(
        fmt::format("{}: there are no forces in a joint of '{}': they are recorded by --set "
                    "run.record.forces=true, of joints to parents that can move",
                    run.path(), run.model().body_names[body]));
  }
  return {title + run.model().body_names[body], unit, table.curves(points)};
}

Quantity joint_force(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return of_joint(run, body, "Force in the joint of ", "N", axes(planar, "f"), points,
                  [=](const JointForces& joint) { return vector_components(joint.reaction.force, planar); });
}

Quantity joint_torque(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return of_joint(run, body, "Torque in the joint of ", "N m",
                  planar ? std::vector<std::string>{"τ"} : axes(false, "τ"), points,
                  [=](const JointForces& joint) {
                    const Vec3& t = joint.reaction.torque;
                    return planar ? std::vector<double>{t.z} : std::vector<double>{t.x, t.y, t.z};
                  });
}

Quantity joint_parts(const RunView& run, int body, std::uint64_t points) {
  return of_joint(
      run, body, "Forces along the joint of ", "N or N m", {"motor", "limit", "friction", "spring", "damper"},
      points, [](const JointForces& joint) {
        return std::vector<double>{joint.motor, joint.limit, joint.friction, joint.spring, joint.damper};
      });
}

/// A column of /steps.
Quantity step_quantity(const RunView& run, const layout::Column& column, std::uint64_t points) {
  Table table({std::string(column.name)}, run.steps());
  for (std::uint64_t first = 0; first < run.steps(); first += kRowsPerBlock) {
    for (const StepReport& step :
         run.reader().read_steps(first, std::min(kRowsPerBlock, run.steps() - first))) {
      table.add(step.time, {column_value(step, column)});
    }
  }
  Quantity quantity{fmt::format("Steps: {}", column.name), std::string(column.unit), table.curves(points)};
  quantity.steps = true;
  return quantity;
}

Quantity residual(const RunView& run, std::uint64_t points) {
  const auto columns = layout::step_table().columns;
  Quantity quantity =
      step_quantity(run, *std::ranges::find(columns, "natural_map", &layout::Column::name), points);
  quantity.title = "Residual of each step";
  quantity.curves[0].name = "residual";
  quantity.logarithmic = true;
  quantity.level = run.reader().info().tolerance;
  return quantity;
}

/// A column of q or v. Joint coordinates may be angles or lengths; the file does not store which.
Quantity column(const RunView& run, bool is_q, std::size_t index, std::uint64_t points) {
  const std::string& name =
      is_q ? run.reader().info().q_columns[index] : run.reader().info().v_columns[index];
  return {name, is_q ? "m or rad" : "m/s or rad/s",
          sample_states(run, points, {name}, [=](const StateView& s) {
            const Model& model = s.run.model();
            return std::vector<double>{is_q ? s.rows.q[s.row * model.nq + index]
                                            : s.rows.v[s.row * model.nv + index]};
          })};
}

struct RunQuantity {
  const char* name;
  Quantity (*make)(const RunView&, std::uint64_t);
};
constexpr RunQuantity kRunQuantities[] = {
    {"energy", energy}, {"work", work}, {"gap", gap}, {"force", force}, {"residual", residual}};

struct BodyQuantity {
  const char* name;
  Quantity (*make)(const RunView&, int, std::uint64_t);
};
constexpr BodyQuantity kBodyQuantities[] = {{"position", position},
                                            {"velocity", velocity},
                                            {"speed", speed},
                                            {"angular_velocity", angular_velocity},
                                            {"force", force_on}};
// Of runs that recorded the forces in joints.
constexpr BodyQuantity kJointQuantities[] = {
    {"joint_force", joint_force}, {"joint_torque", joint_torque}, {"motor", joint_parts}};

bool is_plottable(const layout::Column& column) {
  return (column.type == layout::CellType::real || column.type == layout::CellType::integer) &&
         column.components.empty() && column.name != "time";
}

int find_body(const RunView& run, std::string_view name) {
  const auto& names = run.model().body_names;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw Error(
        fmt::format("{}: there is no body '{}'; there are {}", run.path(), name, fmt::join(names, ", ")));
  }
  return static_cast<int>(found - names.begin());
}

}  // namespace

std::vector<std::string> quantity_names(const RunView& run) {
  std::vector<std::string> names;
  for (const RunQuantity& of : kRunQuantities) names.emplace_back(of.name);
  for (const BodyQuantity& of : kBodyQuantities) names.push_back(fmt::format("{}:BODY", of.name));
  if (!run.reader().read_joints().empty()) {
    for (const BodyQuantity& of : kJointQuantities) names.push_back(fmt::format("{}:BODY", of.name));
  }
  for (const layout::Column& c : layout::step_table().columns) {
    if (is_plottable(c)) names.emplace_back(c.name);
  }
  for (const auto* columns : {&run.reader().info().q_columns, &run.reader().info().v_columns}) {
    names.insert(names.end(), columns->begin(), columns->end());
  }
  return names;
}

Quantity quantity_of(const RunView& run, std::string_view name, std::uint64_t points) {
  const std::size_t colon = name.find(':');
  const std::string_view word = name.substr(0, colon);
  if (colon != std::string_view::npos) {
    for (const std::span<const BodyQuantity> list :
         {std::span<const BodyQuantity>(kBodyQuantities), {kJointQuantities}}) {
      for (const BodyQuantity& of : list) {
        if (word == of.name) return of.make(run, find_body(run, name.substr(colon + 1)), points);
      }
    }
  }
  for (const RunQuantity& of : kRunQuantities) {
    if (name == of.name) return of.make(run, points);
  }
  for (const layout::Column& c : layout::step_table().columns) {
    if (is_plottable(c) && name == c.name) return step_quantity(run, c, points);
  }
  for (const bool is_q : {true, false}) {
    const auto& columns = is_q ? run.reader().info().q_columns : run.reader().info().v_columns;
    const auto found = std::ranges::find(columns, name);
    if (found != columns.end())
      return column(run, is_q, static_cast<std::size_t>(found - columns.begin()), points);
  }
  throw Error(fmt::format("{}: nothing is called '{}'; there are {}", run.path(), name,
                          fmt::join(quantity_names(run), ", ")));
}

}  // namespace pawl::internal
