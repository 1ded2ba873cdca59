#pragma once
// What a misspelt word was probably meant to be. Internal to scene/.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::internal {

/// The candidate nearest to `word` by letters changed, added, dropped or swapped; empty if none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// The end of a message about a wrong word: ": did you mean 'mass'?", or ": <listing> a, b, c" if none is
/// near, or nothing if there are no candidates.
std::string hint(std::string_view word, const std::vector<std::string_view>& candidates,
                 std::string_view listing);

}  // namespace pawl::internal
