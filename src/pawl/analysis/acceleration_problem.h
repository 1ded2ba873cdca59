#pragma once
// The rigid-body contact model in accelerations and forces [Trinkle2001, (i)-(iv)].

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/problem/contact_problem.h>

namespace pawl {

/// Contacts that act on each other through bodies they share, at one instant: forces c and accelerations
///   a = A c + b,  A = J M⁻¹ Jᵀ = Y Yᵀ,  b = J M⁻¹ k + J̇ v             (i)
///   0 ≤ a_n ⊥ c_n ≥ 0                                                  (ii)
///   c_f ∈ F(μ c_n)                                                     (iii)
///   c_f ∈ argmax { -v_f · c' : c' ∈ F(μ c_n) } where a contact slides  (iv)
///   c_f ∈ argmax { -a_f · c' : c' ∈ F(μ c_n) } where it rolls
struct AccelerationProblem {
  std::vector<int> begin{0};           // [contacts + 1] first row of each: n, then t, o and r as it has them
  int rates = 0;                       // of the bodies that the contacts move
  std::vector<double> Y;               // [rows × rates] J L⁻ᵀ with M = L Lᵀ
  std::vector<double> b;               // [rows] m/s², rad/s²
  std::vector<double> velocity_terms;  // [rows] J̇ v, which is in b
  std::vector<FrictionSet> friction;   // [contacts]
  std::vector<char> sliding;           // [contacts] 1: not rolling
  /// [contacts] of those that slide: c_f = μ c_n direction, the set's point of most work against v_f.
  std::vector<FrictionVector> direction;

  int contacts() const { return static_cast<int>(begin.size()) - 1; }
  int rows() const { return begin.back(); }
  int size_of(int contact) const { return begin[contact + 1] - begin[contact]; }
  /// Whether its friction is known but for c_n: it slides, or has none.
  bool friction_known(int contact) const {
    return sliding[contact] != 0 || friction[contact].frictionless() || size_of(contact) == 1;
  }
};

/// A = Y Yᵀ [rows × rows], row by row: 1/kg.
std::vector<double> acceleration_matrix(const AccelerationProblem& problem);

/// The point of F(1) that does the most work against a sliding velocity that is not 0, in the units of forces
/// per μ c_n. Where a whole face does (polyhedra), its point nearest to 0.
FrictionVector sliding_direction(const FrictionSet& set, const FrictionVector& velocity);

/// What is left to be found where friction of sliding contacts is written in terms of c_n: a contact problem
/// with one row for a contact whose friction is known and all rows for one that rolls. Forces stand for
/// impulses and accelerations for velocities. It is factored where nothing slides, and else condensed, as W
/// is not symmetric then.
ContactProblem reduced_problem(const AccelerationProblem& problem);

/// All forces [rows] from those of the reduced problem, and the accelerations [rows] that follow.
std::vector<double> all_forces(const AccelerationProblem& problem, std::span<const double> reduced);
std::vector<double> accelerations(const AccelerationProblem& problem, std::span<const double> forces);

/// What becomes of a contact in the next instant.
enum class ContactTransition : std::uint8_t { breaks, keeps_rolling, starts_to_slide, keeps_sliding };
std::string_view to_string(ContactTransition transition);

struct AccelerationSolution {
  std::vector<double> c, a;                    // [rows]
  std::vector<ContactTransition> transitions;  // [contacts]
};
/// The solution with these forces of the reduced problem.
AccelerationSolution solution_of(const AccelerationProblem& problem, std::span<const double> reduced);

}  // namespace pawl
