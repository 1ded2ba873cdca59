// Parameters of a scene: values, units, expressions, distributions, and the messages about wrong ones.

#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pawl/scene_file.h>
#include <pawl/scene_file/expression.h>

#include "unit/scene_file/scene_text.h"

namespace pawl::internal::testing {
namespace parameters_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string scene(const std::string& parameters, const std::string& ball = "mass: 1, inertia: 1") {
  return scene_with_ball("{" + ball + "}", "parameters:\n" + parameters);
}

Scene parse(const std::string& parameters, const std::string& ball = "mass: 1, inertia: 1",
            const std::vector<std::string>& set = {}) {
  return parse_scene(scene(parameters, ball), "s.yaml", set);
}

double value_of(const std::string& parameter) {
  return parse("  a: 3\n  b: 0.5 m\n  x: " + parameter + "\n").parameters.at(2).value.at(0);
}

std::string error_of(const std::string& parameter) {
  return message_of(scene("  a: 3\n  b: 0.5 m\n  t: 2 s\n  x: " + parameter + "\n"));
}

TEST(Expressions, FollowTheRulesOfArithmetic) {
  EXPECT_EQ(value_of("2 + 3 * a"), 11);
  EXPECT_EQ(value_of("(2 + 3) * a"), 15);
  EXPECT_EQ(value_of("12 / a / 2"), 2);
  EXPECT_EQ(value_of("12 - a - 2"), 7);
  EXPECT_EQ(value_of("-a * -2"), 6);
  EXPECT_EQ(value_of("1 - -a"), 4);
  EXPECT_EQ(value_of("a × 2 ÷ 3 − 1"), 1);
  EXPECT_EQ(value_of("2e-3 * a"), 2e-3 * 3);
  EXPECT_EQ(value_of("sqrt(a + 1) / 2"), 1);
  EXPECT_EQ(value_of("sin(pi / 6) + cos(a)"), std::sin(std::numbers::pi / 6) + std::cos(3));
  EXPECT_EQ(value_of("1/3"), 1.0 / 3);
}

TEST(Expressions, TellWhatIsWrong) {
  EXPECT_THAT(error_of("2 * aa"),
              AllOf(HasSubstr("s.yaml:9:"), HasSubstr("parameters.x"), HasSubstr("'2 * aa'"),
                    HasSubstr("there is no parameter 'aa'"), HasSubstr("there are a, b")));
  EXPECT_THAT(error_of("a +"), HasSubstr("ends early"));
  EXPECT_THAT(error_of("(a"), HasSubstr("')'"));
  EXPECT_THAT(error_of("a a"), HasSubstr("expected an operator"));
  EXPECT_THAT(error_of("a / (a - 3)"), HasSubstr("divides by zero"));
  EXPECT_THAT(error_of("sqrt(-a)"), HasSubstr("the root of -3"));
  EXPECT_THAT(error_of("a * 1e308 * 1e308"), HasSubstr("exceeds double precision"));
  EXPECT_THAT(error_of("system(a)"), HasSubstr("there is no parameter 'system'"));
  EXPECT_THAT(error_of("a ; a"), HasSubstr("expected an operator"));
  EXPECT_THAT(error_of(std::string(200, '(') + "a"), HasSubstr("nested more than 50 levels"));
  EXPECT_THAT(error_of(std::string(200, '-') + "a"), HasSubstr("nested more than 50 levels"));
  std::string sum = "a";
  while (sum.size() < 2000) sum += "+a";
  EXPECT_THAT(error_of(sum), HasSubstr("more than 1000 characters"));
}

TEST(Expressions, CheckUnits) {
  EXPECT_EQ(value_of("b + 0.25"), 0.75);
  EXPECT_EQ(value_of("b * b / b + b"), 1);
  EXPECT_THAT(error_of("b + t"), HasSubstr("adds m and s"));
  EXPECT_THAT(error_of("sin(b)"), HasSubstr("sin of a number in m"));
  const std::string speed = "  b: 0.5 m\n  t: 2 s\n";
  EXPECT_EQ(parse(speed, "mass: 1, inertia: 1, velocity: [b / t, 0, 0]").bodies[0].velocity.x, 0.25);
  EXPECT_THAT(message_of(scene(speed, "mass: 1, inertia: 1, velocity: [b * t, 0, 0]")),
              AllOf(HasSubstr("bodies.ball.velocity.0"), HasSubstr("'b * t' is in m s"), HasSubstr("m/s")));
}

TEST(Parameters, AreConvertedFromTheirUnit) {
  EXPECT_EQ(value_of("20 mm"), 0.02);
  EXPECT_EQ(value_of("{value: 20, unit: mm}"), 0.02);
  EXPECT_EQ(value_of("90 deg"), std::numbers::pi / 2);
  EXPECT_EQ(value_of("7.85 g/cm³"), 7850);
  EXPECT_THAT(error_of("20 mn"), HasSubstr("'mn' is not a unit"));
  EXPECT_THAT(error_of("1e400"), HasSubstr("'1e400' is not a number from"));
  EXPECT_THAT(error_of("{value: 20, unit: parsec}"),
              AllOf(HasSubstr("parameters.x.unit"), HasSubstr("'parsec'")));
}

TEST(Parameters, StandWhereverANumberStands) {
  const Scene s =
      parse("  m: 2 kg\n  r: 30 mm\n  dt: 2 ms\n  n: 10\n",
            "mass: m / 2, inertia: 1, position: [0, -r, 2 * r], shapes: [{type: sphere, radius: r, "
            "material: plain}]}\nrun: {step: dt / 2, until: 100ms, friction_directions: n + 2");
  EXPECT_EQ(s.bodies[0].mass, 1);
  EXPECT_EQ(s.bodies[0].position.y, -0.03);
  EXPECT_EQ(s.bodies[0].shapes[0].radius, 0.03);
  EXPECT_EQ(s.run.step, 1e-3);
  EXPECT_EQ(s.run.friction_directions, 12);
}

TEST(Parameters, MayBeWrittenInAnyOrderButNotInACircle) {
  const Scene s = parse("  c: 2 * b\n  b: a + 1\n  a: 1\n");
  EXPECT_EQ(s.parameters[0].value[0], 4);
  EXPECT_EQ(s.parameters[0].expression, "2 * b");
  EXPECT_THAT(message_of(scene("  c: 2 * b\n  b: a + 1\n  a: c\n")),
              AllOf(HasSubstr("parameters.c"), HasSubstr("c -> b -> a -> c")));
  EXPECT_THAT(error_of("x + 1"), HasSubstr("x -> x"));
}

TEST(Parameters, VaryByDistributions) {
  const Scene s = parse(
      "  d: 20.00 ± 0.02 mm\n"
      "  u: {uniform: [1, 3]}\n"
      "  n: {normal: [5, 1], value: 6}\n"
      "  t: {truncated_normal: [0, 1, 2, 4]}\n"
      "  l: {lognormal: [2, 0.5]}\n"
      "  c: {choice: [7, 8], weights: [1, 3]}\n"
      "  r: {range: [10, 20], unit: mm}\n"
      "  turn: {rotation: random}\n"
      "  place: {box: [[0, 0, 1], [2, 2, 1]], unit: cm}\n",
      "mass: 1, inertia: 1, orientation: turn, position: place");
  const auto& p = s.parameters;
  EXPECT_EQ(p[0].kind, DistributionKind::tolerance);
  EXPECT_EQ(p[0].arguments, (std::vector<double>{20, 0.02}));
  EXPECT_EQ(p[0].value[0], 0.02);
  EXPECT_EQ(p[1].nominal[0], 2);
  EXPECT_EQ(p[2].nominal[0], 6);
  EXPECT_EQ(p[3].nominal[0], 2);
  EXPECT_EQ(p[4].nominal[0], 2);
  EXPECT_EQ(p[5].nominal[0], 7);
  EXPECT_EQ(p[6].value[0], 0.015);
  EXPECT_EQ(p[7].nominal, (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(p[8].value, (std::vector<double>{0.01, 0.01, 0.01}));
  EXPECT_EQ(s.bodies[0].position.z, 0.01);
  EXPECT_EQ(s.bodies[0].orientation.w, 1);
}

TEST(Parameters, RefuseImpossibleDistributions) {
  EXPECT_THAT(error_of("{uniform: [2, 1]}"),
              AllOf(HasSubstr("parameters.x.uniform"), HasSubstr("[2, 1]"), HasSubstr("low < high")));
  EXPECT_THAT(error_of("{uniform: [1]}"), HasSubstr("[low, high]"));
  EXPECT_THAT(error_of("{normal: [1, 0]}"), HasSubstr("deviation > 0"));
  EXPECT_THAT(error_of("{truncated_normal: [0, 1, 2, 1]}"), HasSubstr("low < high"));
  EXPECT_THAT(error_of("{truncated_normal: [0, 1, 20, 21]}"), HasSubstr("lies nothing"));
  EXPECT_THAT(error_of("{lognormal: [-1, 1]}"), HasSubstr("both > 0"));
  EXPECT_THAT(error_of("{choice: []}"), HasSubstr("one or more"));
  EXPECT_THAT(error_of("{choice: [1, 2], weights: [1]}"), HasSubstr("1 weights for 2 choices"));
  EXPECT_THAT(error_of("{choice: [1, 2], weights: [0, 0]}"), HasSubstr("must be > 0"));
  EXPECT_THAT(error_of("20 ± 0 mm"), HasSubstr("impossible tolerance"));
  EXPECT_THAT(error_of("± 3"), HasSubstr("20.00 ± 0.02 mm"));
  EXPECT_THAT(error_of("{box: [[0, 0, 2], [1, 1, 1]]}"), HasSubstr("2 > 1"));
  EXPECT_THAT(error_of("{box: [[0, 0], [1, 1, 1]]}"), HasSubstr("both as many"));
  EXPECT_THAT(error_of("{rotation: 5}"), HasSubstr("rotation: random"));
  EXPECT_THAT(error_of("{uniform: [0, 1], normal: [0, 1]}"), HasSubstr("keep one of the two"));
  EXPECT_THAT(error_of("{uniform: [0, 1], value: 2}"), HasSubstr("outside the distribution"));
  EXPECT_THAT(error_of("{unit: mm}"), HasSubstr("neither a value nor a distribution"));
  EXPECT_THAT(error_of(""), HasSubstr("has no value"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("a list of 1"));
  EXPECT_THAT(message_of(scene("  pi: 3\n")), HasSubstr("not the name of a parameter"));
}

TEST(Parameters, CanBeSet) {
  const std::string mm = "  d: 20.00 ± 0.02 mm\n";
  const std::string ball = "mass: 1, inertia: 1, position: [d, 0, 0]";
  EXPECT_EQ(parse(mm, ball, {"parameters.d=25"}).bodies[0].position.x, 0.025);
  EXPECT_FALSE(parse(mm, ball, {"parameters.d=25"}).parameters[0].varies());
  EXPECT_EQ(parse(mm, ball, {"parameters.d=1 cm"}).bodies[0].position.x, 0.01);
  EXPECT_EQ(parse("  d: {uniform: [0, 1], unit: mm}\n", ball, {"parameters.d=2"}).bodies[0].position.x, 2e-3);
  EXPECT_EQ(
      parse("  d: {uniform: [0, 1], unit: mm}\n", ball, {"parameters.d.value=0.25"}).bodies[0].position.x,
      0.25e-3);
  EXPECT_THAT(message_of(scene(mm), {"parameters.dd=1"}),
              AllOf(HasSubstr("parameters.dd"), HasSubstr("there are d")));
  EXPECT_THAT(message_of(scene(mm, ball), {"parameters.d=x"}), HasSubstr("--set parameters.d=x"));
}

TEST(Parameters, AreShownWithTheirValueWhereItIsWrong) {
  EXPECT_THAT(message_of(scene("  m: -2\n", "mass: 3 * m, inertia: 1")),
              AllOf(HasSubstr("s.yaml:4:"), HasSubstr("bodies.ball.mass: '3 * m' = -6 is not a mass")));
}

TEST(Parameters, OfAnglesAreInRadians) {
  const std::string alpha = "  alpha: 90 deg\n";
  const std::string with = "mass: 1, inertia: 1, orientation: {axis: [0, 0, 1], ";
  EXPECT_NEAR(parse(alpha, with + "angle: alpha}").bodies[0].orientation.z, std::sqrt(0.5), 1e-15);
  EXPECT_THAT(message_of(scene(alpha, with + "angle_deg: alpha}")), HasSubstr("without '_deg'"));
}

TEST(Outcomes, AreReadAndChecked) {
  const auto with = [](const std::string& outcome) {
    return scene_with_ball("{mass: 1, inertia: 1}",
                           "outcomes:\n  rested: {type: rest, stop: true}\n  x: " + outcome + "\n");
  };
  const Scene s = parse_scene(
      with("{type: pose, body: ball, classes: {up: [0, 0, 2], side: [1, 0, 0]}, at: rested}"), "s");
  ASSERT_EQ(s.outcomes.size(), 2u);
  EXPECT_TRUE(s.outcomes[0].stop);
  EXPECT_EQ(s.outcomes[1].classes[0].direction.z, 1);
  EXPECT_EQ(s.outcomes[1].up.z, 1);
  EXPECT_THAT(message_of(with("{type: pose, body: bal, classes: {up: [0, 0, 1]}}")), HasSubstr("'ball'"));
  EXPECT_THAT(message_of(with("{type: pose, body: ball, classes: {}}")), HasSubstr("no class"));
  EXPECT_THAT(message_of(with("{type: pose, body: ball, classes: {none: [0, 0, 1]}}")),
              HasSubstr("class of all other"));
  EXPECT_THAT(message_of(with("{type: posse}")), HasSubstr("did you mean 'pose'"));
  EXPECT_THAT(message_of(with("{type: event, of: ball.z}")), HasSubstr("needs one bound"));
  EXPECT_THAT(message_of(with("{type: value, of: ball.z, take: max, at: rested}")), HasSubstr("take: end"));
  EXPECT_THAT(message_of(with("{type: value, of: ball.z, at: resting}")), HasSubstr("'rested'"));
  EXPECT_THAT(message_of(with("{type: gate, body: world, point: [0, 0, 0], normal: [1, 0, 0]}")),
              HasSubstr("does not move"));
  EXPECT_THAT(message_of(with("{type: force, body: ball, speed: 1}")),
              HasSubstr("means nothing for the outcome type 'force'"));
}

}  // namespace parameters_test
}  // namespace pawl::internal::testing
