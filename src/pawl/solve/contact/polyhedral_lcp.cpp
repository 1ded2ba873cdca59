#include <pawl/solve/contact/polyhedral_lcp.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <pawl/base/numeric_util.h>
#include <pawl/lcp.h>

namespace pawl::internal {

std::span<const FrictionVector> directions_of(const ContactProblem& problem, int contact) {
  static constexpr FrictionVector kIntervalDirections[] = {{1, 0, 0}, {-1, 0, 0}};
  const FrictionSet& set = problem.friction[contact];
  if (set.frictionless() || problem.friction_rows(contact) == 0) return {};
  if (set.kind == FrictionKind::polyhedron) return set.polyhedron->directions();
  if (problem.friction_rows(contact) == 1) return kIntervalDirections;
  return {};
}

std::string_view PolyhedralLcp::unsupported_reason(const ContactProblem& problem) {
  for (int c = 0; c < problem.contacts; ++c) {
    const FrictionSet& set = problem.friction[c];
    const int rows = problem.friction_rows(c);
    if (set.frictionless() || rows == 0) continue;
    if (set.kind == FrictionKind::polyhedron ? set.polyhedron->dimensions() > rows : rows > 1)
      return "friction set";
    if (directions_of(problem, c).size() > kMaxDirections) return "too many friction directions";
  }
  return {};
}

bool PolyhedralLcp::formulate(const ContactProblem& problem, const BlockMatrix& W) {
  assert(unsupported_reason(problem).empty());
  const int size = set_layout(problem, W);
  std::vector<double>&M = mixed() ? mixed_.M : lcp_.M, &q = mixed() ? mixed_.q : lcp_.q;
  M.assign(size * size, 0.0);
  q.assign(size, 0.0);
  for (int r = 0; r < problem.blocks(); ++r) {
    const Block& row = blocks_[r];
    for (const BlockMatrix::Block& entry : W.row_entries(r)) {
      const Block& column = blocks_[entry.column];
      write_block(row, column, W.values.data() + entry.offset, size,
                  M.data() + row.begin * size + column.begin);
    }
    if (row.bilateral) {
      std::copy_n(problem.b.data() + row.first_row, row.rows, q.data() + row.begin);
    } else {
      write_contact(problem, r, size, M, q);
    }
  }
  if (!mixed()) {
    lcp_.n = size;
    return true;
  }
  mixed_.n = size;
  mixed_.free.assign(size, 0);
  std::fill(mixed_.free.begin() + blocks_[problem.contacts].begin, mixed_.free.end(), 1);
  if (!well_formed(mixed_)) return false;
  scale_free_rows();
  return elimination_.eliminate(mixed_) != EliminationOutcome::inconsistent;
}

/// Scales the free rows to a unit diagonal, like the contacts, and the largest |q| to 1. Rows and columns get
/// the same factors: otherwise M would not stay copositive, and Lemke's method would end on rays.
void PolyhedralLcp::scale_free_rows() {
  const int n = mixed_.n;
  free_scale_.assign(n, 1.0);
  for (int i = 0; i < n; ++i) {
    const double diagonal = mixed_.M[i * n + i];
    if (mixed_.free[i] && diagonal > 0) free_scale_[i] = 1 / std::sqrt(diagonal);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) mixed_.M[i * n + j] *= free_scale_[i] * free_scale_[j];
    mixed_.q[i] *= free_scale_[i];
  }
  q_scale_ = largest(mixed_.q) > 0 ? largest(mixed_.q) : 1;
  for (double& q : mixed_.q) q /= q_scale_;
}

/// Assigns unknowns to blocks. Returns the number of unknowns.
int PolyhedralLcp::set_layout(const ContactProblem& problem, const BlockMatrix& W) {
  blocks_.assign(problem.blocks(), {});
  directions_.clear();
  int size = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    Block& block = blocks_[i];
    block.begin = size;
    block.first_row = problem.begin[i];
    block.rows = problem.size_of(i);
    block.unknowns = unknowns_of(problem, i);
    block.bilateral = i >= problem.contacts;
    size += block.unknowns;
    if (block.bilateral) continue;
    block.first_direction = static_cast<int>(directions_.size());
    const auto& e = problem.friction[i].radii;
    for (const FrictionVector& d : directions_of(problem, i)) {
      directions_.push_back({e[0] * d[0], e[1] * d[1], e[2] * d[2]});
    }
    block.directions = static_cast<int>(directions_.size()) - block.first_direction;
    double diagonal = 0;
    if (const BlockMatrix::Block* own = W.find(i, i)) {
      const double* w = W.values.data() + own->offset;
      for (int k = 0; k < block.rows; ++k) diagonal = std::max(diagonal, w[k * (block.rows + 1)]);
    }
    block.scale = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
  }
  return size;
}

