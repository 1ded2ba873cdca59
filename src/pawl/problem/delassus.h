#pragma once
// Delassus matrix, velocities and mass-weighted Jacobian of a problem in primal form (M, J).

#include <span>
#include <vector>

#include <pawl/contact_problem.h>

namespace pawl::internal {

/// b = J v_free + shift.
void set_free_velocities(ContactProblem& problem);

/// Scratch memory of compute_delassus().
struct DelassusScratch {
  std::vector<double> Y;
  std::vector<int> first;       // [blocks + 1] first entry of a block in jacobian_blocks
  std::vector<int> mass_first;  // [mass blocks + 1] first entry in mass_rows
  std::vector<int> mass_rows;   // indices of Jacobian blocks, by mass block
  std::vector<int> columns;     // column indices of the current block row
  std::vector<int> entry_of;    // [blocks] entry of each column in the current block row
};

/// W = J M⁻¹ Jᵀ + C of a problem in primal form, symmetric by construction.
void compute_delassus(const ContactProblem& problem, BlockMatrix& W, DelassusScratch& scratch);

/// Y = J L⁻ᵀ, stored like J, so that W = Y Yᵀ.
void compute_mass_weighted_jacobian(const ContactProblem& problem, std::vector<double>& Y);

/// v_next = v_free + M⁻¹ Jᵀ p.
void velocity_after(const ContactProblem& problem, std::span<const double> p, std::span<double> v_next);

/// u = J v + shift.
void contact_velocity(const ContactProblem& problem, std::span<const double> v, std::span<double> u);

}  // namespace pawl::internal
