#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/base/tolerances.h>
#include <pawl/error.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file/fclib.h>

#include "fclib_file.h"

namespace pawl::internal {
namespace {

h5::Handle make_group(hid_t parent, const char* name) {
  return h5::check(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   fmt::format("write {}", name));
}

void put(hid_t group, const char* name, hid_t file_type, hid_t memory_type, hid_t space, const void* values) {
  const std::string action = fmt::format("write {}", name);
  const h5::Handle dataset =
      h5::check(H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), action);
  if (values != nullptr)
    h5::check_ok(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), action);
}

h5::Handle list_space(std::size_t size) {
  const hsize_t count = size;
  return h5::check(H5Screate_simple(1, &count, nullptr), "make a shape");
}

void put(hid_t group, const char* name, const std::vector<double>& x) {
  put(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, list_space(x.size()), x.empty() ? nullptr : x.data());
}

void put(hid_t group, const char* name, const std::vector<int>& x) {
  put(group, name, H5T_STD_I32LE, H5T_NATIVE_INT, list_space(x.size()), x.empty() ? nullptr : x.data());
}

void put(hid_t group, const char* name, int x) {
  put(group, name, std::vector<int>{x});
}

/// FCLIB stores the terminating null too.
void put(hid_t group, const char* name, const std::string& text) {
  const h5::Handle type = h5::check(H5Tcopy(H5T_C_S1), "make a string type");
  h5::check_ok(H5Tset_size(type, text.size() + 1), "make a string type");
  put(group, name, type, type, h5::check(H5Screate(H5S_SCALAR), "make a shape"), text.c_str());
}

/// Storage as in FCLIB's own files: compressed rows for local problems, triplets for global ones.
enum class StoredForm { compressed_rows, triplets };

