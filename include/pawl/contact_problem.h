#pragma once
// The contact problem of one island: matrices and friction sets, no bodies. Its rows come in blocks:
// contacts, each with its normal row first, then blocks of bilateral rows. With u = W p + b, find p such that
//   0 ≤ u_n + ζ ⊥ p_n ≥ 0                        for each contact
//   p_f ∈ argmax { -u_f · p' : p' ∈ F(μ p_n) }   friction: maximum dissipation
//   u = 0                                        for each bilateral row

#include <span>
#include <string_view>
#include <vector>

#include <pawl/block_matrix.h>
#include <pawl/friction_set.h>

namespace pawl {

/// Maximum rows of a contact: n, t, o and r.
inline constexpr int kContactRows = 4;

/// Primal form of a problem: M (v⁺ - v_free) = Jᵀ p, so that W = J M⁻¹ Jᵀ + C with the compliances on the
/// diagonal of C.
struct PrimalData {
  struct MassBlock {
    int begin = 0;   // first row in v
    int size = 0;    // rows
    int offset = 0;  // of its size × size entries in `mass` and `factor`
  };
  struct JacobianBlock {
    int block = 0;       // block of the problem's rows
    int mass_block = 0;  // index into mass_blocks
    int offset = 0;      // of its entries in `jacobian`
  };
  std::vector<MassBlock> mass_blocks;
  std::vector<double> mass;                    // M, row-major in each block
  std::vector<double> factor;                  // L with M = L Lᵀ
  std::vector<JacobianBlock> jacobian_blocks;  // sorted by block, then by mass block
  std::vector<double> jacobian;                // J, row-major in each block
  std::vector<double> v_free;      // [nv] velocity at the end of the step without contact impulses
  std::vector<double> shift;       // [rows] m/s: u = J v + shift + C p; empty means 0
  std::vector<double> compliance;  // [rows] m/s per N s, ≥ 0: the diagonal of C; empty means 0, rigid

  bool empty() const { return mass_blocks.empty(); }
};

/// Stored in one of two forms: primal (M, J in `motion`) or Delassus (W).
struct ContactProblem {
  int contacts = 0;
  std::vector<int> begin{0};          // [blocks + 1] first row of each block, contacts first; the last: rows
  std::vector<double> b;              // [rows] m/s; J v_free + shift in primal form
  std::vector<double> zeta;           // [contacts] m/s
  std::vector<FrictionSet> friction;  // [contacts]
  double speed_scale = 0;             // m/s: the judge compares velocities with at least this
  PrimalData motion;                  // primal form
  BlockMatrix W;                      // Delassus form, m/s per N s; need not be symmetric

  int blocks() const { return static_cast<int>(begin.size()) - 1; }
  int rows() const { return begin.back(); }
  int size_of(int block) const { return begin[block + 1] - begin[block]; }
  bool primal() const { return !motion.empty(); }
  /// Friction rows of a contact: none, t, (t, o) or (t, o, r).
  int friction_rows(int contact) const { return size_of(contact) - 1; }
};

/// The first inconsistency of sizes, counts or order that makes reading unsafe; empty if there is none.
/// Values are checked by the judge.
std::string_view validate(const ContactProblem& problem);

}  // namespace pawl
