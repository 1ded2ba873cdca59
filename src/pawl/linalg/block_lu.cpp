#include <pawl/linalg/block_lu.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>

#include <pawl/base/tolerances.h>

#ifdef __FMA__
#include <immintrin.h>
#endif

namespace pawl::internal {
namespace {

constexpr int kMaxSingleFrontRows = 24;  // matrices up to this size are one front
constexpr int kMaxSupernodeWidth = 96;
constexpr int kPanel = 8;
constexpr double kMaxZeroFraction = 0.1;            // of a supernode's entries; allows fewer, larger fronts
constexpr double kSmallPivot = tolerances::kPivot;  // relative to the largest entry of the front

/// Adjacency lists of the symmetrised block pattern, without the diagonal.
std::vector<std::vector<int>> neighbours(const BlockMatrix& A) {
  std::vector<std::vector<int>> next(A.blocks());
  for (int i = 0; i < A.blocks(); ++i) {
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      if (block.column == i) continue;
      next[i].push_back(block.column);
      next[block.column].push_back(i);
    }
  }
  for (auto& list : next) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return next;
}

/// Groups blocks with equal closed neighbourhoods, such as the contacts between the same two bodies. Each
/// group is eliminated as one variable.
std::vector<std::vector<int>> find_supervariables(const std::vector<std::vector<int>>& next) {
  std::map<std::vector<int>, int> seen;
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < static_cast<int>(next.size()); ++i) {
    std::vector<int> closed = next[i];
    closed.insert(std::ranges::lower_bound(closed, i), i);
    const auto [at, fresh] = seen.try_emplace(std::move(closed), static_cast<int>(groups.size()));
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  return groups;
}

std::vector<int> minimum_degree(const std::vector<std::vector<int>>& next) {
  const int n = static_cast<int>(next.size());
  std::vector<Eigen::Triplet<char>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1);
    for (const int j : next[i]) entries.emplace_back(i, j, 1);
  }
  Eigen::SparseMatrix<char, Eigen::ColMajor, int> graph(n, n);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

/// For each node in elimination order: the later nodes in its column of L, fill-in included.
std::vector<std::vector<int>> symbolic_fill(const std::vector<std::vector<int>>& next) {
  const int n = static_cast<int>(next.size());
  std::vector<std::vector<int>> reach(n), children(n);
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    mark[k] = k;
    const auto add = [&](int j) {
      if (j > k && mark[j] != k) mark[j] = k, reach[k].push_back(j);
    };
    for (const int j : next[k]) add(j);
    for (const int child : children[k]) std::ranges::for_each(reach[child], add);
    std::ranges::sort(reach[k]);
    if (!reach[k].empty()) children[reach[k].front()].push_back(k);
  }
  return reach;
}

