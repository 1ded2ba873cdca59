#include <pawl/problem_file.h>

#include <utility>

#include <fmt/format.h>

#include <pawl/base/read_bytes.h>
#include <pawl/error.h>
#include <pawl/problem_file/fclib.h>

#include "fclib_problem.h"
#include "json_problem.h"
#include "text_problem.h"

namespace pawl {

using namespace internal;

namespace {

/// HDF5 allows a user block before its signature, which is at offset 0, 512, 1024, 2048 …
bool is_hdf5(std::string_view bytes) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  for (std::size_t at = 0; at < bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (bytes.substr(at).starts_with(kSignature)) return true;
  }
  return false;
}

bool is_json(std::string_view bytes) {
  const auto first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
}

void require(const std::string& name, std::optional<ProblemKind> wanted, ProblemKind found) {
  if (wanted && *wanted != found) {
    throw Error(
        fmt::format("{}: holds a problem of kind {}, not {}", name, to_string(found), to_string(*wanted)));
  }
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::contact:
      return "contact";
    case ProblemKind::lcp:
      return "lcp";
    case ProblemKind::mixed_lcp:
      return "mixed-lcp";
  }
  return "";
}

ProblemKind kind_of(const Problem& problem) {
  if (std::holds_alternative<Lcp>(problem)) return ProblemKind::lcp;
  if (std::holds_alternative<MixedLcp>(problem)) return ProblemKind::mixed_lcp;
  return ProblemKind::contact;
}

Problem parse_problem(std::string_view bytes, const std::string& name, std::optional<ProblemKind> kind) {
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error(fmt::format("{}: is empty", name));
  if (is_hdf5(bytes)) {
    require(name, kind, ProblemKind::contact);
    return parse_fclib(bytes, name);
  }
  if (is_json(bytes)) {
    require(name, kind, ProblemKind::contact);
    return parse_json(bytes, name);
  }
  if (!kind) kind = recognise_text(bytes);
  if (!kind) {
    throw Error(
        fmt::format("{}:1:1: is no problem: it must be HDF5, JSON, or text that begins with the sizes of an "
                    "lcp (n, storage, n, "
                    "n), of a contact problem (dimension d, contacts nc, storage, d nc, d nc) or of a mixed "
                    "lcp (two flags, n, m)",
                    name));
  }
  return parse_text(bytes, name, *kind);
}

Problem read_problem(const std::string& path, std::optional<ProblemKind> kind) {
  return parse_problem(read_bytes(path), path, kind);
}

bool internal::is_fclib(const std::string& path) {
  return is_hdf5(read_bytes(path));
}

StoredContactProblem read_contact_problem(const std::string& path) {
  Problem problem = read_problem(path);
  require(path, ProblemKind::contact, kind_of(problem));
  return std::get<StoredContactProblem>(std::move(problem));
}

}  // namespace pawl
