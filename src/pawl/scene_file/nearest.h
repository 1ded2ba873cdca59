#pragma once
// Suggestions for misspelt words. Internal to scene/.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::internal {

/// The candidate with the smallest edit distance to `word`; empty if none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// The end of a message about a wrong word: ": did you mean 'mass'?", or ": <listing> a, b, c" if no
/// candidate is near, or nothing if there are no candidates.
std::string hint(std::string_view word, const std::vector<std::string_view>& candidates,
                 std::string_view listing);

}  // namespace pawl::internal
