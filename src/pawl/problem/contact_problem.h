#pragma once
// One complementarity problem: matrices and sets, nothing of bodies. Its rows come in blocks: the contacts,
// each with its normal row first, then blocks of bilateral rows. With u = W p + b find p such that
//   0 ≤ u_n + ζ ⊥ p_n ≥ 0                        each contact
//   p_f ∈ argmax { -u_f · p' : p' ∈ F(μ p_n) }   its friction: maximum work
//   u = 0                                        each bilateral row

#include <span>
#include <string_view>
#include <vector>

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/friction_set.h>

namespace pawl {

/// Where a problem comes from: M (v⁺ - v_free) = Jᵀ p. W = J M⁻¹ Jᵀ follows from it.
struct PrimalData {
  struct MassBlock {
    int begin = 0;  // first of its rows in v
    int size = 0;
    int offset = 0;  // of its size × size entries in mass and factor
  };
  struct JacobianBlock {
    int block = 0;  // of the problem's rows
    int mass_block = 0;
    int offset = 0;  // of its entries in jacobian
  };
  std::vector<MassBlock> mass_blocks;
  std::vector<double> mass;                    // M, row by row
  std::vector<double> factor;                  // L with M = L Lᵀ
  std::vector<JacobianBlock> jacobian_blocks;  // by block, then by mass block; no two share entries
  std::vector<double> jacobian;                // J, row by row in each block
  std::vector<double> v_free;                  // velocity at the end of the step if no contact acted
  std::vector<double> shift;                   // [rows] m/s: u = J v + shift; empty where all are 0

  bool empty() const { return mass_blocks.empty(); }
};

/// Stored in one of two ways: factored, by its motion rows, or condensed, by W.
struct ContactProblem {
  int contacts = 0;
  std::vector<int> begin{
      0};  // [blocks + 1] first row of each block, contacts first; the last is the count of rows
  std::vector<double> b;              // [rows] m/s; J v_free + shift where the problem is factored
  std::vector<double> zeta;           // [contacts] m/s
  std::vector<FrictionSet> friction;  // [contacts]
  PrimalData motion;                  // factored
  BlockMatrix W;                      // condensed, m/s per N s; need not be symmetric

  int blocks() const { return static_cast<int>(begin.size()) - 1; }
  int rows() const { return begin.back(); }
  int size_of(int block) const { return begin[block + 1] - begin[block]; }
  bool primal() const { return !motion.empty(); }
  /// The rows of its friction: none, t, (t, o) or (t, o, r).
  int friction_rows(int contact) const { return size_of(contact) - 1; }
};

/// What is wrong with its sizes, counts and order, so that it can't be read safely; empty where nothing is.
/// Of numbers the judge takes care.
std::string_view validate(const ContactProblem& problem);

/// b = J v_free + shift.
void set_free_velocities(ContactProblem& problem);

/// Memory of condense().
struct DelassusScratch {
  std::vector<double> Y;
  std::vector<int> first;       // [blocks + 1] of its entries in jacobian_blocks
  std::vector<int> mass_first;  // [mass blocks + 1] of its entries in mass_rows
  std::vector<int> mass_rows;   // numbers of jacobian blocks, by mass block
  std::vector<int> columns;     // of the block row being made
  std::vector<int> entry_of;    // [blocks] of a column in it
};

/// W = J M⁻¹ Jᵀ of a factored problem, symmetric by construction.
void compute_delassus(const ContactProblem& problem, BlockMatrix& W, DelassusScratch& scratch);

/// Y = J L⁻ᵀ, stored like J, so that W = Y Yᵀ.
void compute_mass_weighted_jacobian(const ContactProblem& problem, std::vector<double>& Y);

/// v_next = v_free + M⁻¹ Jᵀ p.
void velocity_after(const ContactProblem& problem, std::span<const double> p, std::span<double> v_next);

/// u = J v + shift.
void contact_velocity(const ContactProblem& problem, std::span<const double> v, std::span<double> u);

}  // namespace pawl
