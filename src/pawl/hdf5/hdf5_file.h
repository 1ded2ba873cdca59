#pragma once
// Thin HDF5 wrapper for trajectories and problem files: RAII handles, and failures as exceptions.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace pawl::internal::h5 {

/// The reason of a failure, without the file name. The caller that knows the name catches it and throws
/// Error.
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
  /// Returns the id and gives up ownership.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  void reset() {
    if (id_ >= 0) H5Idec_ref(std::exchange(id_, H5I_INVALID_HID));
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Suppresses HDF5's error output during its lifetime.
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

/// Throw Failure("can't <action>: <HDF5's innermost reason>") if the argument is HDF5's failure value.
Handle check(hid_t id, std::string_view action);
void check_ok(herr_t result, std::string_view action);

/// True if the file has a group or dataset of that name, which may be a path: "a/b".
bool has_link(hid_t file, const std::string& name);

/// Variable-length UTF-8, which h5py and MATLAB read as plain strings.
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
