#pragma once
// A contact problem with polyhedral friction as a linear complementarity problem, and its answer back.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/solve/lcp/eliminate_free.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// Most directions a polyhedron may have here: a basis is kept as one word per contact.
inline constexpr int kMaxDirections = 62;

/// The directions whose hull is a contact's friction set at μ p_n = 1, in the measure of its radii: those of
/// a polyhedron, ±1 in the plane, none without friction. Of other sets there are none either.
std::span<const FrictionVector> directions_of(const ContactProblem& problem, int contact);

/// How many unknowns a block brings: a contact's, or one a bilateral row.
inline int unknowns_of(const ContactProblem& problem, int block) {
  if (block >= problem.contacts) return problem.size_of(block);
  const auto directions = static_cast<int>(directions_of(problem, block).size());
  return directions == 0 ? 1 : directions + 2;
}

/// Per contact the unknowns p_n, β_1 … β_k, λ (p_n alone without friction) [StewartTrinkle2000, (15)-(20)]:
///   0 ≤ u_n + ζ        ⊥ p_n ≥ 0
///   0 ≤ λ + d_i · u_f  ⊥ β_i ≥ 0,   p_f = Σ β_i d_i
///   0 ≤ μ p_n - Σ β_i  ⊥ λ ≥ 0
/// with d_i in the measure of the contact's radii, so that p_f = e Σ β_i d_i and e u_f stands for u_f.
/// Departure: each contact is scaled by the inverse root of its largest Delassus diagonal, so that bodies of
/// a gram and of a tonne meet in one matrix with ones on its diagonal.
/// Bilateral rows are free rows of a mixed problem, u = 0 with p of any sign, which are then eliminated.
class PolyhedralLcp {
 public:
  /// Why a problem has no such form; empty where it has one.
  static std::string_view unsupported_reason(const ContactProblem& problem);
  /// `W`: that of the problem, given or condensed. False where bilateral rows contradict, or are not finite.
  bool formulate(const ContactProblem& problem, const BlockMatrix& W);
  const Lcp& lcp() const { return mixed() ? elimination_.lcp() : lcp_; }

  /// p of the contact problem from z of the lcp.
  void impulses(std::span<const double> z, std::span<double> p);
  /// The lcp's basic set from one word per contact, and back.
  void basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha);
  void alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis);

 private:
  struct Block {
    int begin = 0;            // its first among the unknowns, p_n of a contact
    int directions = 0;       // k; 0: no friction
    int first_direction = 0;  // in directions_
    int first_row = 0;        // of the problem
    int rows = 1;
    double scale = 1;  // s: p = s p̂, û = s u; 1 of bilateral rows: scale_free_rows()
    int unknowns = 1;
    bool bilateral = false;
    int columns() const { return bilateral ? rows : 1 + directions; }  // columns of E
  };
  bool mixed() const { return !blocks_.empty() && blocks_.back().bilateral; }
  int set_layout(const ContactProblem& problem, const BlockMatrix& W);
  void write_block(const Block& row, const Block& column, const double* w, int size, double* out);
  void write_contact(const ContactProblem& problem, int contact, int size, std::vector<double>& M,
                     std::vector<double>& q) const;
  void scale_free_rows();

  Lcp lcp_;                         // without bilateral rows …
  MixedLcp mixed_;                  // … and with them, as posed,
  std::vector<double> free_scale_;  // in better units,
  double q_scale_ = 1;              // (of q)
  FreeElimination elimination_;     // and without its free rows
  std::vector<double> z_;           // of the mixed problem
  std::vector<char> alpha_;
  std::vector<Block> blocks_;
  std::vector<FrictionVector> directions_;  // e d_i, contact by contact
  std::vector<double> rows_;                // scratch: Ŵ E of one contact
};

}  // namespace pawl::internal
