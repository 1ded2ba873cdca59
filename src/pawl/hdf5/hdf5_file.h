#pragma once
// The little of HDF5 that trajectories and problem files need, with handles that close themselves and
// failures that are thrown.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace pawl::internal::h5 {

/// What went wrong, without the file's name: who knows the name catches it and throws Error.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Owns any HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  operator hid_t() const { return id_; }
  /// The id, which is now the caller's to close.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  void reset() {
    if (id_ >= 0) H5Idec_ref(std::exchange(id_, H5I_INVALID_HID));
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// While it lives, HDF5 does not print its errors.
class SilenceErrors {
 public:
  SilenceErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~SilenceErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  SilenceErrors(const SilenceErrors&) = delete;
  SilenceErrors& operator=(const SilenceErrors&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Failure("can't <doing>: <HDF5's own innermost reason>") for the value by which HDF5 tells a
/// failure.
Handle check(hid_t id, std::string_view action);
void check_ok(herr_t result, std::string_view action);

/// Whether the file has a group or dataset of that name, which may be inside groups: "a/b".
bool has_link(hid_t file, const std::string& name);

/// Variable-length UTF-8: what h5py and MATLAB give as plain strings.
Handle text_type();

void write_attribute(hid_t object, const char* name, const std::string& value);
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values);
void write_attribute(hid_t object, const char* name, double value);
void write_attribute(hid_t object, const char* name, int value);
void write_attribute(hid_t object, const char* name, bool value);  // 0 or 1

void read_attribute(hid_t object, const char* name, std::string& value);
void read_attribute(hid_t object, const char* name, std::vector<std::string>& values);
void read_attribute(hid_t object, const char* name, double& value);
void read_attribute(hid_t object, const char* name, int& value);
void read_attribute(hid_t object, const char* name, bool& value);

}  // namespace pawl::internal::h5
