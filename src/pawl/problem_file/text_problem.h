#pragma once
// Siconos text files. They have no header; the leading sizes determine the contents. Internal to
// problem_file/.

#include <optional>
#include <string>
#include <string_view>

#include <pawl/problem_file.h>

namespace pawl::internal {

/// Kind of problem that the leading numbers indicate; none if they fit no kind. The formats are unambiguous:
///   lcp        n  storage  n  n  …                     n ≥ 1, storage 0, 1 or 2
///   contact    d  nc  storage  d nc  d nc  …           d 2 or 3, nc ≥ 1
///   mixed lcp  flag  flag  n  m  …                     flags 0 or 1 and one of them 1, n + m ≥ 1
/// - contact, mixed lcp: d is not 0 or 1.
/// - lcp, contact: both match only 2 1 2 2 2. The contact problem then has storage 2, and the second word
///   after these five is not a number; in the lcp it is.
/// - lcp, mixed lcp: both match only 1 flag 1 1. The mixed problem then has n + m = 2 and continues with 0 2
///   or 0 1 2, its block ends. The lcp continues with 1 1 (dense) or with its number of blocks, 1 and 1.
std::optional<ProblemKind> recognise_text(std::string_view text);

Problem parse_text(std::string_view text, const std::string& name, ProblemKind kind);

}  // namespace pawl::internal
