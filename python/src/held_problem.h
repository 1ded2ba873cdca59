#pragma once
// A contact problem and what its friction sets refer to.

#include <deque>

#include "bindings.h"

namespace pawl::python {

struct HeldProblem {
  ContactProblem problem;
  double tolerance = 1e-8;
  std::deque<FrictionPolyhedron> polyhedra;  // of a problem read from a file, or
  py::object owner;                          // the simulation that owns them
};

}  // namespace pawl::python
