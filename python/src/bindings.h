#pragma once
// Shared by the files of the Python module: conversions, and one function per file.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <pawl/pawl.h>

namespace py = pybind11;

namespace pybind11::detail {

/// A 3-vector is a tuple in Python; any sequence of three numbers is accepted.
template <>
struct type_caster<pawl::Vec3> {
  PYBIND11_TYPE_CASTER(pawl::Vec3, const_name("tuple[float, float, float]"));
  bool load(handle source, bool convert) {
    make_caster<std::array<double, 3>> entries;
    if (!py::isinstance<py::sequence>(source) && !py::isinstance<py::array>(source)) return false;
    if (!entries.load(py::isinstance<py::array>(source) ? source.attr("tolist")() : source, convert))
      return false;
    const auto& x = cast_op<std::array<double, 3>&>(entries);
    value = {x[0], x[1], x[2]};
    return true;
  }
  static handle cast(const pawl::Vec3& x, return_value_policy, handle) {
    return py::make_tuple(x.x, x.y, x.z).release();
  }
};

/// A unit quaternion is a tuple (w, x, y, z).
template <>
struct type_caster<pawl::Quat> {
  PYBIND11_TYPE_CASTER(pawl::Quat, const_name("tuple[float, float, float, float]"));
  bool load(handle source, bool convert) {
    make_caster<std::array<double, 4>> entries;
    if (!entries.load(py::isinstance<py::array>(source) ? source.attr("tolist")() : source, convert))
      return false;
    const auto& x = cast_op<std::array<double, 4>&>(entries);
    value = {x[0], x[1], x[2], x[3]};
    return true;
  }
  static handle cast(const pawl::Quat& x, return_value_policy, handle) {
    return py::make_tuple(x.w, x.x, x.y, x.z).release();
  }
};

}  // namespace pybind11::detail

namespace pawl::python {

/// A compiled scene and what a run of it needs. Constant, and shared by simulations and threads.
struct CompiledModel {
  Scene scene;
  Model model;
  std::vector<std::string> control_names;
};

/// Sends Python's Ctrl-C to a long call: call poll() often, without the GIL. It throws error_already_set at
/// most every 50 ms.
class Interrupts {
 public:
  void poll();

 private:
  double next_ = 0;
};

/// A contiguous array of numbers, of one dimension and this size (any if negative). Throws ValueError naming
/// it, or TypeError.
std::vector<double> numbers(const py::handle& source, std::string_view name, py::ssize_t size = -1);
/// The same, and every entry is finite.
std::vector<double> finite_numbers(const py::handle& source, std::string_view name, py::ssize_t size = -1);

/// A read-only view of memory that `owner` keeps alive.
template <class T>
py::array view(const T* data, std::vector<py::ssize_t> shape, const py::handle& owner) {
  py::array_t<T> array(std::move(shape), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}
/// An array that owns a copy.
py::array copied(const std::vector<double>& values, std::vector<py::ssize_t> shape);

/// Structured arrays of contacts, of forces in joints and of energy ledgers.
py::array contact_array(std::span<const ContactRecord> contacts);
py::array joint_array(std::span<const JointForces> joints);
py::array energy_array(std::span<const EnergyLedger> energies);

void bind_errors(py::module_& module);
void bind_run_options(py::module_& module);
void bind_scene_parts(py::module_& module);
void bind_scene(py::module_& module);
void bind_model(py::module_& module);
void bind_report(py::module_& module);
void bind_simulation(py::module_& module);
void bind_rollout(py::module_& module);
void bind_trajectory(py::module_& module);
void bind_problem(py::module_& module);
void bind_solve(py::module_& module);
void bind_analysis(py::module_& module);

}  // namespace pawl::python
