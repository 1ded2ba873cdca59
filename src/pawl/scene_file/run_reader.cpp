#include <limits>

#include <fmt/format.h>

#include <pawl/scene_file/quantity.h>
#include <pawl/scene_file/readers.h>

namespace pawl::internal {
namespace {

constexpr Quantity kStep{"a time step", "s", Quantity::Range::positive};
constexpr Quantity kUntil{"an end time", "s", Quantity::Range::non_negative};
constexpr Quantity kAccuracy{"an accuracy", "", Quantity::Range::inside_zero_to_one};
constexpr Quantity kTolerance{"a tolerance", "", Quantity::Range::inside_zero_to_one};
constexpr Quantity kGamma{"a share", "", Quantity::Range::zero_to_one};
constexpr Quantity kContactTolerance{"a gap", "m", Quantity::Range::positive};
constexpr Quantity kActiveGap{"a gap", "m", Quantity::Range::non_negative};

void read_record(const Field& field, RunOptions& run) {
  field.expect_object("record");
  if (const auto every = field.find("every")) {
    run.record_every = every->integer("a number of steps", 1, std::numeric_limits<int>::max());
  }
  if (const auto contacts = field.find("contacts"))
    run.record_contacts = contacts->boolean("a choice to record contacts");
  if (const auto forces = field.find("forces"))
    run.record_forces = forces->boolean("a choice to record forces in joints");
  if (const auto impacts = field.find("impacts"))
    run.record_impacts = impacts->boolean("a choice to record impacts");
}

void read_impacts(const Field& field, ImpactOptions& impacts) {
  field.expect_object("impacts");
  if (const auto timing = field.find("timing")) {
    const Choice<ImpactTiming> choices[] = {{to_string(ImpactTiming::located), ImpactTiming::located},
                                            {to_string(ImpactTiming::stepwise), ImpactTiming::stepwise}};
    impacts.timing = timing->choice<ImpactTiming>("a timing of impacts", choices);
  }
  if (const auto order = field.find("order")) {
    const Choice<ImpactOrder> choices[] = {{to_string(ImpactOrder::simultaneous), ImpactOrder::simultaneous},
                                           {to_string(ImpactOrder::sequential), ImpactOrder::sequential}};
    impacts.order = order->choice<ImpactOrder>("an order of impacts", choices);
  }
  if (const auto max_per_step = field.find("most")) {
    impacts.max_per_step =
        max_per_step->integer("a number of impacts in a step", 1, std::numeric_limits<int>::max());
  }
  impacts.contact_tolerance = field.find_number("touch", kContactTolerance);
}

}  // namespace

void read_run(const Field& field, RunOptions& run) {
  field.expect_object("run");
  if (const auto method = field.find("method")) {
    run.method = kMethodNames[method->choose("a method", {kMethodNames.begin(), kMethodNames.end()})];
  }
  if (const auto step = field.find("step")) run.step = step->duration(kStep);
  if (const auto until = field.find("until")) run.until = until->duration(kUntil);
  if (run.until > kMaxSteps * run.step) {
    field.fail_at(field.has("until") ? "until" : "step",
                  fmt::format("{:g} s in steps of {:g} s are {:.3g} steps: a run has at most {:g}", run.until,
                              run.step, run.until / run.step, kMaxSteps));
  }
  run.tolerance = field.find_number("tolerance", kTolerance).value_or(run.tolerance);
  run.accuracy = field.find_number("accuracy", kAccuracy);
  if (const auto gamma = field.find("gamma")) {
    run.adaptive_gamma = gamma->is_word("adaptive");
    if (!run.adaptive_gamma) run.gamma = gamma->number(kGamma);
  }
  run.active_gap = field.find_number("active_gap", kActiveGap);
  if (const auto form = field.find("friction")) {
    const Choice<FrictionForm> choices[] = {{to_string(FrictionForm::exact), FrictionForm::exact},
                                            {to_string(FrictionForm::polyhedral), FrictionForm::polyhedral}};
    run.friction = form->choice<FrictionForm>("a form of friction", choices);
  }
  if (const auto directions = field.find("friction_directions")) {
    run.friction_directions = directions->integer("a number of friction directions", kMinFrictionDirections,
                                                  kMaxFrictionDirections);
  }
  if (const auto points = field.find("contact_points")) {
    run.contact_points = points->integer("a number of contact points", 1, kMaxContactPoints);
  }
  if (const auto impacts = field.find("impacts")) read_impacts(*impacts, run.impacts);
  if (const auto record = field.find("record")) read_record(*record, run);
  if (const auto action = field.find("on_uncertified")) {
    const Choice<OnUncertified> choices[] = {{to_string(OnUncertified::flag), OnUncertified::flag},
                                             {to_string(OnUncertified::stop), OnUncertified::stop}};
    run.on_uncertified = action->choice<OnUncertified>("an action", choices);
  }
}

}  // namespace pawl::internal
