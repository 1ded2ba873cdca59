#include <pawl/solve/polyhedral_lcp.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pawl {

void PolyhedralLcp::formulate(const ContactProblem& problem) {
  const int n = problem.rows(), dim = dim_ = problem.dim;
  blocks_.resize(problem.contacts);
  int size = 0;
  for (int c = 0; c < problem.contacts; ++c) {
    Block& block = blocks_[c];
    const FrictionSet& set = problem.friction[c];
    block.begin = size;
    block.polygon = set.polygon;
    block.directions = set.frictionless() ? 0 : static_cast<int>(set.polygon->directions().size());
    assert(block.directions <= kMostDirections);
    double diagonal = 0;
    for (int i = c * dim; i < (c + 1) * dim; ++i) diagonal = std::max(diagonal, problem.W[i * n + i]);
    block.scale = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
    block.unknowns = unknowns_of(set);
    size += block.unknowns;
  }
  lcp_.n = size;
  lcp_.M.assign(size * size, 0.0);
  lcp_.q.assign(size, 0.0);

  // M = Eᵀ Ŵ E in the rows and columns of p_n and β, with E = [n, d_1 … d_k] per contact.
  for (int r = 0; r < problem.contacts; ++r) {
    const Block& row = blocks_[r];
    for (int c = 0; c < problem.contacts; ++c) {
      const Block& column = blocks_[c];
      const double s = row.scale * column.scale;
      const double* W = problem.W.data() + r * dim * n + c * dim;
      bool coupled = false;
      for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) coupled |= W[i * n + j] != 0;
      }
      if (!coupled) continue;
      const int wide = 1 + column.directions;
      rows_.resize(dim * wide);
      for (int i = 0; i < dim; ++i) {
        rows_[i * wide] = s * W[i * n];
        for (int k = 0; k < column.directions; ++k) {
          const auto& d = column.polygon->directions()[k];
          rows_[i * wide + 1 + k] = s * (W[i * n + 1] * d[0] + (dim > 2 ? W[i * n + 2] * d[1] : 0));
        }
      }
      double* out = lcp_.M.data() + row.begin * size + column.begin;
      std::copy_n(rows_.data(), wide, out);
      for (int l = 0; l < row.directions; ++l) {
        const auto& d = row.polygon->directions()[l];
        double* line = out + (1 + l) * size;
        const double* t = rows_.data() + wide;
        for (int k = 0; k < wide; ++k) line[k] = d[0] * t[k];
        if (dim > 2) {
          const double* o = rows_.data() + 2 * wide;
          for (int k = 0; k < wide; ++k) line[k] += d[1] * o[k];
        }
      }
    }
    // The friction rows of this contact, and the right-hand side. The row of λ is divided by μ where μ is
    // large.
    double* q = lcp_.q.data() + row.begin;
    const double* b = problem.b.data() + r * dim;
    q[0] = row.scale * (b[0] + problem.zeta[r]);
    if (row.directions == 0) continue;
    const double mu = problem.friction[r].mu, by = 1 / std::max(1.0, mu);
    const int lambda = row.begin + row.directions + 1;
    lcp_.M[lambda * size + row.begin] = mu * by;
    for (int k = 0; k < row.directions; ++k) {
      const auto& d = row.polygon->directions()[k];
      q[1 + k] = row.scale * (b[1] * d[0] + (dim > 2 ? b[2] * d[1] : 0));
      lcp_.M[(row.begin + 1 + k) * size + lambda] = 1;
      lcp_.M[lambda * size + row.begin + 1 + k] = -by;
    }
  }
}

void PolyhedralLcp::impulses(std::span<const double> z, std::span<double> p) const {
  for (std::size_t c = 0; c < blocks_.size(); ++c) {
    const Block& block = blocks_[c];
    double* out = p.data() + c * dim_;
    std::fill_n(out, dim_, 0.0);
    out[0] = block.scale * z[block.begin];
    for (int k = 0; k < block.directions; ++k) {
      const double beta = block.scale * z[block.begin + 1 + k];
      const auto& d = block.polygon->directions()[k];
      out[1] += beta * d[0];
      if (dim_ > 2) out[2] += beta * d[1];
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