/// Postorder of the elimination tree: children before parents, each subtree contiguous.
std::vector<int> postorder(const std::vector<std::vector<int>>& reach) {
  const int n = static_cast<int>(reach.size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> stack, out;
  for (int k = n - 1; k >= 0; --k) {
    if (reach[k].empty()) {
      stack.push_back(k);
    } else {
      children[reach[k].front()].push_back(k);
    }
  }
  while (!stack.empty()) {  // parents first, then reversed
    const int k = stack.back();
    stack.pop_back();
    out.push_back(k);
    stack.insert(stack.end(), children[k].begin(), children[k].end());
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<std::vector<int>> permute(const std::vector<std::vector<int>>& next,
                                      const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int>(k);
  std::vector<std::vector<int>> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const int j : next[order[k]]) out[k].push_back(position[j]);
  }
  return out;
}

/// Row stride of a front, and its number of allocated rows. Tiles extend up to three entries beyond the last
/// row and column; the padding is 0.
int padded_stride(int size) {
  return size + 3;
}

/// C -= A B, C [rows × 4 vectors], A [rows × depth]. Explicit FMA gives the same bits on every machine and
/// compiler. Explicit vectors, because g++ 12 compiles the loop to scalar code.
template <int rows, int vectors>
void subtract_tile(const double* a, int depth, const double* b, double* c, std::size_t stride) {
#ifdef __FMA__
  __m256d sum[rows][vectors];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_loadu_pd(c + r * stride + 4 * v);
  }
  for (int k = 0; k < depth; ++k, b += stride) {
    __m256d b_k[vectors];
    for (int v = 0; v < vectors; ++v) b_k[v] = _mm256_loadu_pd(b + 4 * v);
    for (int r = 0; r < rows; ++r) {
      const __m256d a_k = _mm256_broadcast_sd(a + r * stride + k);
      for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_fnmadd_pd(a_k, b_k[v], sum[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) _mm256_storeu_pd(c + r * stride + 4 * v, sum[r][v]);
  }
#else
  for (int k = 0; k < depth; ++k, b += stride) {
    for (int r = 0; r < rows; ++r) {
      for (int j = 0; j < 4 * vectors; ++j)
        c[r * stride + j] = std::fma(-a[r * stride + k], b[j], c[r * stride + j]);
    }
  }
#endif
}

/// The same for n columns, rounded up to a multiple of 4.
template <int rows>
void subtract_product(const double* a, int depth, const double* b, double* c, int stride, int n) {
  const std::size_t next = static_cast<std::size_t>(stride);
  int j = 0;
  for (; j + 8 <= n; j += 8) subtract_tile<rows, 2>(a, depth, b + j, c + j, next);
  for (; j < n; j += 4) subtract_tile<rows, 1>(a, depth, b + j, c + j, next);
}

/// y -= A x, rows of A `stride` apart. Four rows at once, so that their sums are independent.
void subtract_rows(const double* A, int stride, int rows, int columns, const double* x, double* y) {
  int i = 0;
  for (; i + 4 <= rows; i += 4, A += 4 * static_cast<std::size_t>(stride), y += 4) {
    const double *a0 = A, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    for (int j = 0; j < columns; ++j) {
      y0 -= a0[j] * x[j];
      y1 -= a1[j] * x[j];
      y2 -= a2[j] * x[j];
      y3 -= a3[j] * x[j];
    }
    y[0] = y0, y[1] = y1, y[2] = y2, y[3] = y3;
  }
  for (; i < rows; ++i, A += stride, ++y) {
    for (int j = 0; j < columns; ++j) *y -= A[j] * x[j];
  }
}

/// U of a full panel, applied to the rows below the pivots: x := x U⁻¹. Entries on and below the diagonal are
/// stored as 0, so that each step runs over the full width.
struct PanelTriangle {
  double inverse[kPanel];  // of the diagonal
  double U[kPanel][kPanel];

  PanelTriangle(const double* F, int stride) {
    for (int j = 0; j < kPanel; ++j) {
      const double* row = F + static_cast<std::size_t>(j) * stride;
      inverse[j] = 1 / row[j];
      for (int c = 0; c < kPanel; ++c) U[j][c] = c > j ? row[c] : 0;
    }
  }
  void divide(double* x) const {
    double rest[kPanel];
    for (int c = 0; c < kPanel; ++c) rest[c] = x[c];
    for (int j = 0; j < kPanel; ++j) {
      const double l = rest[j] * inverse[j];
      for (int c = 0; c < kPanel; ++c) rest[c] -= l * U[j][c];
      x[j] = l;
    }
  }
};

/// Eliminates the first n rows and columns of a front, in place:
///   P F11 = L11 U11,  U12 = L11⁻¹ P F12,  L21 = F21 U11⁻¹,  F22 := F22 - L21 U12.
/// Works in panels, so that most operations are matrix products. Returns the number of replaced pivots.
int eliminate(double* F, int size, int n, int* pivot) {
  const int stride = padded_stride(size);
  const auto row = [&](int i) { return F + static_cast<std::size_t>(i) * stride; };
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(row(i)[j]));
  }
  int replaced = 0;
  for (int begin = 0; begin < n; begin += kPanel) {
    const int end = std::min(begin + kPanel, n);
    // Rows i < stepwise are eliminated column by column, as the pivot search needs them.
    const int stepwise = end - begin == kPanel ? n : size;
    for (int j = begin; j < end; ++j) {
      int best = j;
      for (int i = j + 1; i < n; ++i) {
        if (std::abs(row(i)[j]) > std::abs(row(best)[j])) best = i;
      }
      pivot[j] = best;
      if (best != j) std::swap_ranges(row(j), row(j) + size, row(best));
      double& diagonal = row(j)[j];
      if (!(std::abs(diagonal) > kSmallPivot * largest)) {
        diagonal = largest > 0 ? std::copysign(kSmallPivot * largest, diagonal) : 1;
        ++replaced;
      }
      const double inverse = 1 / diagonal;
      for (int i = j + 1; i < stepwise; ++i) {
        double* other = row(i);
        const double l = other[j] *= inverse;
        for (int c = j + 1; c < end; ++c) other[c] -= l * row(j)[c];
      }
    }
    if (stepwise < size) {
      const PanelTriangle triangle(row(begin) + begin, stride);
      for (int i = stepwise; i < size; ++i) triangle.divide(row(i) + begin);
    }
    for (int i = begin + 1; i < end; ++i) {
      subtract_product<1>(row(i) + begin, i - begin, row(begin) + end, row(i) + end, stride, size - end);
    }
    for (int i = end; i < size; i += 4) {
      subtract_product<4>(row(i) + begin, end - begin, row(begin) + end, row(i) + end, stride, size - end);
    }
  }
  return replaced;
}

}  // namespace

