#pragma once
// The text files of Siconos. They have no header: sizes come first and say what follows. Internal to
// problem_file/.

#include <optional>
#include <string>
#include <string_view>

#include <pawl/problem_file.h>

namespace pawl::internal {

/// The kind of problem whose sizes the text begins with; none where it is the beginning of no kind. It can't
/// be two:
///   lcp        n  storage  n  n  …                     n ≥ 1, storage 0, 1 or 2
///   contact    d  nc  storage  d nc  d nc  …           d 2 or 3, nc ≥ 1
///   mixed lcp  flag  flag  n  m  …                     flags 0 or 1 and one of them 1, n + m ≥ 1
/// A contact problem's d is no flag. An lcp begins like a contact problem only with 2 1 2 2 2: then the
/// storage of the contact problem is 2, whose second word (after 2 1 2 2 2 and a number) is no number, and
/// the lcp's is. An lcp begins like a mixed one only with 1 flag 1 1: then the mixed one has n + m = 2 and
/// goes on with 0 2 or 0 1 2, the ends of its blocks, where an lcp has 1 1 (dense) or its count of blocks, 1
/// and 1.
std::optional<ProblemKind> recognise_text(std::string_view text);

Problem parse_text(std::string_view text, const std::string& name, ProblemKind kind);

}  // namespace pawl::internal
