#include <pawl/view/quantity.h>

#include <gmock/gmock.h>

#include <cmath>

#include <pawl/error.h>

#include "recorded_run.h"

namespace pawl::internal {
namespace {

class Quantities : public test::RecordedRun {};

TEST_F(Quantities, EveryNameThatIsListedCanBeDrawn) {
  const RunView view = run();
  for (std::string name : quantity_names(view)) {
    if (name.ends_with(":BODY")) name.replace(name.size() - 4, 4, "ball");
    const Quantity quantity = quantity_of(view, name);
    EXPECT_FALSE(quantity.curves.empty()) << name;
    EXPECT_FALSE(quantity.title.empty()) << name;
    EXPECT_FALSE(quantity.unit.empty()) << name;
    for (const QuantityCurve& curve : quantity.curves) {
      EXPECT_EQ(curve.time.size(), curve.value.size()) << name;
      EXPECT_EQ(curve.time.size(), quantity.steps ? 100u : 101u) << name;
    }
  }
}

TEST_F(Quantities, AreWhatTheTrajectoryHolds) {
  const RunView view = run();
  const Trajectory whole = read_trajectory(path());
  const Quantity energy = quantity_of(view, "energy");
  const Quantity residual = quantity_of(view, "residual");
  const Quantity column = quantity_of(view, "box.x");
  const auto index = std::ranges::find(whole.info.q_columns, "box.x") - whole.info.q_columns.begin();
  for (std::size_t i = 0; i < whole.time.size(); ++i) {
    EXPECT_EQ(energy.curves[0].value[i], whole.energy[i].kinetic);
    EXPECT_EQ(energy.curves[2].value[i], whole.energy[i].kinetic + whole.energy[i].potential);
    EXPECT_EQ(column.curves[0].value[i],
              whole.q[i * whole.info.q_columns.size() + static_cast<std::size_t>(index)]);
  }
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    EXPECT_EQ(residual.curves[0].value[i], whole.steps[i].residual.natural_map);
  }
  EXPECT_EQ(residual.level, whole.info.tolerance);
  EXPECT_TRUE(residual.logarithmic);
}

TEST_F(Quantities, ABoxAtRestIsCarriedByTheFloor) {
  const Quantity force = quantity_of(run(), "force:box");
  ASSERT_EQ(force.curves.size(), 3u);
  EXPECT_EQ(force.curves[2].name, "f_z");
  EXPECT_NEAR(force.curves[2].value.back(), 3 * 9.81, 1e-6);
  EXPECT_NEAR(force.curves[0].value.back(), 0, 1e-6);
  const Quantity floor = quantity_of(run(), "force:floor");
  EXPECT_LT(floor.curves[2].value.back(), -3 * 9.81 + 1e-6) << "and pushes back";
}

TEST_F(Quantities, OmitZeroWork) {
  const Quantity work = quantity_of(run(), "work");
  for (const QuantityCurve& curve : work.curves) {
    EXPECT_NE(curve.name, "motors");
    EXPECT_NE(curve.name, "joints");
  }
}

TEST_F(Quantities, AreDownsampledWithoutLosingPeaks) {
  const Quantity all = quantity_of(run(), "force"), few = quantity_of(run(), "force", 5);
  EXPECT_LT(few.curves[0].value.size(), 40u);
  EXPECT_EQ(std::ranges::max(few.curves[0].value), std::ranges::max(all.curves[0].value));
}

TEST_F(Quantities, SayWhatThereIs) {
  const RunView view = run();
  for (const char* name :
       {"", "magic", "velocity", "velocity:", "velocity:nobody", "energy:ball", "status", "time", "method"}) {
    try {
      quantity_of(view, name);
      ADD_FAILURE() << "'" << name << "' is no quantity";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("there are")) << name;
    }
  }
}

}  // namespace
}  // namespace pawl::internal
