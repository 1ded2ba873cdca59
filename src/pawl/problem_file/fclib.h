#pragma once
// FCLIB's HDF5 files: solutions and writers. read_problem() reads the problems.

#include <span>
#include <string>
#include <vector>

#include <pawl/contact_problem.h>

namespace pawl::internal {

/// Contents of /solution.
struct FclibSolution {
  std::vector<double> u;       // [d × contacts] m/s
  std::vector<double> r;       // [d × contacts] N s
  std::vector<double> lambda;  // N s of the bilateral rows; may be empty
  std::vector<double> v;       // m/s; empty for a local problem
};

/// True if a file that read_problem() accepts is in FCLIB format.
bool is_fclib(const std::string& path);

/// Throws Error that names the file and the wrong dataset, or if there is no solution.
FclibSolution read_fclib_solution(const std::string& path);

struct FclibInfo {
  std::string title;
  std::string description;
  std::string math_info;
};

/// Writes W, q and μ. For a problem in primal form, W is computed first. FCLIB supports contacts of one
/// dimension, 2 or 3, with round friction cones. It has no ζ, so ζ is added to q. Throws Error that names an
/// unsupported contact.
void write_fclib_local(const std::string& path, const ContactProblem& problem, const FclibInfo& info = {});

/// Writes M, H, f, w and μ of a problem in primal form.
void write_fclib_global(const std::string& path, const ContactProblem& problem, const FclibInfo& info = {});

/// Writes the solution into the file of its problem, replacing an existing one: p and u [rows], v in primal
/// form and empty otherwise. If `copy_of` names another file of the problem, `path` becomes a copy of it with
/// the solution. The write is atomic (temporary file and rename).
void write_fclib_solution(const std::string& path, const ContactProblem& problem, std::span<const double> p,
                          std::span<const double> u, std::span<const double> v,
                          const std::string& copy_of = {});

}  // namespace pawl::internal
