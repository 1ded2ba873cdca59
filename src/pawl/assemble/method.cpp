#include <pawl/assemble/method.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

constexpr std::array<Method, 7> kMethods{{
    // Positions, then velocities; second order (docs/time-stepping.md).
    {.name = "pawl", .friction = FrictionForm::exact, .two_stage = true},
    // Geometry and gaps as in the next row, exact friction, joints by SHAKE. First order; one problem a step.
    {"linearised", Linearisation::predicted, Linearisation::start, Stabilisation::linearised,
     Activation::violated, FrictionForm::exact},
    // [StewartTrinkle2000, (13)-(20)], with n, D and f at q + h v. Departure: M and k at q, where the paper
    // has them at q + h v too. The order is the same, and smooth motion becomes symplectic: a pendulum that
    // lost 4.6 % of its swing in 5 s at h = 1 ms then loses none (tests/unit/step/simulation_test.cpp). In
    // the paper's two experiments M and k are constant.
    {"stewart-trinkle", Linearisation::predicted, Linearisation::start, Stabilisation::linearised,
     Activation::violated},
    // [StewartTrinkle2000, 3.4]: everything at the end of the step.
    {"stewart-trinkle-nonlinear", Linearisation::end, Linearisation::end, Stabilisation::linearised,
     Activation::violated},
    // [StewartTrinkle2000, 3.3], after [AnitescuPotra1997]. Constraint drift is a property of this method.
    {"anitescu-potra", Linearisation::start, Linearisation::start, Stabilisation::ignored,
     Activation::touching},
    // [AnitescuMillerHart2003, (2.8)-(2.12)]. Departure: gaps also close by the drift of FreeMotion.
    {"anitescu-hart", Linearisation::start, Linearisation::start, Stabilisation::linearised,
     Activation::near},
    // [TrinkleTzitzourisPang2001, 4]: backward Euler on the full nonlinear problem, exact friction.
    {"tzitzouris-pang", Linearisation::end, Linearisation::end, Stabilisation::linearised,
     Activation::violated, FrictionForm::exact, false, true},
}};

}  // namespace

std::span<const Method> methods() {
  return kMethods;
}

const Method& find_method(std::string_view name) {
  const auto found = std::ranges::find(kMethods, name, &Method::name);
  if (found == kMethods.end()) {
    std::string names;
    for (const Method& method : kMethods)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", method.name);
    throw Error(fmt::format("'{}' is not a method; the methods are {}", name, names));
  }
  return *found;
}

}  // namespace pawl::internal
