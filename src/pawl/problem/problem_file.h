#pragma once
// Contact problems in files, so that any step can be solved again elsewhere.

#include <deque>
#include <string>

#include <pawl/problem/contact_problem.h>

namespace pawl {

/// A problem read from a file, with the polygons its friction sets point to.
struct StoredProblem {
  StoredProblem() = default;
  StoredProblem(StoredProblem&&) = default;  // a deque's entries stay where they are when it moves
  StoredProblem& operator=(StoredProblem&&) = default;

  ContactProblem problem;
  double tolerance = 1e-8;  // that of the run it comes from
  std::deque<FrictionPolygon> polygons;
};

/// JSON, numbers to the last bit; written aside and renamed. Throws Error naming the file.
void write_problem(const std::string& path, const ContactProblem& problem, double tolerance = 1e-8);

/// Throws Error naming the file and the entry that is wrong.
StoredProblem read_problem(const std::string& path);

}  // namespace pawl
