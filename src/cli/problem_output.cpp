#include "problem_output.h"

#include <filesystem>

#include <fmt/format.h>

#include <pawl/problem_file/fclib.h>
#include <pawl/version.h>

namespace pawl::internal::cli {

bool is_fclib_path(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".hdf5" || ending == ".h5";
}

FclibForm native_form(const ContactProblem& problem) {
  return problem.primal() ? FclibForm::global : FclibForm::local;
}

void write_fclib(const std::string& path, const ContactProblem& problem, FclibForm form,
                 const std::string& from) {
  FclibInfo info;
  info.title = std::filesystem::path(from).filename().string();
  info.description = fmt::format("written by pawl {}", kVersion);
  info.math_info = form == FclibForm::local ? "u = W r + q" : "M v = H r + f, u = H' v + w";
  form == FclibForm::local ? write_fclib_local(path, problem, info) : write_fclib_global(path, problem, info);
}

}  // namespace pawl::internal::cli