void BlockLu::analyse(const BlockMatrix& A) {
  const auto same_blocks = [&] {
    if (pattern_column_.size() != A.entries.size()) return false;
    for (std::size_t i = 0; i < A.entries.size(); ++i) {
      if (pattern_column_[i] != A.entries[i].column || pattern_offset_[i] != A.entries[i].offset)
        return false;
    }
    return true;
  };
  if (pattern_begin_ == A.begin && pattern_row_ == A.row && same_blocks()) return;
  pattern_begin_ = A.begin;
  pattern_row_ = A.row;
  pattern_column_.clear();
  pattern_offset_.clear();
  for (const BlockMatrix::Block& block : A.entries) {
    pattern_column_.push_back(block.column);
    pattern_offset_.push_back(block.offset);
  }
  if (A.size() <= kMaxSingleFrontRows) {
    analyse_as_single_front(A);
  } else {
    order(A);
    compute_fronts(A);
  }
}

/// Small matrices: an ordering saves little, and patterns that change from step to step cause no allocation.
void BlockLu::analyse_as_single_front(const BlockMatrix& A) {
  const int n = A.size();
  block_position_.assign(A.begin.begin(), A.begin.end() - 1);
  position_.resize(n);
  std::iota(position_.begin(), position_.end(), 0);
  rows_.clear();
  runs_.clear();
  scatter_.clear();
  for (int i = 0; i < A.blocks(); ++i) {
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      scatter_.push_back(
          {block.offset, A.size_of(i), A.size_of(block.column), A.begin[i], A.begin[block.column]});
    }
  }
  Supernode node;
  node.pivots = n;
  supernodes_.assign(1, node);
  const auto stride = static_cast<std::size_t>(padded_stride(n));
  factors_.resize(n * stride);
  pivot_.resize(n);
  x_.resize(n);
  front_.resize(stride * stride);
  stack_.resize(stride * stride);
  update_offset_.reserve(2);
  update_node_.reserve(2);
  work_ = static_cast<double>(n) * n * n;
}

