// Fuzzes the FCLIB reader. Randomly damaged bytes mostly exercise HDF5's own code. Here the input bytes are
// instructions instead: a valid FCLIB file is built in memory, then some of its datasets are replaced by
// others of any type, shape and content.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <pawl/hdf5/hdf5_file.h>

#include "check_problem.h"

namespace {

using pawl::internal::h5::Handle;

class FuzzedData {
 public:
  FuzzedData(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return empty() ? 0 : data_[at_++]; }
  template <class T>
  T value() {
    T x{};
    for (std::size_t k = 0; k < sizeof x; ++k) reinterpret_cast<std::uint8_t*>(&x)[k] = byte();
    return x;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Arbitrary values if `any`, else small integers that are plausible sizes and indices.
template <class T>
std::vector<T> read_values(FuzzedData& input, std::size_t count, bool any) {
  std::vector<T> values(count);
  for (T& x : values) x = any ? input.value<T>() : static_cast<T>(static_cast<std::int8_t>(input.byte()));
  return values;
}

void put(hid_t file, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
         const void* values) {
  if (pawl::internal::h5::has_link(file, name)) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  const Handle creation(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(creation, 1);
  const Handle space(shape.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Handle dataset(H5Dcreate2(file, name.c_str(), type, space, creation, H5P_DEFAULT, H5P_DEFAULT));
  if (values != nullptr) H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

void put(hid_t file, const std::string& name, const std::vector<int>& values) {
  put(file, name, H5T_NATIVE_INT, {values.size()}, values.data());
}
void put(hid_t file, const std::string& name, const std::vector<double>& values) {
  put(file, name, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
}

void put_matrix(hid_t file, const std::string& name, int m, int n, int nz, const std::vector<int>& p,
                const std::vector<int>& i, const std::vector<double>& x) {
  put(file, name + "/m", std::vector{m});
  put(file, name + "/n", std::vector{n});
  put(file, name + "/nz", std::vector{nz});
  put(file, name + "/p", p);
  put(file, name + "/i", i);
  put(file, name + "/x", x);
}

void put_local(hid_t file) {
  const std::string group = "fclib_local";
  put(file, group + "/spacedim", std::vector{2});
  put_matrix(file, group + "/W", 2, 2, -1, {0, 2, 4}, {0, 1, 0, 1}, {1, 3, 2, 4});
  put_matrix(file, group + "/V", 2, 1, 2, {0, 0}, {0, 1}, {5, 6});
  put_matrix(file, group + "/R", 1, 1, -2, {0, 1}, {0}, {7});
  put(file, group + "/vectors/q", std::vector{-1.0, -2.0});
  put(file, group + "/vectors/s", std::vector{-3.0});
  put(file, group + "/vectors/mu", std::vector{0.5});
}

void put_global(hid_t file) {
  const std::string group = "fclib_global";
  put(file, group + "/spacedim", std::vector{2});
  put_matrix(file, group + "/M", 3, 3, 5, {0, 1, 2, 1, 2}, {0, 1, 1, 2, 2}, {2, 4, 1, 1, 3});
  put_matrix(file, group + "/H", 3, 2, -2, {0, 1, 2, 3}, {0, 1, 0}, {1, 1, -1});
  put_matrix(file, group + "/G", 3, 1, 2, {0, 0}, {0, 2}, {1, 1});
  put(file, group + "/vectors/f", std::vector{2.0, 5.0, 4.0});
  put(file, group + "/vectors/w", std::vector{0.5, 0.0});
  put(file, group + "/vectors/b", std::vector{1.0});
  put(file, group + "/vectors/mu", std::vector{0.5});
}

constexpr const char* kDatasets[] = {
    "spacedim",  "W/m",     "W/n", "W/nz",      "W/p",       "W/i",        "W/x",       "V/m",
    "V/n",       "V/nz",    "V/p", "V/i",       "V/x",       "R/m",        "R/n",       "R/nz",
    "R/p",       "R/i",     "R/x", "vectors/q", "vectors/s", "vectors/mu", "vectors/f", "vectors/w",
    "vectors/b", "vectors", "W",   "V",         ""};

/// The matrices of a global problem replace those of a local one: M for W, H for V, G for R.
std::string dataset_name(bool global, std::uint8_t number) {
  std::string part = kDatasets[number % std::size(kDatasets)];
  if (global && !part.empty()) {
    if (part[0] == 'W') part[0] = 'M';
    if (part[0] == 'V') part[0] = 'H';
    if (part[0] == 'R') part[0] = 'G';
  }
  const std::string group = global ? "fclib_global" : "fclib_local";
  return part.empty() ? group : group + "/" + part;
}

void apply_edit(FuzzedData& input, hid_t file, bool global) {
  const std::string name = dataset_name(global, input.byte());
  const std::uint8_t what = input.byte();
  const std::size_t count = input.byte() % 16;
  const bool any = (what & 0x80) != 0;
  switch (what % 10) {
    case 0:
    case 1: {
      const auto values = read_values<std::int32_t>(input, count, any);
      return put(file, name, H5T_NATIVE_INT, {count}, values.data());
    }
    case 2:
    case 3: {
      const auto values = read_values<double>(input, count, any);
      return put(file, name, H5T_NATIVE_DOUBLE, {count}, values.data());
    }
    case 4: {
      const auto values = read_values<std::uint64_t>(input, count, any);
      return put(file, name, H5T_NATIVE_UINT64, {count}, values.data());
    }
    case 5: {
      const auto values = read_values<float>(input, 1, any);
      return put(file, name, H5T_NATIVE_FLOAT, {}, values.data());
    }
    case 6:  // a size without data
      return put(file, name, what & 0x40 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, {input.value<std::uint32_t>()},
                 nullptr);
    case 7: {
      const auto values = read_values<double>(input, count * 2, any);
      return put(file, name, H5T_NATIVE_DOUBLE, {count, 2}, values.data());
    }
    case 8: {
      const Handle pair(H5Tcreate(H5T_COMPOUND, 8));
      H5Tinsert(pair, "x", 0, H5T_NATIVE_INT);
      const auto values = read_values<std::int64_t>(input, count, any);
      return put(file, name, pair, {count}, values.data());
    }
    default:
      if (pawl::internal::h5::has_link(file, name)) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  }
}

Handle memory_file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access, 1 << 14, false);
  return access;
}

std::string image_of(hid_t file) {
  H5Fflush(file, H5F_SCOPE_LOCAL);
  std::string image(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)), 0);
  H5Fget_file_image(file, image.data(), image.size());
  return image;
}

std::string valid_image(void (*fill)(hid_t)) {
  const Handle access = memory_file_access();
  const Handle file(H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  fill(file);
  return image_of(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const pawl::internal::h5::SilenceErrors quiet;
  static std::string valid_images[] = {valid_image(put_local), valid_image(put_global)};
  FuzzedData input(data, size);
  const bool global = input.byte() % 2 != 0;
  std::string image;
  {
    const Handle access = memory_file_access();
    H5Pset_file_image(access, valid_images[global].data(), valid_images[global].size());
    const Handle file(H5Fopen("fuzz", H5F_ACC_RDWR, access));
    for (int k = 0; k < 8 && !input.empty(); ++k) {
      try {
        apply_edit(input, file, global);
      } catch (const pawl::internal::h5::Failure&) {
        // A dataset has replaced a group; the file is read nevertheless.
      }
    }
    image = image_of(file);
  }
  pawl::internal::fuzz::read(image);
  return 0;
}
