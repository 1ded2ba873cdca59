#pragma once
// A contact problem with polyhedral friction as a linear complementarity problem, and its answer back.

#include <cstdint>
#include <span>
#include <vector>

#include <pawl/problem/contact_problem.h>
#include <pawl/problem/lcp.h>

namespace pawl {

/// Most directions a polygon may have here: a basis is kept as one word per contact.
inline constexpr int kMostDirections = 62;

/// Which unknowns of a contact are in the final basis: bit 0 for p_n, then one for each β, then λ.
using ContactBasis = std::uint64_t;

/// How many unknowns a contact brings.
inline int unknowns_of(const FrictionSet& set) {
  return set.frictionless() ? 1 : static_cast<int>(set.polygon->directions().size()) + 2;
}

/// Per contact the unknowns p_n, β_1 … β_k, λ (p_n alone without friction) [StewartTrinkle2000, (15)-(20)]:
///   0 ≤ u_n + ζ        ⊥ p_n ≥ 0
///   0 ≤ λ + d_i · u_f  ⊥ β_i ≥ 0,   p_f = Σ β_i d_i
///   0 ≤ μ p_n - Σ β_i  ⊥ λ ≥ 0
/// Departure: each contact is scaled by the inverse root of its largest Delassus diagonal, so that bodies of
/// a gram and of a tonne meet in one matrix with ones on its diagonal.
class PolyhedralLcp {
 public:
  void formulate(const ContactProblem& problem);
  const Lcp& lcp() const { return lcp_; }

  /// p of the contact problem from z of the lcp.
  void impulses(std::span<const double> z, std::span<double> p) const;
  /// The lcp's basic set from one word per contact, and back.
  void basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha) const;
  void alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis) const;

 private:
  struct Block {
    int begin = 0;       // its p_n among the unknowns
    int directions = 0;  // k; 0: no friction
    const FrictionPolygon* polygon = nullptr;
    double scale = 1;  // s: p = s p̂, û = s u
    int unknowns = 1;
  };
  Lcp lcp_;
  int dim_ = 3;
  std::vector<Block> blocks_;
  std::vector<double> rows_;  // scratch: Ŵ E of one contact
};

}  // namespace pawl
