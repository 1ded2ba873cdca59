#pragma once
// Scanner for the numbers of a text file, with positions in error messages. Internal to problem_file/.

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::internal {

/// Meaning of a number, for messages: "q", "q[3]" or "W(3, 4)".
struct TextField {
  const char* name = "";
  long long row = -1;
  long long column = -1;
};

class TextScanner {
 public:
  TextScanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Returns and consumes the next word; empty at the end.
  std::string_view word();
  /// Returns the next word without consuming it; empty at the end.
  std::string_view peek();
  double number(TextField field);
  long long integer(TextField field, long long low, long long high);
  /// Throws if the next word is not `wanted`.
  void expect(std::string_view wanted);
  void skip_line();
  /// Throws if the remaining text is too short for `count` numbers, so that wrong sizes are not trusted.
  void check_remaining(long long count, TextField field) const;

  /// Throws Error at the position of the last consumed word.
  [[noreturn]] void fail(TextField field, const std::string& reason) const;

 private:
  void skip_space();
  [[noreturn]] void refuse(TextField field, std::string_view word, const std::string& wanted) const;

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t word_at_ = 0;  // of the last consumed word
};

/// Parses a whole number, plain or like 1e+06. Returns false if the word is not one.
bool parse_integer(std::string_view word, long long& value);

}  // namespace pawl::internal
