#pragma once
// Problem files: our JSON, FCLIB's HDF5 and the text files of Siconos (docs/problem-files.md). Part of
// Pawl::io.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <pawl/contact_problem.h>
#include <pawl/lcp.h>

namespace pawl {

/// A problem read from a file, and the polyhedra its friction sets point to.
struct StoredContactProblem {
  StoredContactProblem() = default;
  StoredContactProblem(StoredContactProblem&&) = default;  // moving a deque keeps its elements in place
  StoredContactProblem& operator=(StoredContactProblem&&) = default;

  ContactProblem problem;
  double tolerance = 1e-8;  // of the run it comes from
  std::deque<FrictionPolyhedron> polyhedra;
};

enum class ProblemKind : std::uint8_t { contact, lcp, mixed_lcp };
std::string_view to_string(ProblemKind kind);

using Problem = std::variant<StoredContactProblem, Lcp, MixedLcp>;
ProblemKind kind_of(const Problem& problem);

/// Reads any problem. Format and kind are detected from the content; `kind` restricts the kind, and decides
/// for an ambiguous text. Throws Error naming the file, the position, the text there and what would be right.
Problem read_problem(const std::string& path, std::optional<ProblemKind> kind = std::nullopt);

/// The same for the bytes of a file. `name` is used in messages.
Problem parse_problem(std::string_view bytes, const std::string& name,
                      std::optional<ProblemKind> kind = std::nullopt);

/// Reads a file that must hold a contact problem.
StoredContactProblem read_contact_problem(const std::string& path);

/// Writes JSON with all digits, atomically. Throws Error naming the file.
void write_problem(const std::string& path, const ContactProblem& problem, double tolerance = 1e-8);

}  // namespace pawl
