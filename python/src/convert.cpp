// Arrays, errors and interrupts.

#include <chrono>
#include <cmath>

#include "bindings.h"

namespace pawl::python {
namespace {

// Never freed: a translator may run until the interpreter ends.
PyObject* scene_error = nullptr;

py::object make_scene_error(const SceneError& error) {
  py::object object = py::reinterpret_borrow<py::object>(scene_error)(error.what());
  object.attr("file") = error.file();
  object.attr("line") = error.location().line;
  object.attr("column") = error.location().column;
  object.attr("field") = error.field();
  object.attr("reason") = error.reason();
  return object;
}

}  // namespace

void bind_errors(py::module_& module) {
  auto& error = py::register_exception<Error>(module, "Error", PyExc_ValueError);
  error.attr("__doc__") = "Bad input: a file, an option or a value. The message says what would be right.";
  error.attr("__module__") = "pawl";
  const py::dict fields;
  fields["__doc__"] =
      "An invalid scene. Fields: file, line, column (from 1; 0: not from a file), field, reason. The reason "
      "names the "
      "value and what would be right.";
  for (const char* name : {"file", "field", "reason"}) fields[name] = "";
  for (const char* name : {"line", "column"}) fields[name] = 0;
  scene_error = PyErr_NewException("pawl.SceneError", error.ptr(), fields.ptr());
  module.attr("SceneError") = py::reinterpret_borrow<py::object>(scene_error);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const SceneError& e) {
      PyErr_SetObject(scene_error, make_scene_error(e).ptr());
    }
  });
}

void Interrupts::poll() {
  using Clock = std::chrono::steady_clock;
  const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  if (now < next_) return;
  next_ = now + 0.05;
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::vector<double> numbers(const py::handle& source, std::string_view name, py::ssize_t size) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::array given = py::array::ensure(source);
  const std::string kind = given ? py::str(given.dtype().attr("kind")).cast<std::string>() : "O";
  if (kind != "f" && kind != "i" && kind != "u" && !(given && given.size() == 0)) {
    PyErr_Clear();
    throw py::type_error(py::str("{}: real numbers are needed").format(std::string(name)));
  }
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 1 || (size >= 0 && array.size() != size)) {
    throw py::value_error(py::str("{} has the shape {}; it must be ({},)")
                              .format(std::string(name), given.attr("shape"),
                                      size >= 0 ? std::to_string(size) : std::string("n")));
  }
  return {array.data(), array.data() + array.size()};
}

std::vector<double> finite_numbers(const py::handle& source, std::string_view name, py::ssize_t size) {
  std::vector<double> values = numbers(source, name, size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw py::value_error(
          py::str("{}[{}] is {}; it must be finite").format(std::string(name), i, values[i]));
    }
  }
  return values;
}

py::array copied(const std::vector<double>& values, std::vector<py::ssize_t> shape) {
  return py::array_t<double>(std::move(shape), values.data());
}

}  // namespace pawl::python
