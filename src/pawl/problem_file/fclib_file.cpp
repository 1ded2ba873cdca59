#include "fclib_file.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace pawl::internal {
namespace {

constexpr int kMaxInt = std::numeric_limits<int>::max();

enum Form { kRows = -2, kColumns = -1, kTriplets = 0 };

/// Reads a dataset of rank 0 or 1, converted to the memory type.
template <class T>
std::vector<T> read_dataset(hid_t file, const std::string& name, H5T_class_t wanted, hid_t memory_type) {
  if (!h5::has_link(file, name)) throw h5::Failure(fmt::format("/{} is missing", name));
  const std::string action = fmt::format("read /{}", name);
  const h5::Handle dataset = h5::check(H5Dopen2(file, name.c_str(), H5P_DEFAULT), action);
  const h5::Handle type = h5::check(H5Dget_type(dataset), action);
  if (H5Tget_class(type) != wanted) {
    throw h5::Failure(fmt::format("/{} has the wrong type; it must be {}", name,
                                  wanted == H5T_FLOAT ? "of floating-point numbers" : "of whole numbers"));
  }
  const h5::Handle space = h5::check(H5Dget_space(dataset), action);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (H5Sget_simple_extent_ndims(space) > 1 || count < 0) {
    throw h5::Failure(fmt::format("/{} has the wrong shape; it must be one list of numbers", name));
  }
  // Do not trust the claimed shape: it may be arbitrarily large. Compression gains at most a factor of about
  // 1000, and unwritten data (all fill value) are limited to the same ratio.
  constexpr double kMaxCompressionRatio = 1100;
  hsize_t file_size = 0;
  h5::check_ok(H5Fget_filesize(file, &file_size), action);
  const double claimed = static_cast<double>(count) * static_cast<double>(H5Tget_size(type));
  if (H5Dget_storage_size(dataset) > file_size ||
      claimed > kMaxCompressionRatio * static_cast<double>(file_size)) {
    throw h5::Failure(fmt::format("/{} claims {} numbers, but the file does not hold them", name, count));
  }
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0)
    h5::check_ok(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), action);
  return values;
}

std::vector<long long> read_integers(hid_t file, const std::string& name) {
  return read_dataset<long long>(file, name, H5T_INTEGER, H5T_NATIVE_LLONG);
}

void check_size(const std::string& name, std::size_t size, long long least, long long most) {
  if (static_cast<long long>(size) >= least && static_cast<long long>(size) <= most) return;
  throw h5::Failure(fmt::format("/{} has {} numbers; it must have {}", name, size, least));
}

[[noreturn]] void fail_index(const std::string& name, std::size_t k, long long low, long long high,
                             long long value) {
  throw h5::Failure(
      fmt::format("/{}[{}] must be from {} to {} (FCLIB counts from 0), not {}", name, k, low, high, value));
}

/// Checks [count] row or column indices.
void check_indices(const std::string& name, const std::vector<long long>& indices, long long count,
                   int size) {
  for (long long k = 0; k < count; ++k) {
    if (indices[k] < 0 || indices[k] >= size) fail_index(name, k, 0, size - 1, indices[k]);
  }
}

}  // namespace

h5::Handle open_image(std::string_view bytes) {
  const h5::Handle access = h5::check(H5Pcreate(H5P_FILE_ACCESS), "open it");
  constexpr std::size_t kGrowth = 1 << 16;
  h5::check_ok(H5Pset_fapl_core(access, kGrowth, false), "open it");
  // HDF5 copies the bytes, although it takes a non-const pointer.
  h5::check_ok(H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()), "open it");
  return h5::check(H5Fopen("image", H5F_ACC_RDONLY, access), "open it");
}

std::vector<double> read_doubles(hid_t file, const std::string& name, long long size) {
  std::vector<double> x = read_dataset<double>(file, name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
  if (size >= 0) check_size(name, x.size(), size, size);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k])) throw h5::Failure(fmt::format("/{}[{}] must be finite, not {}", name, k, x[k]));
  }
  return x;
}

int read_integer(hid_t file, const std::string& name, int low, int high) {
  const std::vector<long long> value = read_integers(file, name);
  check_size(name, value.size(), 1, 1);
  if (value[0] < low || value[0] > high) {
    throw h5::Failure(fmt::format("/{} must be from {} to {}, not {}", name, low, high, value[0]));
  }
  return static_cast<int>(value[0]);
}

MatrixEntries read_matrix(hid_t file, const std::string& name) {
  MatrixEntries matrix;
  matrix.rows = read_integer(file, name + "/m", 0, kMaxInt);
  matrix.columns = read_integer(file, name + "/n", 0, kMaxInt);
  const int form = read_integer(file, name + "/nz", kRows, kMaxInt);
  const std::string p_name = name + "/p", i_name = name + "/i", x_name = name + "/x";
  const std::vector<long long> p = read_integers(file, p_name), i = read_integers(file, i_name);
  const std::vector<double> x = read_doubles(file, x_name, -1);
  if (form >= kTriplets) {
    check_size(p_name, p.size(), form, kMaxInt);
    check_size(i_name, i.size(), form, kMaxInt);
    check_size(x_name, x.size(), form, kMaxInt);
    check_indices(p_name, p, form, matrix.columns);
    check_indices(i_name, i, form, matrix.rows);
    for (int k = 0; k < form; ++k) {
      matrix.entries.push_back({static_cast<int>(i[k]), static_cast<int>(p[k]), x[k]});
    }
    return matrix;
  }
  const int lines = form == kColumns ? matrix.columns : matrix.rows;
  check_size(p_name, p.size(), lines + 1LL, lines + 1LL);
  if (p[0] != 0) fail_index(p_name, 0, 0, 0, p[0]);
  for (std::size_t k = 1; k < p.size(); ++k) {
    if (p[k] < p[k - 1] || p[k] > kMaxInt) fail_index(p_name, k, p[k - 1], kMaxInt, p[k]);
  }
  check_size(i_name, i.size(), p.back(), kMaxInt);
  check_size(x_name, x.size(), p.back(), kMaxInt);
  check_indices(i_name, i, p.back(), form == kColumns ? matrix.rows : matrix.columns);
  for (int line = 0; line < lines; ++line) {
    for (long long k = p[line]; k < p[line + 1]; ++k) {
      const int across = static_cast<int>(i[k]);
      const bool by_columns = form == kColumns;
      matrix.entries.push_back({by_columns ? across : line, by_columns ? line : across, x[k]});
    }
  }
  return matrix;
}

}  // namespace pawl::internal
