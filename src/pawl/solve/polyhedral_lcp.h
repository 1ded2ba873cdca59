#pragma once
// A contact problem with polyhedral friction as a linear complementarity problem, and its answer back.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/problem/contact_problem.h>
#include <pawl/problem/lcp.h>

namespace pawl {

/// Most directions a polyhedron may have here: a basis is kept as one word per contact.
inline constexpr int kMostDirections = 62;

/// Which unknowns of a contact are in the final basis: bit 0 for p_n, then one for each β, then λ.
using ContactBasis = std::uint64_t;

/// The directions whose hull is a contact's friction set at μ p_n = 1, in the measure of its radii: those of
/// a polyhedron, ±1 in the plane, none without friction. Of other sets there are none either.
std::span<const FrictionVector> directions_of(const ContactProblem& problem, int contact);

/// How many unknowns a contact brings.
inline int unknowns_of(const ContactProblem& problem, int contact) {
  const auto directions = static_cast<int>(directions_of(problem, contact).size());
  return directions == 0 ? 1 : directions + 2;
}

/// Per contact the unknowns p_n, β_1 … β_k, λ (p_n alone without friction) [StewartTrinkle2000, (15)-(20)]:
///   0 ≤ u_n + ζ        ⊥ p_n ≥ 0
///   0 ≤ λ + d_i · u_f  ⊥ β_i ≥ 0,   p_f = Σ β_i d_i
///   0 ≤ μ p_n - Σ β_i  ⊥ λ ≥ 0
/// with d_i in the measure of the contact's radii, so that p_f = e Σ β_i d_i and e u_f stands for u_f.
/// Departure: each contact is scaled by the inverse root of its largest Delassus diagonal, so that bodies of
/// a gram and of a tonne meet in one matrix with ones on its diagonal.
class PolyhedralLcp {
 public:
  /// Why a problem has no such form; empty where it has one.
  static std::string_view obstacle(const ContactProblem& problem);
  /// `W` is that of the problem, given or condensed.
  void formulate(const ContactProblem& problem, const BlockMatrix& W);
  const Lcp& lcp() const { return lcp_; }

  /// p of the contact problem from z of the lcp.
  void impulses(std::span<const double> z, std::span<double> p) const;
  /// The lcp's basic set from one word per contact, and back.
  void basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha) const;
  void alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis) const;

 private:
  struct Block {
    int begin = 0;            // its p_n among the unknowns
    int directions = 0;       // k; 0: no friction
    int first_direction = 0;  // in directions_
    int first_row = 0;        // of the problem
    int rows = 1;
    double scale = 1;  // s: p = s p̂, û = s u
    int unknowns = 1;
  };
  Lcp lcp_;
  std::vector<Block> blocks_;
  std::vector<FrictionVector> directions_;  // e d_i, contact by contact
  std::vector<double> rows_;                // scratch: Ŵ E of one contact
};

}  // namespace pawl
