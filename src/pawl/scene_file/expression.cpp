#include <pawl/scene_file/expression.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/scene_file/number_parser.h>

namespace pawl::internal {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// An operator as written, and the sign that stands for it.
struct Operator {
  std::string_view written;
  char sign;
};
constexpr std::array<Operator, 9> kOperators{{{"+", '+'},
                                              {"-", '-'},
                                              {"−", '-'},
                                              {"*", '*'},
                                              {"×", '*'},
                                              {"·", '*'},
                                              {"/", '/'},
                                              {"÷", '/'},
                                              {"(", '('}}};

class Parser {
 public:
  Parser(std::string_view text, const AmountOfName& amount_of_name)
      : text_(text), amount_of_name_(amount_of_name) {}

  Amount parse() {
    const Amount result = sum();
    if (at_ < text_.size()) fail("an operator, + - * /, or the end");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    if (at_ >= text_.size()) throw Error("the expression ends early: expected " + expected);
    throw Error(fmt::format("expected {} at '{}'", expected, text_.substr(at_, 20)));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  /// Takes one of the signs and the blanks after it, or returns 0.
  char take(std::string_view signs) {
    skip_blanks();
    for (const Operator& each : kOperators) {
      if (signs.find(each.sign) == std::string_view::npos || !text_.substr(at_).starts_with(each.written))
        continue;
      at_ += each.written.size();
      skip_blanks();
      return each.sign;
    }
    return 0;
  }

  Amount sum() {
    Amount a = product();
    for (char sign = take("+-"); sign != 0; sign = take("+-")) {
      const Amount b = product();
      a = {sign == '+' ? a.value + b.value : a.value - b.value, unit_of_sum(a, b),
           a.is_literal && b.is_literal};
      check(a);
    }
    return a;
  }

  static std::optional<Unit> unit_of_sum(const Amount& a, const Amount& b) {
    if (a.is_literal) return b.unit;
    if (b.is_literal) return a.unit;
    if (!a.unit || !b.unit) return a.unit ? a.unit : b.unit;
    if (!fits(*a.unit, *b.unit)) {
      throw Error(fmt::format("adds {} and {}: both must be in the same unit", to_string(*a.unit),
                              to_string(*b.unit)));
    }
    return a.unit;
  }

  Amount product() {
    Amount a = signed_value();
    for (char sign = take("*/"); sign != 0; sign = take("*/")) {
      const Amount b = signed_value();
      if (sign == '/' && b.value == 0) throw Error("divides by zero");
      Amount result{sign == '*' ? a.value * b.value : a.value / b.value, std::nullopt,
                    a.is_literal && b.is_literal};
      if (a.unit && b.unit) result.unit = sign == '*' ? *a.unit + *b.unit : *a.unit - *b.unit;
      a = result;
      check(a);
    }
    return a;
  }

  Amount signed_value() {
    const Deeper deeper(*this);
    const char sign = take("+-");
    if (sign == 0) return primary();
    Amount a = signed_value();
    if (sign == '-') a.value = -a.value;
    return a;
  }

  Amount primary() {
    if (take("(") != 0) return closed(sum());
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_name_start(text_[at_])) return name();
    fail("a number, a name or '('");
  }

  Amount closed(const Amount& inside) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != ')') fail("')'");
    ++at_;
    return inside;
  }

  Amount number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    const ParsedNumber parsed = parse_number(word);
    if (parsed.status != NumberStatus::ok) throw Error(fmt::format("'{}' is not a number", word));
    return {parsed.value, Unit{}, true};
  }

  Amount name() {
    const std::size_t begin = at_;
    // The dot is that of a component: place.x.
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "pi") return {std::numbers::pi, Unit{}, true};
    if (word == "sin" || word == "cos" || word == "sqrt") {
      if (take("(") == 0) fail(fmt::format("'(' after {}", word));
      return apply(word, closed(sum()));
    }
    return amount_of_name_(word);
  }

  static Amount apply(std::string_view function, const Amount& x) {
    if (function == "sqrt") {
      if (x.value < 0) throw Error(fmt::format("the root of {:g}, which is negative", x.value));
      Amount root{std::sqrt(x.value), std::nullopt, x.is_literal};
      const auto even = [](const Unit& u) { return u.m % 2 == 0 && u.kg % 2 == 0 && u.s % 2 == 0; };
      if (x.unit && even(*x.unit)) root.unit = Unit{x.unit->m / 2, x.unit->kg / 2, x.unit->s / 2, 0};
      return root;
    }
    if (x.unit && !fits(*x.unit, {}))
      throw Error(
          fmt::format("{} of a number in {}: it takes an angle in radians", function, to_string(*x.unit)));
    return {function == "sin" ? std::sin(x.value) : std::cos(x.value), Unit{}, x.is_literal};
  }

  static void check(const Amount& a) {
    if (!std::isfinite(a.value)) throw Error("exceeds double precision (about 1e308)");
  }

  /// Every level of parentheses, functions and signs passes through signed_value().
  struct Deeper {
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxExpressionDepth)
        throw Error(fmt::format("nested more than {} levels deep", kMaxExpressionDepth));
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser_;
  };

  std::string_view text_;
  const AmountOfName& amount_of_name_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Amount evaluate(std::string_view text, const AmountOfName& amount_of_name) {
  if (text.size() > kMaxExpressionLength)
    throw Error(fmt::format("an expression of more than {} characters", kMaxExpressionLength));
  return Parser(text, amount_of_name).parse();
}

bool is_parameter_name(std::string_view name) {
  if (name.empty() || !is_name_start(name[0])) return false;
  if (!std::ranges::all_of(name, [](char c) { return is_name_start(c) || is_digit(c); })) return false;
  return name != "pi" && name != "sin" && name != "cos" && name != "sqrt";
}

bool has_operator(std::string_view text) {
  return std::ranges::any_of(
      kOperators, [&](const Operator& each) { return text.find(each.written) != std::string_view::npos; });
}

}  // namespace pawl::internal