void BlockLu::order(const BlockMatrix& A) {
  const auto next = neighbours(A);
  const auto groups = find_supervariables(next);
  std::vector<int> group_of(A.blocks());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int i : groups[g]) group_of[i] = static_cast<int>(g);
  }
  std::vector<std::vector<int>> quotient(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int j : next[groups[g].front()]) {
      if (group_of[j] != static_cast<int>(g)) quotient[g].push_back(group_of[j]);
    }
    std::ranges::sort(quotient[g]);
    quotient[g].erase(std::unique(quotient[g].begin(), quotient[g].end()), quotient[g].end());
  }
  std::vector<int> sequence = minimum_degree(quotient);
  const auto after = postorder(symbolic_fill(permute(quotient, sequence)));
  std::vector<int> sorted;
  for (const int k : after) sorted.push_back(sequence[k]);
  const auto reach = symbolic_fill(permute(quotient, sorted));

  const int n = static_cast<int>(groups.size());
  std::vector<int> size(n), first(n + 1);  // rows of a node; its first row in elimination order
  block_position_.resize(A.blocks());
  position_.resize(A.size());
  for (int k = 0; k < n; ++k) {
    int at = first[k];
    for (const int i : groups[sorted[k]]) {
      block_position_[i] = at;
      for (int r = A.begin[i]; r < A.begin[i + 1]; ++r) position_[r] = at++;
    }
    size[k] = at - first[k];
    first[k + 1] = at;
  }
  const auto count_rows = [&](const std::vector<int>& nodes) {
    return std::accumulate(nodes.begin(), nodes.end(), 0, [&](int sum, int k) { return sum + size[k]; });
  };

  supernodes_.clear();
  rows_.clear();
  std::size_t offset = 0;
  for (int k = 0; k < n;) {
    Supernode node;
    node.begin = first[k];
    node.pivots = size[k];
    int last = k;
    double zeros = 0;
    // Merge the next node, if it is the parent, while the stored zeros stay few.
    while (last + 1 < n && !reach[last].empty() && reach[last].front() == last + 1) {
      const int parent = last + 1, below = count_rows(reach[last]),
                grown = size[parent] + count_rows(reach[parent]);
      const int pivots = node.pivots + size[parent];
      const double more = zeros + 2.0 * node.pivots * (grown - below);
      const double entries = static_cast<double>(pivots) * (pivots + 2.0 * count_rows(reach[parent]));
      if (more > kMaxZeroFraction * entries || pivots > kMaxSupernodeWidth) break;
      zeros = more;
      node.pivots = pivots;
      last = parent;
    }
    node.row_offset = static_cast<int>(rows_.size());
    for (const int j : reach[last]) {
      for (int r = first[j]; r < first[j + 1]; ++r) rows_.push_back(r);
    }
    node.below = static_cast<int>(rows_.size()) - node.row_offset;
    node.offset = offset;
    offset += static_cast<std::size_t>(node.pivots) * (padded_stride(node.pivots + node.below) + node.below);
    supernodes_.push_back(node);
    k = last + 1;
  }
  factors_.resize(offset);
  pivot_.resize(A.size());
  x_.resize(A.size());
}

void BlockLu::compute_fronts(const BlockMatrix& A) {
  std::vector<int> node_of(A.size());
  for (std::size_t k = 0; k < supernodes_.size(); ++k) {
    Supernode& node = supernodes_[k];
    std::fill_n(node_of.begin() + node.begin, node.pivots, static_cast<int>(k));
  }
  std::vector<std::vector<Scatter>> by_node(supernodes_.size());
  const auto front_row = [&](const Supernode& node, int position) {
    if (position < node.begin + node.pivots) return position - node.begin;
    const auto rows = std::span(rows_).subspan(node.row_offset, node.below);
    return node.pivots + static_cast<int>(std::ranges::lower_bound(rows, position) - rows.begin());
  };
  for (int i = 0; i < A.blocks(); ++i) {
    for (const BlockMatrix::Block& block : A.row_entries(i)) {
      const int r = block_position_[i], c = block_position_[block.column];
      const int k = node_of[std::min(r, c)];
      by_node[k].push_back({block.offset, A.size_of(i), A.size_of(block.column), front_row(supernodes_[k], r),
                            front_row(supernodes_[k], c)});
    }
  }
  scatter_.clear();
  runs_.clear();
  work_ = 0;
  std::size_t largest_front = 0, stacked = 0, highest = 0;
  std::vector<std::size_t> waiting(supernodes_.size());
  for (std::size_t k = 0; k < supernodes_.size(); ++k) {
    Supernode& node = supernodes_[k];
    node.scatter = static_cast<int>(scatter_.size());
    scatter_.insert(scatter_.end(), by_node[k].begin(), by_node[k].end());
    const auto size = static_cast<std::size_t>(node.pivots) + static_cast<std::size_t>(node.below);
    const auto stride = static_cast<std::size_t>(padded_stride(node.pivots + node.below));
    largest_front = std::max(largest_front, stride * stride);
    work_ += static_cast<double>(node.pivots) * static_cast<double>(size * size);
    stacked -= waiting[k];
    const std::size_t update = static_cast<std::size_t>(node.below) * node.below;
    stacked += update;
    highest = std::max(highest, stacked);
    if (node.below > 0) {
      const int parent = node_of[rows_[node.row_offset]];
      ++supernodes_[parent].children;
      waiting[parent] += update;
      node.run = static_cast<int>(runs_.size());
      for (int i = 0; i < node.below; ++i) {
        const int start = front_row(supernodes_[parent], rows_[node.row_offset + i]);
        const bool continues_run = i > 0 && start == runs_.back().start + runs_.back().length;
        if (continues_run) {
          ++runs_.back().length;
        } else {
          runs_.push_back({start, 1});
        }
      }
      node.runs = static_cast<int>(runs_.size()) - node.run;
    }
  }
  front_.resize(largest_front);
  stack_.resize(highest + largest_front);
  update_offset_.reserve(supernodes_.size() + 1);
  update_node_.reserve(supernodes_.size() + 1);
}

