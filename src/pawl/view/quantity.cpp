#include <pawl/view/quantity.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <pawl/base/error.h>
#include <pawl/record/trajectory_layout.h>
#include <pawl/view/thinning.h>

namespace pawl {
namespace {

constexpr std::uint64_t kBlock = 4096;  // rows read at a time

template <class Row>
double figure_of(const Row& row, const layout::Column& column) {
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

/// Collects rows of values over time and thins them at the end.
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
    Thinning thinning(time_.size(), points, width);
    for (std::size_t i = 0; i < time_.size(); ++i) thinning.add(&values_[i * width]);
    const std::vector<std::uint64_t> kept = thinning.take();
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

/// One state of a run with its bodies placed.
struct PlacedState {
  const RunView& run;
  const StateRows& rows;
  std::uint64_t row;  // in `rows`
  std::uint64_t state;
  const Kinematics& placed;

  std::span<const ContactRecord> contacts() const {
    const std::uint64_t begin = rows.contact_offset[row];
    return std::span(rows.contacts).subspan(begin, rows.contact_offset[row + 1] - begin);
  }
};

/// What one state has to say: as many values as there are names.
using StateFigures = std::function<std::vector<double>(const PlacedState& state)>;

std::vector<QuantityCurve> over_states(const RunView& run, std::uint64_t points,
                                       std::vector<std::string> names, const StateFigures& figures) {
  const Model& model = run.model();
  Table table(std::move(names), run.states());
  Kinematics placed;
  for (std::uint64_t first = 0; first < run.states(); first += kBlock) {
    const StateRows rows = run.reader().read_states(first, std::min(kBlock, run.states() - first));
    const std::span<const double> q(rows.q), v(rows.v);
    for (std::uint64_t i = 0; i < rows.time.size(); ++i) {
      place_bodies(model, q.subspan(i * model.nq, model.nq), placed);
      move_bodies(model, v.subspan(i * model.nv, model.nv), placed);
      table.add(rows.time[i], figures({run, rows, i, first + i, placed}));
    }
  }
  return table.curves(points);
}

std::vector<double> in_world(const Vec3& v, bool planar) {
  return planar ? std::vector<double>{v.x, v.y} : std::vector<double>{v.x, v.y, v.z};
}

std::vector<std::string> axes(bool planar, const std::string& letter = "") {
  std::vector<std::string> names;
  for (const char* axis : {"x", "y", "z"})
    names.push_back(letter.empty() ? axis : fmt::format("{}_{}", letter, axis));
  if (planar) names.pop_back();
  return names;
}

/// The force of a contact on body a, in the world.
Vec3 contact_force(const ContactRecord& contact, double h) {
  if (!(h > 0)) return {};
  const Vec3 o = cross(contact.normal, contact.tangent);
  return (contact.impulse[0] * contact.normal + contact.impulse[1] * contact.tangent +
          contact.impulse[2] * o) /
         h;
}

Quantity energy(const RunView& run, std::uint64_t points) {
  return {"Energy", "J",
          over_states(run, points, {"kinetic", "potential", "total"}, [](const PlacedState& s) {
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
  Quantity work{"Work since the start", "J", over_states(run, points, names, [&](const PlacedState& s) {
                  std::vector<double> values;
                  for (const layout::Column& column : columns)
                    values.push_back(figure_of(s.rows.energy[s.row], column));
                  return values;
                })};
  // Most runs have no motors, joints or limits: what never did anything is left out.
  std::erase_if(work.curves, [](const QuantityCurve& curve) {
    return std::ranges::all_of(curve.value, [](double value) { return value == 0; });
  });
  return work;
}

Quantity gap(const RunView& run, std::uint64_t points) {
  return {"Least gap of the contacts", "m", over_states(run, points, {"gap"}, [](const PlacedState& s) {
            double least = std::numeric_limits<double>::quiet_NaN();  // where nothing touches
            for (const ContactRecord& contact : s.contacts()) least = std::fmin(least, contact.gap);
            return std::vector<double>{least};
          })};
}

Quantity force(const RunView& run, std::uint64_t points) {
  return {"Contact forces", "N",
          over_states(run, points, {"sum of normal", "greatest normal", "sum of friction"},
                      [](const PlacedState& s) {
                        const double h = s.run.step_before_state(s.state);
                        double sum = 0, most = 0, friction = 0;
                        for (const ContactRecord& contact : s.contacts()) {
                          const double n = h > 0 ? contact.impulse[0] / h : 0;
                          sum += n;
                          most = std::max(most, n);
                          if (h > 0) friction += std::hypot(contact.impulse[1], contact.impulse[2]) / h;
                        }
                        return std::vector<double>{sum, most, friction};
                      })};
}

Quantity force_on(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Contact force on " + run.model().body_names[body], "N",
          over_states(run, points, axes(planar, "f"), [=](const PlacedState& s) {
            const double h = s.run.step_before_state(s.state);
            Vec3 sum;
            for (const ContactRecord& contact : s.contacts()) {
              if (contact.body_a == body) sum += contact_force(contact, h);
              if (contact.body_b == body) sum -= contact_force(contact, h);
            }
            return in_world(sum, planar);
          })};
}

Quantity position(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Position of " + run.model().body_names[body], "m",
          over_states(run, points, axes(planar), [=](const PlacedState& s) {
            return in_world(frame_pose(s.run.model(), s.placed, body).p, planar);
          })};
}

Quantity velocity(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Velocity of " + run.model().body_names[body], "m/s",
          over_states(run, points, axes(planar, "v"),
                      [=](const PlacedState& s) { return in_world(s.placed.c[body], planar); })};
}

Quantity speed(const RunView& run, int body, std::uint64_t points) {
  return {"Speed of " + run.model().body_names[body], "m/s",
          over_states(run, points, {"speed"},
                      [=](const PlacedState& s) { return std::vector<double>{norm(s.placed.c[body])}; })};
}

Quantity angular_velocity(const RunView& run, int body, std::uint64_t points) {
  const bool planar = run.model().planar();
  return {"Angular velocity of " + run.model().body_names[body], "rad/s",
          over_states(run, points, planar ? std::vector<std::string>{"ω"} : axes(false, "ω"),
                      [=](const PlacedState& s) {
                        const Vec3& w = s.placed.w[body];
                        return planar ? std::vector<double>{w.z} : std::vector<double>{w.x, w.y, w.z};
                      })};
}

/// A column of /steps.
Quantity step_figure(const RunView& run, const layout::Column& column, std::uint64_t points) {
  Table table({std::string(column.name)}, run.steps());
  for (std::uint64_t first = 0; first < run.steps(); first += kBlock) {
    for (const StepReport& step : run.reader().read_steps(first, std::min(kBlock, run.steps() - first))) {
      table.add(step.time, {figure_of(step, column)});
    }
  }
  Quantity quantity{fmt::format("Steps: {}", column.name), std::string(column.unit), table.curves(points)};
  quantity.steps = true;
  return quantity;
}

Quantity residual(const RunView& run, std::uint64_t points) {
  const auto columns = layout::step_table().columns;
  Quantity quantity =
      step_figure(run, *std::ranges::find(columns, "natural_map", &layout::Column::name), points);
  quantity.title = "Residual of each step";
  quantity.curves[0].name = "residual";
  quantity.logarithmic = true;
  quantity.level = run.reader().info().tolerance;
  return quantity;
}

/// A column of q or v. Coordinates of joints may be angles or lengths, and the file does not say which.
Quantity column(const RunView& run, bool of_q, std::size_t index, std::uint64_t points) {
  const std::string& name =
      of_q ? run.reader().info().q_columns[index] : run.reader().info().v_columns[index];
  return {name, of_q ? "m or rad" : "m/s or rad/s",
          over_states(run, points, {name}, [=](const PlacedState& s) {
            const Model& model = s.run.model();
            return std::vector<double>{of_q ? s.rows.q[s.row * model.nq + index]
                                            : s.rows.v[s.row * model.nv + index]};
          })};
}

struct OfRun {
  const char* name;
  Quantity (*make)(const RunView&, std::uint64_t);
};
constexpr OfRun kOfRuns[] = {
    {"energy", energy}, {"work", work}, {"gap", gap}, {"force", force}, {"residual", residual}};

struct OfBody {
  const char* name;
  Quantity (*make)(const RunView&, int, std::uint64_t);
};
constexpr OfBody kOfBodies[] = {{"position", position},
                                {"velocity", velocity},
                                {"speed", speed},
                                {"angular_velocity", angular_velocity},
                                {"force", force_on}};

bool is_figure(const layout::Column& column) {
  return (column.type == layout::CellType::real || column.type == layout::CellType::integer) &&
         column.components.empty() && column.name != "time";
}

int body_named(const RunView& run, std::string_view name) {
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
  for (const OfRun& of : kOfRuns) names.emplace_back(of.name);
  for (const OfBody& of : kOfBodies) names.push_back(fmt::format("{}:BODY", of.name));
  for (const layout::Column& c : layout::step_table().columns) {
    if (is_figure(c)) names.emplace_back(c.name);
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
    for (const OfBody& of : kOfBodies) {
      if (word == of.name) return of.make(run, body_named(run, name.substr(colon + 1)), points);
    }
  }
  for (const OfRun& of : kOfRuns) {
    if (name == of.name) return of.make(run, points);
  }
  for (const layout::Column& c : layout::step_table().columns) {
    if (is_figure(c) && name == c.name) return step_figure(run, c, points);
  }
  for (const bool of_q : {true, false}) {
    const auto& columns = of_q ? run.reader().info().q_columns : run.reader().info().v_columns;
    const auto found = std::ranges::find(columns, name);
    if (found != columns.end())
      return column(run, of_q, static_cast<std::size_t>(found - columns.begin()), points);
  }
  throw Error(fmt::format("{}: nothing is called '{}'; there are {}", run.path(), name,
                          fmt::join(quantity_names(run), ", ")));
}

}  // namespace pawl
