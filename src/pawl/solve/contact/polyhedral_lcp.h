#pragma once
// Formulates a contact problem with polyhedral friction as an LCP and maps the solution back.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <pawl/lcp.h>
#include <pawl/solve/lcp/eliminate_free.h>
#include <pawl/solver.h>

namespace pawl::internal {

/// Max directions of a polyhedron: a contact's basis is stored in one 64-bit word.
inline constexpr int kMaxDirections = 62;

/// The directions whose hull is a contact's friction set at μ p_n = 1, in the measure of its radii: those of
/// a polyhedron, ±1 in the plane, none without friction. Of other sets there are none either.
std::span<const FrictionVector> directions_of(const ContactProblem& problem, int contact);

/// Number of unknowns of a block; one per row if the block is bilateral.
inline int unknowns_of(const ContactProblem& problem, int block) {
  if (block >= problem.contacts) return problem.size_of(block);
  const auto directions = static_cast<int>(directions_of(problem, block).size());
  return directions == 0 ? 1 : directions + 2;
}

/// Unknowns per contact: p_n, β_1 … β_k, λ, or p_n alone without friction [StewartTrinkle2000, (15)-(20)]:
///   0 ≤ u_n + ζ        ⊥ p_n ≥ 0
///   0 ≤ λ + d_i · u_f  ⊥ β_i ≥ 0,   p_f = Σ β_i d_i
///   0 ≤ μ p_n - Σ β_i  ⊥ λ ≥ 0
/// with d_i scaled by the radii e of the contact: p_f = e Σ β_i d_i, and e u_f in place of u_f.
/// Departure: each contact is scaled by 1/√(its largest Delassus diagonal). The matrix then has a unit
/// diagonal even for bodies from a gram to a tonne.
/// Bilateral rows become free rows of a mixed LCP, u = 0 with p of any sign, and are eliminated.
class PolyhedralLcp {
 public:
  /// Reason why the problem has no such form; empty if it has one.
  static std::string_view unsupported_reason(const ContactProblem& problem);
  /// `W`: Delassus matrix of the problem, given or computed. Returns false if bilateral rows are inconsistent
  /// or not finite.
  bool formulate(const ContactProblem& problem, const BlockMatrix& W);
  const Lcp& lcp() const { return mixed() ? elimination_.lcp() : lcp_; }

  /// p of the contact problem from z of the lcp.
  void impulses(std::span<const double> z, std::span<double> p);
  /// Converts between the basic set of the LCP and one word per contact.
  void basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha);
  void alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis);

 private:
  struct Block {
    int begin = 0;            // index of its first unknown, p_n of a contact
    int directions = 0;       // k; 0 without friction
    int first_direction = 0;  // in directions_
    int first_row = 0;        // in the contact problem
    int rows = 1;
    double scale = 1;  // s: p = s p̂, û = s u; 1 for bilateral rows, see scale_free_rows()
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

  Lcp lcp_;                         // without bilateral rows
  MixedLcp mixed_;                  // with bilateral rows; scaled by
  std::vector<double> free_scale_;  // these factors and
  double q_scale_ = 1;              // this factor of q,
  FreeElimination elimination_;     // then reduced by its free rows
  std::vector<double> z_;           // solution of the mixed problem
  std::vector<char> alpha_;
  std::vector<Block> blocks_;
  std::vector<FrictionVector> directions_;  // e d_i, contact by contact
  std::vector<double> rows_;                // scratch: Ŵ E of one contact
};

}  // namespace pawl::internal