int BlockLu::factor(const BlockMatrix& A) {
  assert(A.begin == pattern_begin_ && A.entries.size() == pattern_column_.size());
  int replaced = 0;
  update_offset_.assign(1, 0);
  update_node_.clear();
  for (std::size_t k = 0; k < supernodes_.size(); ++k) {
    const Supernode& node = supernodes_[k];
    const int n = node.pivots, m = node.below, size = n + m;
    const auto stride = static_cast<std::size_t>(padded_stride(size));
    // Assemble the front: its entries of A and the updates of its children.
    double* F = front_.data();
    std::fill_n(F, stride * stride, 0.0);
    const std::size_t end = k + 1 < supernodes_.size() ? supernodes_[k + 1].scatter : scatter_.size();
    for (std::size_t s = node.scatter; s < end; ++s) {
      const Scatter& entry = scatter_[s];
      const double* a = A.values.data() + entry.offset;
      for (int r = 0; r < entry.rows; ++r) {
        double* out = F + (entry.front_row + r) * stride + entry.front_column;
        for (int c = 0; c < entry.columns; ++c) out[c] += *a++;
      }
    }
    for (int child = 0; child < node.children; ++child) {
      const Supernode& from = supernodes_[update_node_.back()];
      update_node_.pop_back();
      update_offset_.pop_back();
      const double* update = stack_.data() + update_offset_.back();
      const auto runs = std::span(runs_).subspan(from.run, from.runs);
      for (const Run& down : runs) {
        for (int r = 0; r < down.length; ++r) {
          double* out = F + (down.start + r) * stride;
          for (const Run& across : runs) {
            for (int c = 0; c < across.length; ++c) out[across.start + c] += *update++;
          }
        }
      }
    }

    replaced += eliminate(F, size, n, pivot_.data() + node.begin);
    const double* row = F + n * stride;
    double* store = std::copy_n(F, n * stride, factors_.data() + node.offset);
    double* update = stack_.data() + update_offset_.back();
    for (int i = n; i < size; ++i, row += stride) {
      store = std::copy_n(row, n, store);
      update = std::copy_n(row + n, m, update);
    }
    if (m > 0) {
      update_offset_.push_back(update_offset_.back() + static_cast<std::size_t>(m) * m);
      update_node_.push_back(static_cast<int>(k));
    }
  }
  return replaced;
}

void BlockLu::solve(std::span<double> x) {
  assert(x.size() == position_.size());
  for (std::size_t r = 0; r < position_.size(); ++r) x_[position_[r]] = x[r];
  for (const Supernode& node : supernodes_) {
    const int n = node.pivots, m = node.below, stride = padded_stride(n + m);
    const double* L = factors_.data() + node.offset;
    const double* L21 = L + static_cast<std::size_t>(n) * stride;
    double* y = x_.data() + node.begin;
    for (int j = 0; j < n; ++j) std::swap(y[j], y[pivot_[node.begin + j]]);
    for (int i = 1; i < n; ++i) {
      for (int j = 0; j < i; ++j) y[i] -= L[i * stride + j] * y[j];
    }
    const int* below = rows_.data() + node.row_offset;
    for (int i = 0; i < m; ++i) front_[i] = x_[below[i]];
    subtract_rows(L21, n, m, n, y, front_.data());
    for (int i = 0; i < m; ++i) x_[below[i]] = front_[i];
  }
  for (auto node = supernodes_.rbegin(); node != supernodes_.rend(); ++node) {
    const int n = node->pivots, m = node->below, stride = padded_stride(n + m);
    const double* rows = factors_.data() + node->offset;
    double* y = x_.data() + node->begin;
    for (int j = 0; j < m; ++j) front_[j] = x_[rows_[node->row_offset + j]];
    subtract_rows(rows + n, stride, n, m, front_.data(), y);
    for (int i = n - 1; i >= 0; --i) {
      const double* U = rows + i * stride;
      double sum = y[i];
      for (int j = i + 1; j < n; ++j) sum -= U[j] * y[j];
      y[i] = sum / U[i];
    }
  }
  for (std::size_t r = 0; r < position_.size(); ++r) x[r] = x_[position_[r]];
}

}  // namespace pawl::internal
