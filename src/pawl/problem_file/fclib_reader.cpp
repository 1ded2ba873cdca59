#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/read_bytes.h>
#include <pawl/base/tolerances.h>
#include <pawl/error.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file/fclib.h>

#include "fclib_file.h"
#include "fclib_problem.h"

namespace pawl::internal {
namespace {

constexpr long long kMaxEntries = 100'000'000;  // of M or J: 800 MB

void check_shape(const std::string& name, const MatrixEntries& matrix, long long rows, long long columns) {
  if (matrix.rows != rows || matrix.columns != columns) {
    throw h5::Failure(fmt::format("/{} is {} × {}; it must be {} × {}, as the vectors are", name, matrix.rows,
                                  matrix.columns, rows, columns));
  }
}

/// Reads the contacts, their friction and their rows. Returns the dimension.
int read_contacts(hid_t file, const std::string& group, ContactProblem& problem) {
  const int d = read_integer(file, group + "/spacedim", 2, 3);
  const std::string name = group + "/vectors/mu";
  for (const double mu : read_doubles(file, name, -1)) {
    if (mu < 0) {
      throw h5::Failure(fmt::format("/{}[{}] must be at least 0, not {}", name, problem.contacts, mu));
    }
    problem.friction.push_back({FrictionKind::ellipsoid, mu, {1, 1, 1}, nullptr});
    problem.begin.push_back(problem.begin.back() + d);
    ++problem.contacts;
  }
  problem.zeta.assign(problem.contacts, 0.0);
  return d;
}

/// The file has no blocks of bilateral rows. Consecutive coupled rows share a block, up to the size of a
/// joint.
template <class Coupled>
void add_bilateral_blocks(int rows, Coupled coupled, ContactProblem& problem) {
  constexpr int kMaxRows = 6;
  for (int k = 0; k < rows; ++k) {
    const bool joins = k > 0 && problem.size_of(problem.blocks() - 1) < kMaxRows && coupled(k - 1, k);
    if (joins) {
      ++problem.begin.back();
    } else {
      problem.begin.push_back(problem.begin.back() + 1);
    }
  }
}

/// u = W r + V λ + q, 0 = Vᵀ r + R λ + s.
void read_local(hid_t file, ContactProblem& problem) {
  const std::string group = "fclib_local";
  read_contacts(file, group, problem);
  const int contact_rows = problem.rows();
  problem.b = read_doubles(file, group + "/vectors/q", contact_rows);
  MatrixEntries W = read_matrix(file, group + "/W");
  check_shape(group + "/W", W, contact_rows, contact_rows);
  const bool has_V = h5::has_link(file, group + "/V"), has_R = h5::has_link(file, group + "/R");
  if (has_V != has_R)
    throw h5::Failure(fmt::format("/{} has one of V and R; it must have both or none", group));
  if (has_V) {
    const std::vector<double> s = read_doubles(file, group + "/vectors/s", -1);
    const int rows = static_cast<int>(s.size());
    const MatrixEntries V = read_matrix(file, group + "/V"), R = read_matrix(file, group + "/R");
    check_shape(group + "/V", V, contact_rows, rows);
    check_shape(group + "/R", R, rows, rows);
    problem.b.insert(problem.b.end(), s.begin(), s.end());
    std::vector<char> couples(rows, 0);  // with the previous row
    for (const MatrixEntries::Entry& e : R.entries) {
      if (e.value != 0 && std::abs(e.row - e.column) == 1) couples[std::max(e.row, e.column)] = 1;
      W.entries.push_back({contact_rows + e.row, contact_rows + e.column, e.value});
    }
    for (const MatrixEntries::Entry& e : V.entries) {
      W.entries.push_back({e.row, contact_rows + e.column, e.value});
      W.entries.push_back({contact_rows + e.column, e.row, e.value});
    }
    add_bilateral_blocks(
        rows, [&](int, int k) { return couples[k] != 0; }, problem);
  }
  std::erase_if(W.entries, [](const MatrixEntries::Entry& e) { return e.value == 0; });
  problem.W = to_blocks(W.entries, problem.begin);
}

/// Mass blocks: the shortest runs of rows that are not coupled to other rows. Returns the block of each row.
std::vector<int> read_mass(const std::string& name, const MatrixEntries& M, PrimalData& motion) {
  std::vector<int> last(M.rows);  // last row coupled to this row or an earlier one
  for (int i = 0; i < M.rows; ++i) last[i] = i;
  for (const MatrixEntries::Entry& e : M.entries) {
    const int first = std::min(e.row, e.column);
    if (e.value != 0) last[first] = std::max({last[first], e.row, e.column});
  }
  std::vector<int> block_of;
  long long offset = 0;
  for (int begin = 0; begin < M.rows;) {
    int end = begin;
    for (int i = begin; i <= end; ++i) end = std::max(end, last[i]);
    const int size = end + 1 - begin;
    block_of.insert(block_of.end(), size, static_cast<int>(motion.mass_blocks.size()));
    if (offset + static_cast<long long>(size) * size > kMaxEntries) {
      throw h5::Failure(fmt::format("/{} couples rows {} to {}; such blocks may have {} entries in all", name,
                                    begin, end, kMaxEntries));
    }
    motion.mass_blocks.push_back({begin, size, static_cast<int>(offset)});
    offset += static_cast<long long>(size) * size;
    begin = end + 1;
  }
  motion.mass.assign(offset, 0.0);
  for (const MatrixEntries::Entry& e : M.entries) {
    if (e.value == 0) continue;
    const auto& block = motion.mass_blocks[block_of[e.row]];
    motion.mass[block.offset + (e.row - block.begin) * block.size + (e.column - block.begin)] += e.value;
  }
  for (const auto& block : motion.mass_blocks) {
    double* A = motion.mass.data() + block.offset;
    for (int i = 0; i < block.size; ++i) {
      for (int j = 0; j < i; ++j) {
        double &lower = A[i * block.size + j], &upper = A[j * block.size + i];
        const double size = std::sqrt(std::abs(A[i * (block.size + 1)] * A[j * (block.size + 1)]));
        constexpr double kRounding = tolerances::kSign;
        if (std::abs(lower - upper) > kRounding * size) {
          throw h5::Failure(fmt::format("/{} must be symmetric: its entry ({}, {}) is {} and ({}, {}) is {}",
                                        name, block.begin + i, block.begin + j, lower, block.begin + j,
                                        block.begin + i, upper));
        }
        lower = upper = 0.5 * lower + 0.5 * upper;
      }
    }
  }
  motion.factor = motion.mass;
  for (const auto& block : motion.mass_blocks) {
    const std::span<double> A(motion.factor.data() + block.offset,
                              static_cast<std::size_t>(block.size) * block.size);
    if (!cholesky(A, block.size)) {
      throw h5::Failure(fmt::format("/{} must be positive definite; its rows {} to {} are not", name,
                                    block.begin, block.begin + block.size - 1));
    }
  }
  return block_of;
}

/// Sets the blocks of J from H = Jᵀ.
void set_jacobian(const MatrixEntries& H, const std::vector<int>& mass_of, ContactProblem& problem) {
  PrimalData& motion = problem.motion;
  std::vector<int> block_of;
  for (int i = 0; i < problem.blocks(); ++i) block_of.insert(block_of.end(), problem.size_of(i), i);
  std::vector<std::pair<int, int>> positions;  // block, mass block
  for (const MatrixEntries::Entry& e : H.entries) {
    if (e.value != 0) positions.emplace_back(block_of[e.column], mass_of[e.row]);
  }
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  long long offset = 0;
  for (const auto& [block, mass] : positions) {
    motion.jacobian_blocks.push_back({block, mass, static_cast<int>(offset)});
    offset += static_cast<long long>(problem.size_of(block)) * motion.mass_blocks[mass].size;
    if (offset > kMaxEntries) {
      throw h5::Failure(
          fmt::format("H fills blocks of more than {} entries, as M couples too many rows", kMaxEntries));
    }
  }
  motion.jacobian.assign(offset, 0.0);
  for (const MatrixEntries::Entry& e : H.entries) {
    if (e.value == 0) continue;
    const std::pair position(block_of[e.column], mass_of[e.row]);
    const auto k = std::ranges::lower_bound(positions, position) - positions.begin();
    const auto& mass = motion.mass_blocks[position.second];
    const int at = (e.column - problem.begin[position.first]) * mass.size + (e.row - mass.begin);
    motion.jacobian[motion.jacobian_blocks[k].offset + at] += e.value;
  }
}

/// M v = H r + G λ + f, u = Hᵀ v + w, 0 = Gᵀ v + b.
void read_global(hid_t file, ContactProblem& problem) {
  const std::string group = "fclib_global";
  PrimalData& motion = problem.motion;
  read_contacts(file, group, problem);
  const int contact_rows = problem.rows();
  motion.shift = read_doubles(file, group + "/vectors/w", contact_rows);
  motion.v_free = read_doubles(file, group + "/vectors/f", -1);
  const int dofs = static_cast<int>(motion.v_free.size());
  if (dofs == 0)
    throw h5::Failure(fmt::format("/{}/vectors/f is empty; it must have an entry for each row of M", group));
  const MatrixEntries M = read_matrix(file, group + "/M");
  MatrixEntries H = read_matrix(file, group + "/H");
  check_shape(group + "/M", M, dofs, dofs);
  check_shape(group + "/H", H, dofs, contact_rows);
  const std::vector<int> mass_of = read_mass(group + "/M", M, motion);
  if (h5::has_link(file, group + "/G")) {
    const std::vector<double> b = read_doubles(file, group + "/vectors/b", -1);
    const int rows = static_cast<int>(b.size());
    const MatrixEntries G = read_matrix(file, group + "/G");
    check_shape(group + "/G", G, dofs, rows);
    motion.shift.insert(motion.shift.end(), b.begin(), b.end());
    std::vector<std::vector<int>> moved(rows);  // mass blocks of each row
    for (const MatrixEntries::Entry& e : G.entries) {
      if (e.value != 0) moved[e.column].push_back(mass_of[e.row]);
      H.entries.push_back({e.row, contact_rows + e.column, e.value});
    }
    add_bilateral_blocks(
        rows,
        [&moved](int i, int j) { return std::ranges::find_first_of(moved[i], moved[j]) != moved[i].end(); },
        problem);
  }
  for (const auto& mass : motion.mass_blocks) {
    const std::span<const double> L(motion.factor.data() + mass.offset,
                                    static_cast<std::size_t>(mass.size) * mass.size);
    const auto part = std::span(motion.v_free).subspan(mass.begin, mass.size);
    solve_lower(L, mass.size, part);
    solve_lower_transposed(L, mass.size, part);
  }
  set_jacobian(H, mass_of, problem);
  if (std::ranges::all_of(motion.shift, [](double w) { return w == 0; })) motion.shift.clear();
  set_free_velocities(problem);
}

}  // namespace

StoredContactProblem parse_fclib(std::string_view bytes, const std::string& name) {
  const h5::SilenceErrors quiet;
  try {
    const h5::Handle file = open_image(bytes);
    StoredContactProblem stored;
    if (h5::has_link(file, "fclib_local")) {
      read_local(file, stored.problem);
    } else if (h5::has_link(file, "fclib_global")) {
      read_global(file, stored.problem);
    } else {
      throw h5::Failure("is HDF5 but no contact problem: it must have a group /fclib_local or /fclib_global");
    }
    return stored;
  } catch (const h5::Failure& failure) {
    throw Error(fmt::format("{}: {}", name, failure.what()));
  }
}

FclibSolution read_fclib_solution(const std::string& path) {
  const std::string bytes = read_bytes(path);
  const h5::SilenceErrors quiet;
  try {
    const h5::Handle file = open_image(bytes);
    const auto optional = [&file](const char* name) {
      return h5::has_link(file, name) ? read_doubles(file, name, -1) : std::vector<double>{};
    };
    FclibSolution solution;
    solution.u = read_doubles(file, "solution/u", -1);
    solution.r = read_doubles(file, "solution/r", static_cast<long long>(solution.u.size()));
    solution.lambda = optional("solution/l");
    solution.v = optional("solution/v");
    return solution;
  } catch (const h5::Failure& failure) {
    throw Error(fmt::format("{}: {}", path, failure.what()));
  }
}

}  // namespace pawl::internal
