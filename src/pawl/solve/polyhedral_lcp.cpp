#include <pawl/solve/polyhedral_lcp.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pawl {
namespace {

double dot(const FrictionVector& a, const FrictionVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

std::span<const FrictionVector> directions_of(const ContactProblem& problem, int contact) {
  static constexpr FrictionVector kBothWays[] = {{1, 0, 0}, {-1, 0, 0}};
  const FrictionSet& set = problem.friction[contact];
  if (set.frictionless() || problem.friction_rows(contact) == 0) return {};
  if (set.kind == FrictionKind::polyhedron) return set.polyhedron->directions();
  if (problem.friction_rows(contact) == 1) return kBothWays;
  return {};
}

std::string_view PolyhedralLcp::obstacle(const ContactProblem& problem) {
  if (problem.blocks() > problem.contacts) return "bilateral rows";
  for (int c = 0; c < problem.contacts; ++c) {
    const FrictionSet& set = problem.friction[c];
    const int rows = problem.friction_rows(c);
    if (set.frictionless() || rows == 0) continue;
    if (set.kind == FrictionKind::polyhedron ? set.polyhedron->dimensions() > rows : rows > 1)
      return "friction set";
    if (directions_of(problem, c).size() > kMostDirections) return "too many friction directions";
  }
  return {};
}

void PolyhedralLcp::formulate(const ContactProblem& problem, const BlockMatrix& W) {
  assert(obstacle(problem).empty());
  blocks_.resize(problem.contacts);
  directions_.clear();
  int size = 0;
  for (int c = 0; c < problem.contacts; ++c) {
    Block& block = blocks_[c];
    block.begin = size;
    block.first_row = problem.begin[c];
    block.rows = problem.size_of(c);
    block.first_direction = static_cast<int>(directions_.size());
    const auto& e = problem.friction[c].radii;
    for (const FrictionVector& d : directions_of(problem, c)) {
      directions_.push_back({e[0] * d[0], e[1] * d[1], e[2] * d[2]});
    }
    block.directions = static_cast<int>(directions_.size()) - block.first_direction;
    double diagonal = 0;
    if (const BlockMatrix::Block* own = W.find(c, c)) {
      const double* w = W.values.data() + own->offset;
      for (int i = 0; i < block.rows; ++i) diagonal = std::max(diagonal, w[i * (block.rows + 1)]);
    }
    block.scale = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
    block.unknowns = unknowns_of(problem, c);
    size += block.unknowns;
  }
  lcp_.n = size;
  lcp_.M.assign(size * size, 0.0);
  lcp_.q.assign(size, 0.0);

  // M = Eᵀ Ŵ E in the rows and columns of p_n and β, with E = [n, e d_1 … e d_k] per contact.
  for (int r = 0; r < problem.contacts; ++r) {
    const Block& row = blocks_[r];
    const FrictionVector* row_directions = directions_.data() + row.first_direction;
    for (const BlockMatrix::Block& entry : W.row_entries(r)) {
      const Block& column = blocks_[entry.column];
      const FrictionVector* column_directions = directions_.data() + column.first_direction;
      const double s = row.scale * column.scale;
      const double* w = W.values.data() + entry.offset;
      const int wide = 1 + column.directions;
      rows_.resize(row.rows * wide);
      for (int i = 0; i < row.rows; ++i, w += column.rows) {
        FrictionVector w_f{};
        std::copy(w + 1, w + column.rows, w_f.begin());
        double* line = rows_.data() + i * wide;
        line[0] = s * w[0];
        for (int k = 0; k < column.directions; ++k) line[1 + k] = s * dot(w_f, column_directions[k]);
      }
      double* out = lcp_.M.data() + row.begin * size + column.begin;
      std::copy_n(rows_.data(), wide, out);
      for (int l = 0; l < row.directions; ++l) {
        double* line = out + (1 + l) * size;
        const FrictionVector& d = row_directions[l];
        const double* from = rows_.data() + wide;
        for (int k = 0; k < wide; ++k) line[k] = d[0] * from[k];
        for (int i = 2; i < row.rows; ++i) {
          from += wide;
          for (int k = 0; k < wide; ++k) line[k] += d[i - 1] * from[k];
        }
      }
    }
    // The friction rows of this contact, and the right-hand side. The row of λ is divided by μ where μ is
    // large.
    double* q = lcp_.q.data() + row.begin;
    const double* b = problem.b.data() + row.first_row;
    q[0] = row.scale * (b[0] + problem.zeta[r]);
    if (row.directions == 0) continue;
    const double mu = problem.friction[r].mu, by = 1 / std::max(1.0, mu);
    const int lambda = row.begin + row.directions + 1;
    lcp_.M[lambda * size + row.begin] = mu * by;
    FrictionVector b_f{};
    std::copy(b + 1, b + row.rows, b_f.begin());
    for (int k = 0; k < row.directions; ++k) {
      q[1 + k] = row.scale * dot(b_f, row_directions[k]);
      lcp_.M[(row.begin + 1 + k) * size + lambda] = 1;
      lcp_.M[lambda * size + row.begin + 1 + k] = -by;
    }
  }
}

void PolyhedralLcp::impulses(std::span<const double> z, std::span<double> p) const {
  std::ranges::fill(p, 0.0);
  for (const Block& block : blocks_) {
    double* out = p.data() + block.first_row;
    out[0] = block.scale * z[block.begin];
    for (int k = 0; k < block.directions; ++k) {
      const double beta = block.scale * z[block.begin + 1 + k];
      const FrictionVector& d = directions_[block.first_direction + k];
      for (int i = 1; i < block.rows; ++i) out[i] += beta * d[i - 1];
    }
  }
}

void PolyhedralLcp::basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha) const {
  alpha.resize(lcp_.n);
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    for (int i = 0; i < blocks_[c].unknowns; ++i) alpha[blocks_[c].begin + i] = (basis[c] >> i) & 1;
  }
}

void PolyhedralLcp::alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis) const {
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    basis[c] = 0;
    for (int i = 0; i < blocks_[c].unknowns; ++i) {
      if (alpha[blocks_[c].begin + i]) basis[c] |= ContactBasis{1} << i;
    }
  }
}

}  // namespace pawl
