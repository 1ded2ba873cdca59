#pragma once
// Numbers of a text file, one after the other, and errors that say where they are. Internal to problem_file/.

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::internal {

/// What a number means, for messages: "q", "q[3]" or "W(3, 4)".
struct TextField {
  const char* name = "";
  long long row = -1;
  long long column = -1;
};

class TextScanner {
 public:
  TextScanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// The next word, which is taken; empty at the end.
  std::string_view word();
  /// The next word, which stays; empty at the end.
  std::string_view peek();
  double number(TextField field);
  long long integer(TextField field, long long low, long long high);
  /// The next word must be this one.
  void expect(std::string_view wanted);
  void skip_line();
  /// That `count` numbers of the field may follow at all: no size is believed that the text can't hold.
  void check_remaining(long long count, TextField field) const;

  /// Throws Error about the last word taken.
  [[noreturn]] void fail(TextField field, const std::string& reason) const;

 private:
  void skip_space();
  [[noreturn]] void refuse(TextField field, std::string_view word, const std::string& wanted) const;

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t word_at_ = 0;  // of the last word taken
};

/// The word as a whole number, written like one or like 1e+06; false where it is none.
bool parse_integer(std::string_view word, long long& value);

}  // namespace pawl::internal
