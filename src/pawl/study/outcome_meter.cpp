#include <pawl/study/outcome_meter.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/model/kinematics.h>
#include <pawl/study/quantity_now.h>

namespace pawl::internal {
namespace {

struct Measured {
  SceneOutcome law;
  std::optional<QuantityNow> quantity;
  int body = 0;
  std::vector<int> bodies;  // rest, jam: those that must rest, or may move
  int at = -1;              // index of the outcome of `law.at`
  bool happened = false;    // event, rest, gate, jam
  OutcomeValue value;
  double integral = 0, last = 0, last_time = 0, start_time = 0;  // mean
  std::optional<double> calm_since;                              // rest
  Vec3 reference;             // gate: last position; jam: where it began …
  double reference_time = 0;  // … and when
};

bool has_duration(OutcomeKind kind) {
  return kind == OutcomeKind::rest || kind == OutcomeKind::jam;
}

}  // namespace

struct OutcomeMeter::Impl {
  const Model& model;
  const Simulation& simulation;
  std::vector<Measured> outcomes;
  Kinematics kinematics;
  bool is_stopped = false;

  Impl(const Scene& scene, const Model& m, const Simulation& s) : model(m), simulation(s) {
    for (const SceneOutcome& law : scene.outcomes) add_outcome(scene, law);
    for (Measured& o : outcomes) {
      const auto at = std::ranges::find(outcomes, o.law.at, [](const Measured& x) { return x.law.name; });
      if (!o.law.at.empty()) o.at = static_cast<int>(at - outcomes.begin());
    }
    look();
    for (Measured& o : outcomes) begin(o);
  }

  void add_outcome(const Scene& scene, const SceneOutcome& law) {
    Measured& o = outcomes.emplace_back();
    o.law = law;
    if (!law.quantity.empty()) {
      try {
        o.quantity.emplace(model, law.quantity);
      } catch (const Error& error) {
        throw SceneError(scene.file, {law.line, law.column}, fmt::format("outcomes.{}.of", law.name),
                         error.what());
      }
    }
    const auto index_of = [&](const std::string& name) {
      return static_cast<int>(std::ranges::find(model.body_names, name) - model.body_names.begin());
    };
    if (!law.body.empty()) o.body = index_of(law.body);
    if (!has_duration(law.kind)) return;
    for (const std::string& name : law.bodies) o.bodies.push_back(index_of(name));
    if (!o.bodies.empty()) return;
    for (int b = 1; b < static_cast<int>(model.bodies.size()); ++b) {
      if (model.bodies[b].tree >= 0) o.bodies.push_back(b);
    }
  }

  void look() {
    position_kinematics(model, simulation.state().q, kinematics);
    velocity_kinematics(model, simulation.state().v, kinematics);
  }

  Vec3 position(const Measured& o) const { return kinematics.X_WB[o.body].p; }

  bool all_slow(const Measured& o) const {
    return std::ranges::all_of(o.bodies, [&](int b) {
      return norm(kinematics.c[b]) < o.law.speed && norm(kinematics.w[b]) < o.law.speed;
    });
  }

  void begin(Measured& o) {
    const double t = simulation.time();
    o.reference_time = o.start_time = o.last_time = t;
    if (o.law.kind == OutcomeKind::gate || o.law.kind == OutcomeKind::jam) o.reference = position(o);
    if (o.law.kind == OutcomeKind::gate || o.law.kind == OutcomeKind::force) o.value = 0.0;
    if (o.law.kind == OutcomeKind::rest && all_slow(o)) o.calm_since = t;
    if (!o.quantity) return;
    o.last = o.quantity->value(simulation, nullptr);
    if (o.law.kind == OutcomeKind::value && o.law.take != OutcomeTake::end) o.value = o.last;
  }

  void add(const StepReport& report) {
    look();
    std::vector<bool> before;
    for (const Measured& o : outcomes) before.push_back(o.happened);
    for (Measured& o : outcomes) measure(o, report);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (before[i] || !outcomes[i].happened) continue;
      is_stopped = is_stopped || outcomes[i].law.stop;
      for (Measured& o : outcomes) {
        if (o.at == static_cast<int>(i)) o.value = value_now(o, &report);
      }
    }
  }

