#include <pawl/step/motion_bounds.h>

#include <gtest/gtest.h>

#include <cmath>

#include <pawl/scene_file.h>

namespace pawl::internal {
namespace {

// Balls of 2 kg and 1 kg and radius 0.1 m over a floor.
Model two_balls() {
  const Scene scene = parse_scene(R"(
pawl: 1
world: {gravity: [0, 0, -10]}
materials: {m: {friction: 0}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space, material: m}]}
  a: {mass: 2, position: [0, 0, 1], shapes: [{type: sphere, radius: 0.1, material: m}]}
  b: {mass: 1, position: [1, 0, 1], shapes: [{type: sphere, radius: 0.1, material: m}]}
)",
                                  "two balls");
  return compile(scene);
}

class MotionBounds : public testing::Test {
 protected:
  const Model model_ = two_balls();
  MotionMeter meter_{model_};

  static EnergyLedger moving() {
    EnergyLedger energy;
    energy.kinetic = 8;
    return energy;
  }
  Contact contact(double gap, int a = 1, int b = 2) const {
    Contact contact;
    contact.gap = gap;
    contact.body_a = a;
    contact.body_b = b;
    return contact;
  }
  MotionDefect after(const EnergyLedger& energy, double joint_error = 0,
                     std::span<const Contact> contacts = {}, double h = 0.01) {
    return meter_.measure(contacts, joint_error, h, energy, {4, 5}, {6, 6});
  }
};

TEST_F(MotionBounds, FallEnergyIsThatOfAllFreeBodies) {
  EXPECT_DOUBLE_EQ(fall_energy(model_, 0.1), 0.5 * 3 * 1.0);
  EXPECT_DOUBLE_EQ(fall_energy(model_, 0.2), 0.5 * 3 * 4.0);
}

TEST_F(MotionBounds, AStepWithoutErrorHasNoDefect) {
  meter_.reset(moving());
  EXPECT_EQ(after(moving()).what, "");
  EXPECT_EQ(meter_.energy_error(), 0);
}

TEST_F(MotionBounds, EnergyErrorIsRelativeToTheKineticEnergyOfTheStep) {
  for (const double sign : {1.0, -1.0}) {
    for (const auto part : {&EnergyLedger::discretisation, &EnergyLedger::imbalance}) {
      EnergyLedger before = moving();
      before.*part = 3;  // of earlier steps
      meter_.reset(before);
      EnergyLedger energy = before;
      energy.*part += sign * 8 * 0.9e-4;
      EXPECT_EQ(after(energy).what, "");
      EXPECT_NEAR(meter_.energy_error(), 0.9e-4, 1e-12);
      energy.*part += sign * 8 * 1.1e-4;
      const MotionDefect defect = after(energy);
      EXPECT_EQ(defect.what, "energy");
      EXPECT_FALSE(defect.gross);
      EXPECT_NEAR(meter_.energy_error(), 1.1e-4, 1e-12);
    }
  }
}

TEST_F(MotionBounds, EachExchangeOfEnergyCountsForTheScale) {
  for (const auto part : {&EnergyLedger::motors, &EnergyLedger::applied, &EnergyLedger::friction,
                          &EnergyLedger::normal, &EnergyLedger::potential}) {
    EnergyLedger before = moving();
    before.*part = 1000;  // of earlier steps
    meter_.reset(before);
    EnergyLedger energy = before;
    energy.*part -= 100;
    energy.discretisation = 100 * 1e-3;
    EXPECT_EQ(after(energy).what, "energy");
    EXPECT_NEAR(meter_.energy_error(), 1e-3, 1e-12);
  }
}

TEST_F(MotionBounds, TheLargerKineticEnergyIsTheScale) {
  meter_.reset(moving());
  EnergyLedger energy;
  energy.kinetic = 2;
  energy.discretisation = 8e-3;
  after(energy);
  EXPECT_NEAR(meter_.energy_error(), 1e-3, 1e-12) << "that of the start";
  energy.kinetic = 80;
  energy.discretisation += 80e-3;
  after(energy);
  EXPECT_NEAR(meter_.energy_error(), 1e-3, 1e-12) << "that of the end";
  EnergyLedger rest;
  meter_.reset(rest);
  rest.discretisation = 1.5e-3;
  after(rest, 0, {}, 0.1);
  EXPECT_NEAR(meter_.energy_error(), 1e-3, 1e-12) << "that of a fall";
}

TEST_F(MotionBounds, AGainAboveAllThatWasThereIsGross) {
  meter_.reset(moving());
  EnergyLedger energy = moving();
  energy.kinetic += 7.9;
  energy.discretisation = 7.9;
  EXPECT_FALSE(after(energy).gross);
  energy = {};
  energy.kinetic = 8;
  meter_.reset(energy);
  energy.kinetic += 8.1;
  energy.discretisation = 8.1;
  const MotionDefect defect = after(energy);
  EXPECT_TRUE(defect.gross);
  EXPECT_EQ(defect.named.a, 6);
  energy.discretisation -= 100;
  EXPECT_FALSE(after(energy).gross) << "a loss";
}

TEST_F(MotionBounds, JointErrorsMayNotGrow) {
  meter_.reset(moving());
  EXPECT_EQ(after(moving(), 1).what, "") << "the error of the start is not the step's";
  EXPECT_EQ(after(moving(), 1).what, "");
  EXPECT_EQ(after(moving(), 0.5).what, "");
  EXPECT_EQ(after(moving(), 0.6).what, "joint error");
  EXPECT_EQ(after(moving(), 0).what, "");
  EXPECT_EQ(after(moving(), 0.9e-8).what, "");
  const MotionDefect defect = after(moving(), 1.1e-8);
  EXPECT_EQ(defect.what, "joint error");
  EXPECT_EQ(defect.named.a, 4);
  EXPECT_EQ(defect.named.b, 5);
}

TEST_F(MotionBounds, OverlapsMayNotGrowAndTheDeepestIsNamed) {
  meter_.reset(moving());
  const std::array<Contact, 1> start{contact(-0.01)};
  EXPECT_EQ(after(moving(), 0, start).what, "") << "the overlap of the start is not the step's";
  EXPECT_EQ(after(moving(), 0, start).what, "");
  const std::array<Contact, 3> deeper{contact(-0.02, 1, 2), contact(-0.04, 2, 3), contact(-0.03, 1, 3)};
  const MotionDefect defect = after(moving(), 0, deeper);
  EXPECT_EQ(defect.what, "overlap");
  EXPECT_EQ(defect.named.a, 2);
  EXPECT_EQ(defect.named.b, 3);
  EXPECT_EQ(after(moving(), 0, deeper).what, "") << "not deeper than before";
  EXPECT_EQ(after(moving()).what, "");
  const std::array<Contact, 1> slight{contact(-0.5e-7 * 0.1)}, more{contact(-2e-7 * 0.1)};
  EXPECT_EQ(after(moving(), 0, slight).what, "");
  EXPECT_EQ(after(moving(), 0, more).what, "overlap");
}

TEST_F(MotionBounds, AGrossGainStaysGrossBesideOtherDefects) {
  meter_.reset(moving());
  after(moving());
  EnergyLedger energy = moving();
  energy.discretisation = 100;
  const std::array<Contact, 1> deep{contact(-0.01)};
  const MotionDefect defect = after(energy, 1, deep);
  EXPECT_EQ(defect.what, "overlap");
  EXPECT_TRUE(defect.gross);
}

}  // namespace
}  // namespace pawl::internal
