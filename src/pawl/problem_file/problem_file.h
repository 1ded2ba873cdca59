#pragma once
// Complementarity problems in files: our own JSON, FCLIB's HDF5 and the text files of Siconos, as
// docs/problem-files.md describes them.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <pawl/problem/contact_problem.h>
#include <pawl/problem/lcp.h>
#include <pawl/problem/mixed_lcp.h>

namespace pawl {

/// A problem read from a file, with the polyhedra its friction sets point to.
struct StoredContactProblem {
  StoredContactProblem() = default;
  StoredContactProblem(StoredContactProblem&&) =
      default;  // a deque's entries stay where they are when it moves
  StoredContactProblem& operator=(StoredContactProblem&&) = default;

  ContactProblem problem;
  double tolerance = 1e-8;  // that of the run it comes from
  std::deque<FrictionPolyhedron> polyhedra;
};

enum class ProblemKind : std::uint8_t { contact, lcp, mixed_lcp };
std::string_view to_string(ProblemKind kind);

using Problem = std::variant<StoredContactProblem, Lcp, MixedLcp>;
ProblemKind kind_of(const Problem& problem);

/// Reads any problem. Its format and kind follow from what is in the file; `kind` refuses every other one,
/// and says of a text that could be two which it is. Throws Error naming the file, the place in it, what
/// stands there and what would be right.
Problem read_problem(const std::string& path, std::optional<ProblemKind> kind = std::nullopt);

/// The same for the bytes of a file; `name` is what messages call it.
Problem parse_problem(std::string_view bytes, const std::string& name,
                      std::optional<ProblemKind> kind = std::nullopt);

/// Reads a file that must hold a contact problem.
StoredContactProblem read_contact_problem(const std::string& path);

/// As JSON, numbers to the last bit; written aside and renamed. Throws Error naming the file.
void write_problem(const std::string& path, const ContactProblem& problem, double tolerance = 1e-8);

}  // namespace pawl