/// M = Eᵀ Ŵ E in the rows and columns of p_n and β. E = [n, e d_1 … e d_k] per contact, the identity on
/// bilateral rows.
void PolyhedralLcp::write_block(const Block& row, const Block& column, const double* w, int size,
                                double* out) {
  const FrictionVector* column_directions = directions_.data() + column.first_direction;
  const double s = row.scale * column.scale;
  const int columns = column.columns();
  rows_.resize(row.rows * columns);
  for (int i = 0; i < row.rows; ++i, w += column.rows) {
    double* line = rows_.data() + i * columns;
    if (column.bilateral) {
      for (int k = 0; k < columns; ++k) line[k] = s * w[k];
      continue;
    }
    FrictionVector w_f{};
    std::copy(w + 1, w + column.rows, w_f.begin());
    line[0] = s * w[0];
    for (int k = 0; k < column.directions; ++k) line[1 + k] = s * dot(w_f, column_directions[k]);
  }
  const int kept = row.bilateral ? row.rows : 1;  // rows of E that are rows of the identity
  for (int i = 0; i < kept; ++i) std::copy_n(rows_.data() + i * columns, columns, out + i * size);
  for (int l = 0; l < row.directions; ++l) {
    double* line = out + (1 + l) * size;
    const FrictionVector& d = directions_[row.first_direction + l];
    const double* from = rows_.data() + columns;
    for (int k = 0; k < columns; ++k) line[k] = d[0] * from[k];
    for (int i = 2; i < row.rows; ++i) {
      from += columns;
      for (int k = 0; k < columns; ++k) line[k] += d[i - 1] * from[k];
    }
  }
}

/// Right-hand side of one contact, and the rows and columns of λ. The row of λ is divided by μ if μ > 1.
void PolyhedralLcp::write_contact(const ContactProblem& problem, int contact, int size,
                                  std::vector<double>& M, std::vector<double>& q) const {
  const Block& row = blocks_[contact];
  const double* b = problem.b.data() + row.first_row;
  q[row.begin] = row.scale * (b[0] + problem.zeta[contact]);
  if (row.directions == 0) return;
  const double mu = problem.friction[contact].mu, by = 1 / std::max(1.0, mu);
  const int lambda = row.begin + row.directions + 1;
  M[lambda * size + row.begin] = mu * by;
  FrictionVector b_f{};
  std::copy(b + 1, b + row.rows, b_f.begin());
  for (int k = 0; k < row.directions; ++k) {
    const int beta = row.begin + 1 + k;
    q[beta] = row.scale * dot(b_f, directions_[row.first_direction + k]);
    M[beta * size + lambda] = 1;
    M[lambda * size + beta] = -by;
  }
}

void PolyhedralLcp::impulses(std::span<const double> z, std::span<double> p) {
  if (mixed()) {
    z_.resize(mixed_.n);
    elimination_.expand(z, z_);
    for (int i = 0; i < mixed_.n; ++i) z_[i] *= q_scale_ * free_scale_[i];
    z = z_;
  }
  std::ranges::fill(p, 0.0);
  for (const Block& block : blocks_) {
    double* out = p.data() + block.first_row;
    if (block.bilateral) {
      std::copy_n(z.data() + block.begin, block.rows, out);
      continue;
    }
    out[0] = block.scale * z[block.begin];
    for (int k = 0; k < block.directions; ++k) {
      const double beta = block.scale * z[block.begin + 1 + k];
      const FrictionVector& d = directions_[block.first_direction + k];
      for (int i = 1; i < block.rows; ++i) out[i] += beta * d[i - 1];
    }
  }
}

void PolyhedralLcp::basis_to_alpha(std::span<const ContactBasis> basis, std::vector<char>& alpha) {
  std::vector<char>& posed = mixed() ? alpha_ : alpha;
  posed.assign(mixed() ? mixed_.n : lcp_.n, 0);
  for (std::size_t c = 0; c < basis.size(); ++c) {
    for (int i = 0; i < blocks_[c].unknowns; ++i) posed[blocks_[c].begin + i] = (basis[c] >> i) & 1;
  }
  if (mixed()) elimination_.reduce_basis(posed, alpha);
}

void PolyhedralLcp::alpha_to_basis(std::span<const char> alpha, std::span<ContactBasis> basis) {
  if (mixed()) {
    alpha_.resize(mixed_.n);
    elimination_.expand_basis(alpha, alpha_);
    alpha = alpha_;
  }
  for (std::size_t c = 0; c < basis.size(); ++c) {
    basis[c] = 0;
    for (int i = 0; i < blocks_[c].unknowns; ++i) {
      if (alpha[blocks_[c].begin + i]) basis[c] |= ContactBasis{1} << i;
    }
  }
}

}  // namespace pawl::internal