  void measure(Measured& o, const StepReport& report) {
    switch (o.law.kind) {
      case OutcomeKind::pose:
        break;
      case OutcomeKind::value:
        measure_value(o, report);
        break;
      case OutcomeKind::event: {
        const double x = o.quantity->value(simulation, &report);
        if (!o.happened && (o.law.above ? x > *o.law.above : x < *o.law.below)) happen(o, report.time);
        break;
      }
      case OutcomeKind::rest:
        measure_rest(o, report.time);
        break;
      case OutcomeKind::gate:
        measure_gate(o);
        break;
      case OutcomeKind::force:
        measure_force(o, report.step);
        break;
      case OutcomeKind::jam:
        measure_jam(o, report.time);
        break;
    }
  }

  static void happen(Measured& o, double time) {
    o.happened = true;
    o.value = time;
  }

  void measure_value(Measured& o, const StepReport& report) {
    const double x = o.quantity->value(simulation, &report);
    const double so_far = std::holds_alternative<double>(o.value) ? std::get<double>(o.value) : x;
    if (o.law.take == OutcomeTake::min) o.value = std::min(so_far, x);
    if (o.law.take == OutcomeTake::max) o.value = std::max(so_far, x);
    if (o.law.take == OutcomeTake::mean) {
      o.integral += (report.time - o.last_time) * (o.last + x) / 2;
      if (report.time > o.start_time) o.value = o.integral / (report.time - o.start_time);
    }
    o.last = x;
    o.last_time = report.time;
  }

  void measure_rest(Measured& o, double time) const {
    if (!all_slow(o)) {
      o.calm_since.reset();
    } else if (!o.calm_since) {
      o.calm_since = time;
    }
    if (!o.happened && o.calm_since && time - *o.calm_since >= o.law.duration) happen(o, *o.calm_since);
  }

  void measure_gate(Measured& o) const {
    const Vec3 from = o.reference, to = position(o);
    o.reference = to;
    const double a = dot(from - o.law.point, o.law.normal), b = dot(to - o.law.point, o.law.normal);
    if ((a < 0) == (b < 0)) return;
    const Vec3 through = from + (a / (a - b)) * (to - from);
    if (o.law.radius > 0 && norm(through - o.law.point) > o.law.radius) return;
    o.value = std::get<double>(o.value) + (b >= 0 ? 1 : -1);
    if (b >= 0) o.happened = true;
  }

  void measure_force(Measured& o, double step) const {
    for (const ContactRecord& contact : simulation.contacts()) {
      if (contact.body_a != o.body && contact.body_b != o.body) continue;
      if (step > 0) o.value = std::max(std::get<double>(o.value), contact.impulse[0] / step);
    }
  }

  void measure_jam(Measured& o, double time) const {
    const Vec3 moved = position(o) - o.reference;
    const double progress = norm(o.law.along) > 0 ? std::abs(dot(moved, o.law.along)) : norm(moved);
    if (progress > o.law.progress) {
      o.reference = position(o);
      o.reference_time = time;
    } else if (!o.happened && time - o.reference_time >= o.law.duration && !all_slow(o)) {
      happen(o, o.reference_time);
    }
  }

  OutcomeValue value_now(const Measured& o, const StepReport* report) const {
    if (o.law.kind == OutcomeKind::value) return o.quantity->value(simulation, report);
    const PoseClass* best = nullptr;
    double best_cosine = std::cos(o.law.within);
    for (const PoseClass& each : o.law.classes) {
      const double cosine = dot(kinematics.X_WB[o.body].R * each.direction, o.law.up);
      if (cosine < best_cosine) continue;
      best = &each;
      best_cosine = cosine;
    }
    return best == nullptr ? std::string("none") : best->name;
  }

  OutcomeValue value(const Measured& o) const {
    const bool of_end = o.law.kind == OutcomeKind::pose ||
                        (o.law.kind == OutcomeKind::value && o.law.take == OutcomeTake::end);
    if (!of_end || o.at >= 0) return o.value;
    if (o.law.kind == OutcomeKind::value) return o.last;
    return value_now(o, nullptr);
  }
};

OutcomeMeter::OutcomeMeter(const Scene& scene, const Model& model, const Simulation& simulation)
    : impl_(std::make_unique<Impl>(scene, model, simulation)) {}
OutcomeMeter::~OutcomeMeter() = default;

void OutcomeMeter::add(const StepReport& report) {
  impl_->add(report);
}

bool OutcomeMeter::stopped() const {
  return impl_->is_stopped;
}

std::vector<OutcomeValue> OutcomeMeter::values() const {
  std::vector<OutcomeValue> values;
  for (const Measured& o : impl_->outcomes) values.push_back(impl_->value(o));
  return values;
}

}  // namespace pawl::internal