void put_matrix(hid_t parent, const char* name, StoredForm form, MatrixEntries matrix) {
  const bool compressed = form == StoredForm::compressed_rows;
  if (compressed) {
    std::ranges::sort(matrix.entries, {},
                      [](const auto& entry) { return std::pair(entry.row, entry.column); });
  }
  std::vector<int> rows, columns, first(matrix.rows + 1, 0);
  std::vector<double> x;
  for (const auto& entry : matrix.entries) {
    rows.push_back(entry.row);
    columns.push_back(entry.column);
    x.push_back(entry.value);
    ++first[entry.row + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  const int count = static_cast<int>(x.size());
  const h5::Handle group = make_group(parent, name);
  put(group, "nzmax", count);
  put(group, "m", matrix.rows);
  put(group, "n", matrix.columns);
  put(group, "nz", compressed ? -2 : count);
  put(group, "p", compressed ? first : columns);
  put(group, "i", compressed ? columns : rows);
  put(group, "x", x);
}

void put_info(hid_t parent, const FclibInfo& info) {
  const h5::Handle group = make_group(parent, "info");
  put(group, "title", info.title);
  put(group, "description", info.description);
  put(group, "math_info", info.math_info);
}

/// Returns the number of rows per contact. Throws if it differs between contacts or if FCLIB lacks the
/// friction set.
int check_contacts(const ContactProblem& problem) {
  if (problem.contacts == 0) throw Error("FCLIB holds no problem without contacts");
  if (!problem.motion.compliance.empty()) throw Error("FCLIB holds no compliance of a problem with M");
  const int d = problem.size_of(0);
  for (int c = 0; c < problem.contacts; ++c) {
    const int rows = problem.size_of(c);
    if (rows != d || rows < 2 || rows > 3) {
      throw Error(
          fmt::format("contact {} has {} rows; FCLIB wants 2 or 3, the same for every contact", c, rows));
    }
    const FrictionSet& set = problem.friction[c];
    const bool unit =
        std::all_of(set.radii.begin(), set.radii.begin() + d - 1, [](double e) { return e == 1; });
    const bool round = set.kind == FrictionKind::none || (set.kind == FrictionKind::ellipsoid && unit);
    if (!round) {
      const std::string kind = set.kind == FrictionKind::ellipsoid ? "an ellipsoid whose radii are not 1"
                               : set.kind == FrictionKind::polyhedron
                                   ? "a polyhedron"
                                   : fmt::format("a {} set", to_string(set.kind));
      throw Error(fmt::format("the friction of contact {} is {}; FCLIB knows round cones only", c, kind));
    }
  }
  return d;
}

std::vector<double> friction_of(const ContactProblem& problem) {
  std::vector<double> mu;
  for (const FrictionSet& set : problem.friction) mu.push_back(set.frictionless() ? 0.0 : set.mu);
  return mu;
}

/// FCLIB has no ζ: its normal velocity is u_n + ζ.
void add_zeta(const ContactProblem& problem, std::vector<double>& u) {
  for (int c = 0; c < problem.contacts; ++c) u[problem.begin[c]] += problem.zeta[c];
}

/// Splits x into the entries of the contacts, [0, at), and of the bilateral rows.
std::pair<std::vector<double>, std::vector<double>> split(std::span<const double> x, int at) {
  return {{x.begin(), x.begin() + at}, {x.begin() + at, x.end()}};
}

/// The part of W in a range of rows and columns.
MatrixEntries submatrix(const BlockMatrix& W, int row, int rows, int column, int columns) {
  MatrixEntries part{rows, columns, {}};
  for (int i = 0; i < W.blocks(); ++i) {
    for (const auto& block : W.row_entries(i)) {
      const double* value = W.values.data() + block.offset;
      for (int r = W.begin[i] - row; r < W.begin[i + 1] - row; ++r) {
        for (int c = W.begin[block.column] - column; c < W.begin[block.column + 1] - column; ++c, ++value) {
          if (r >= 0 && r < rows && c >= 0 && c < columns) part.entries.push_back({r, c, *value});
        }
      }
    }
  }
  return part;
}

/// FCLIB stores V and takes its transpose for the bilateral rows.
void check_symmetric(const MatrixEntries& V, const MatrixEntries& lower, std::span<const double> W) {
  const std::vector<double> dense_V = to_dense(V), dense_lower = to_dense(lower);
  double largest = 0;
  for (const double w : W) largest = std::max(largest, std::abs(w));
  constexpr double kRounding = tolerances::kSign;
  for (int i = 0; i < V.rows; ++i) {
    for (int j = 0; j < V.columns; ++j) {
      const double difference = dense_V[static_cast<std::size_t>(i) * V.columns + j] -
                                dense_lower[static_cast<std::size_t>(j) * V.rows + i];
      if (std::abs(difference) > kRounding * largest) {
        throw Error(
            fmt::format("W({}, {}) and its transpose differ; FCLIB holds bilateral rows where they do not", i,
                        V.rows + j));
      }
    }
  }
}

/// Writes a file with one problem atomically.
template <class Fill>
void write_file(const std::string& path, Fill fill) {
  const h5::SilenceErrors quiet;
  write_atomically(path, [&fill](const std::string& temporary_path) {
    const h5::Handle file =
        h5::check(H5Fcreate(temporary_path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "write it");
    fill(file);
    h5::check_ok(H5Fflush(file, H5F_SCOPE_LOCAL), "write it");
  });
}

}  // namespace

void write_fclib_local(const std::string& path, const ContactProblem& problem, const FclibInfo& info) {
  write_file(path, [&](hid_t file) {
    const int d = check_contacts(problem);
    const int rows = d * problem.contacts, bilateral = problem.rows() - rows;
    BlockMatrix delassus;
    DelassusScratch scratch;
    if (problem.primal()) compute_delassus(problem, delassus, scratch);
    const BlockMatrix& W = problem.primal() ? delassus : problem.W;
    auto [q, s] = split(problem.b, rows);
    add_zeta(problem, q);

    const h5::Handle group = make_group(file, "fclib_local");
    put(group, "spacedim", d);
    put_matrix(group, "W", StoredForm::compressed_rows, submatrix(W, 0, rows, 0, rows));
    const h5::Handle vectors = make_group(group, "vectors");
    put(vectors, "q", q);
    put(vectors, "mu", friction_of(problem));
    if (bilateral > 0) {
      const MatrixEntries V = submatrix(W, 0, rows, rows, bilateral);
      check_symmetric(V, submatrix(W, rows, bilateral, 0, rows), W.values);
      put_matrix(group, "V", StoredForm::compressed_rows, V);
      put_matrix(group, "R", StoredForm::compressed_rows, submatrix(W, rows, bilateral, rows, bilateral));
      put(vectors, "s", s);
    }
    put_info(group, info);
  });
}

void write_fclib_global(const std::string& path, const ContactProblem& problem, const FclibInfo& info) {
  write_file(path, [&](hid_t file) {
    const int d = check_contacts(problem);
    if (!problem.primal())
      throw Error("the problem is given by W and has no M; FCLIB holds it as a local problem");
    const PrimalData& motion = problem.motion;
    const int dofs = static_cast<int>(motion.v_free.size());
    const int rows = d * problem.contacts, bilateral = problem.rows() - rows;

    MatrixEntries M{dofs, dofs, {}}, H{dofs, rows, {}}, G{dofs, bilateral, {}};
    std::vector<double> f(dofs, 0.0);
    for (const auto& block : motion.mass_blocks) {
      for (int i = 0; i < block.size; ++i) {
        for (int j = 0; j < block.size; ++j) {
          const double m = motion.mass[block.offset + i * block.size + j];
          f[block.begin + i] += m * motion.v_free[block.begin + j];
          if (m != 0) M.entries.push_back({block.begin + i, block.begin + j, m});
        }
      }
    }
    for (const auto& block : motion.jacobian_blocks) {
      const auto& mass = motion.mass_blocks[block.mass_block];
      for (int r = 0; r < problem.size_of(block.block); ++r) {
        const int row = problem.begin[block.block] + r;
        for (int k = 0; k < mass.size; ++k) {
          const double value = motion.jacobian[block.offset + r * mass.size + k];
          if (value == 0) continue;
          if (row < rows) {
            H.entries.push_back({mass.begin + k, row, value});
          } else {
            G.entries.push_back({mass.begin + k, row - rows, value});
          }
        }
      }
    }
    auto [w, b] = split(motion.shift.empty() ? std::vector<double>(problem.rows(), 0.0) : motion.shift, rows);
    add_zeta(problem, w);

    const h5::Handle group = make_group(file, "fclib_global");
    put(group, "spacedim", d);
    put_matrix(group, "M", StoredForm::triplets, M);
    put_matrix(group, "H", StoredForm::triplets, H);
    const h5::Handle vectors = make_group(group, "vectors");
    put(vectors, "f", f);
    put(vectors, "w", w);
    put(vectors, "mu", friction_of(problem));
    if (bilateral > 0) {
      put_matrix(group, "G", StoredForm::triplets, G);
      put(vectors, "b", b);
    }
    put_info(group, info);
  });
}

void write_fclib_solution(const std::string& path, const ContactProblem& problem, std::span<const double> p,
                          std::span<const double> u, std::span<const double> v, const std::string& copy_of) {
  const h5::SilenceErrors quiet;
  write_atomically(path, [&](const std::string& temporary_path) {
    const int rows = check_contacts(problem) * problem.contacts;
    std::filesystem::copy_file(copy_of.empty() ? path : copy_of, temporary_path,
                               std::filesystem::copy_options::overwrite_existing);
    const h5::Handle file = h5::check(H5Fopen(temporary_path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "open it");
    const std::string mu =
        h5::has_link(file, "fclib_local") ? "fclib_local/vectors/mu" : "fclib_global/vectors/mu";
    const std::size_t contacts = read_doubles(file, mu, -1).size();
    if (contacts != static_cast<std::size_t>(problem.contacts)) {
      throw Error(fmt::format("holds a problem of {} contacts, and the answer is to one of {}", contacts,
                              problem.contacts));
    }
    auto [contact_u, bilateral_u] = split(u, rows);
    const auto [r, lambda] = split(p, rows);
    add_zeta(problem, contact_u);
    if (h5::has_link(file, "solution")) {
      h5::check_ok(H5Ldelete(file, "solution", H5P_DEFAULT), "replace the solution");
    }
    const h5::Handle group = make_group(file, "solution");
    if (!v.empty()) put(group, "v", std::vector<double>(v.begin(), v.end()));
    put(group, "u", contact_u);
    put(group, "r", r);
    if (!lambda.empty()) put(group, "l", lambda);
    h5::check_ok(H5Fflush(file, H5F_SCOPE_LOCAL), "write it");
  });
}

}  // namespace pawl::internal
