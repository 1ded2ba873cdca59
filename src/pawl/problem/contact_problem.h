#pragma once
// One complementarity problem: matrices and sets, nothing of bodies. With u = W p + b for n contacts of `dim`
// rows each, the first of them normal, find p such that for every contact
//   0 ≤ u_n + ζ ⊥ p_n ≥ 0            contact
//   p_f ∈ argmax { -u_f · p' : p' ∈ F(μ p_n) }   friction: maximum work

#include <span>
#include <vector>

#include <pawl/problem/friction_set.h>

namespace pawl {

/// Where a problem comes from: M (v⁺ - v_free) = Jᵀ p. W = J M⁻¹ Jᵀ and b = J v_free follow from it.
/// Empty for problems that are known by W and b alone.
struct MotionRows {
  struct MassBlock {
    int begin = 0;  // first of its rows in v
    int size = 0;
    int offset = 0;  // of its size × size entries in mass and factor
  };
  struct JacobianBlock {
    int contact = 0;
    int mass_block = 0;
    int offset = 0;  // of its dim × size entries in jacobian
  };
  std::vector<MassBlock> mass_blocks;
  std::vector<double> mass;                    // M, row by row
  std::vector<double> factor;                  // L with M = L Lᵀ
  std::vector<JacobianBlock> jacobian_blocks;  // by contact
  std::vector<double> jacobian;                // J, row by row in each block
  std::vector<double> v_free;                  // velocity at the end of the step if no contact acted

  bool empty() const { return mass_blocks.empty(); }
};

struct ContactProblem {
  int dim = 3;  // rows per contact: 2 planar (n, t), 3 spatial (n, t, o)
  int contacts = 0;
  std::vector<double> W;              // [rows × rows], m/s per N s; need not be symmetric
  std::vector<double> b;              // [rows] m/s
  std::vector<double> zeta;           // [contacts] m/s
  std::vector<FrictionSet> friction;  // [contacts]
  MotionRows motion;

  int rows() const { return dim * contacts; }
};

/// W and b from the motion rows; W is symmetric by construction. `scratch` is resized as needed.
void condense(ContactProblem& problem, std::vector<double>& scratch);

/// v_next = v_free + M⁻¹ Jᵀ p.
void velocity_after(const MotionRows& motion, int dim, std::span<const double> p, std::span<double> v_next);

/// u = J v.
void contact_velocity(const MotionRows& motion, int dim, std::span<const double> v, std::span<double> u);

}  // namespace pawl
