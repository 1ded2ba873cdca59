#pragma once
// Contact problems in FCLIB's HDF5 files. read_problem() reads them; here is what only they have: solutions
// beside the problem, and writers.

#include <span>
#include <string>
#include <vector>

#include <pawl/contact_problem.h>

namespace pawl::internal {

/// What a file holds in /solution.
struct FclibSolution {
  std::vector<double> u;       // [d × contacts] m/s
  std::vector<double> r;       // [d × contacts] N s
  std::vector<double> lambda;  // N s of the bilateral rows; empty where there are none
  std::vector<double> v;       // m/s; empty in a local problem
};

/// Whether a file that read_problem() reads is one of FCLIB's.
bool is_fclib(const std::string& path);

/// Throws Error naming the file and the dataset that is wrong, or that it has no solution.
FclibSolution read_fclib_solution(const std::string& path);

struct FclibInfo {
  std::string title;
  std::string description;
  std::string math_info;
};

/// Writes W, q and μ; a factored problem is condensed for it. FCLIB knows contacts of one dimension, 2 or 3,
/// with round friction cones, and no ζ, which is added to q; throws Error naming the contact it can't hold.
void write_fclib_local(const std::string& path, const ContactProblem& problem, const FclibInfo& info = {});

/// Writes M, H, f, w and μ of a factored problem.
void write_fclib_global(const std::string& path, const ContactProblem& problem, const FclibInfo& info = {});

/// Puts the answer into the file of its problem, in the place of one that is there: p and u [rows], v where
/// the problem is factored, else empty. Where `copy_of` names another file of the problem, `path` becomes a
/// copy of it that has the answer. Written aside and renamed: the file is whole at any time.
void write_fclib_solution(const std::string& path, const ContactProblem& problem, std::span<const double> p,
                          std::span<const double> u, std::span<const double> v,
                          const std::string& copy_of = {});

}  // namespace pawl::internal
