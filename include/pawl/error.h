#pragma once
// Errors: bad input throws, numerics return a Status, our own bugs assert.

#include <stdexcept>
#include <string>

namespace pawl {

/// Anything the user can fix: a file, an option, a value. The message says what would be right.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pawl
