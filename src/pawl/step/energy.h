#pragma once
// Advances the energy ledger by one step.

#include <span>

#include <pawl/report.h>
#include <pawl/step/stepper.h>

namespace pawl::internal {

/// The ledger after the stepper's last trial, a step of length h from velocity v and ledger `before`.
EnergyLedger advance_ledger(const Model& model, const Stepper& stepper, std::span<const double> v, double h,
                            const EnergyLedger& before);

}  // namespace pawl::internal
