#include <pawl/scene_file/field.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <pawl/scene_file.h>
#include <pawl/scene_file/keys.h>
#include <pawl/scene_file/nearest.h>
#include <pawl/scene_file/number_parser.h>

namespace pawl::internal {
namespace {

using Kind = YamlNode::Kind;
using Range = Quantity::Range;

std::string unit_in_brackets(const Quantity& quantity) {
  return quantity.unit.empty() ? "" : fmt::format(" ({})", quantity.unit);
}

std::string rule_of(const Quantity& quantity) {
  std::string_view range;
  switch (quantity.range) {
    case Range::any:
      break;
    case Range::non_negative:
      range = " >= 0";
      break;
    case Range::positive:
      range = " > 0";
      break;
    case Range::zero_to_one:
      range = " from 0 to 1";
      break;
    case Range::inside_zero_to_one:
      range = " between 0 and 1, both excluded";
      break;
  }
  return fmt::format("a finite number{}{}", range, unit_in_brackets(quantity));
}

std::string rule_of(const Quantity& quantity, std::size_t count) {
  constexpr std::string_view kForms[] = {"[x, y]", "[x, y, z]", "[w, x, y, z]"};
  return fmt::format("a list of {} finite numbers {}{}", count, kForms[count - 2],
                     unit_in_brackets(quantity));
}

bool in_range(double value, Range range) {
  switch (range) {
    case Range::any:
      return true;
    case Range::non_negative:
      return value >= 0;
    case Range::positive:
      return value > 0;
    case Range::zero_to_one:
      return value >= 0 && value <= 1;
    case Range::inside_zero_to_one:
      return value > 0 && value < 1;
  }
  return false;
}

std::string magnitude_rule(const Quantity& quantity) {
  const Magnitude& magnitude = magnitude_of(quantity);
  double low = -magnitude.max;
  if (quantity.range == Range::non_negative) low = 0;
  if (quantity.range == Range::positive || quantity.range == Range::inside_zero_to_one) low = magnitude.min;
  return fmt::format("a number from {:g} to {:g}{}", low, magnitude.max, unit_in_brackets(quantity));
}

bool has_magnitude(double value, const Quantity& quantity) {
  const Magnitude& magnitude = magnitude_of(quantity);
  const bool has_min = quantity.range == Range::positive || quantity.range == Range::inside_zero_to_one;
  return std::abs(value) <= magnitude.max && (!has_min || value >= magnitude.min);
}

bool is_name(std::string_view text) {
  const auto is_name_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_letter);
}

}  // namespace

Field::Field(const Document& document) : Field(document, document.root, document.root.origin, "") {}

Field::Field(const Document& document, const YamlNode& node, const Origin& key_origin, std::string path)
    : document_(&document), node_(&node), key_origin_(key_origin), path_(std::move(path)) {}

std::string Field::display_text() const {
  constexpr std::size_t kMaxShown = 60;
  switch (node_->kind) {
    case Kind::null:
      return "nothing";
    case Kind::sequence:
      return node_->items.empty() ? "an empty list" : "a list";
    case Kind::map:
      return "a map of keys";
    case Kind::scalar:
      break;
  }
  std::string text = node_->text;
  if (text.size() > kMaxShown) {
    std::size_t cut = kMaxShown;
    // Do not cut inside a UTF-8 character.
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    text = text.substr(0, cut) + "…";
  }
  if (node_->quoted) return fmt::format("\"{}\" (a text, for its quotes)", text);
  return parse_number(node_->text).status == NumberStatus::not_a_number ? fmt::format("'{}'", text) : text;
}

std::string Field::location_text() const {
  const Origin& origin = node_->origin;
  if (origin.source == 0) return fmt::format("on line {}", origin.location.line);
  return "by " + document_->sources[static_cast<std::size_t>(origin.source)];
}

void Field::fail(const std::string& reason) const {
  document_->fail(node_->origin, path_, reason);
}

void Field::fail_at(std::string_view key, const std::string& reason) const {
  const auto found = std::find_if(node_->keys.begin(), node_->keys.end(),
                                  [&](const YamlKey& candidate) { return candidate.text == key; });
  document_->fail(found == node_->keys.end() ? key_origin_ : found->origin, join(key), reason);
}

void Field::fail_as(std::string_view what, const std::string& rule) const {
  fail(fmt::format("{} is not {}: it must be {}", display_text(), what, rule));
}

std::string Field::join(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void Field::expect_object(std::string_view object) const {
  const std::vector<std::string_view> keys = keys_of(object);
  if (node_->kind != Kind::map) {
    fail(fmt::format("{} stands here: it must be a map of the keys {}", display_text(),
                     fmt::join(keys, ", ")));
  }
  for (const YamlKey& key : node_->keys) {
    if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
    fail_at(key.text, fmt::format("unknown key{}", hint(key.text, keys, "the keys here are")));
  }
}

void Field::expect_variant(std::string_view object, std::string_view variant) const {
  const std::vector<std::string_view>& keys = keys_of(object, variant);
  for (const YamlKey& key : node_->keys) {
    if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
    fail_at(key.text, fmt::format("means nothing for the {} type '{}': its keys are {}", object, variant,
                                  fmt::join(keys, ", ")));
  }
}

std::optional<Field> Field::find(std::string_view key) const {
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    if (node_->keys[i].text == key)
      return Field(*document_, node_->items[i], node_->keys[i].origin, join(key));
  }
  return std::nullopt;
}

Field Field::require(std::string_view key, std::string_view what) const {
  if (std::optional<Field> found = find(key)) return *std::move(found);
  fail_at(key, fmt::format("missing: {}", what));
}

std::vector<std::pair<std::string, Field>> Field::named_entries(std::string_view what) const {
  if (node_->kind == Kind::null) return {};
  if (node_->kind != Kind::map)
    fail(fmt::format("{} stands here: it must be a map from names to {}", display_text(), what));
  std::vector<std::pair<std::string, Field>> entries;
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    const YamlKey& key = node_->keys[i];
    if (!is_name(key.text))
      fail_at(key.text, "not a name: it must be made of the letters a-z and A-Z, digits, '_' and '-'");
    entries.emplace_back(key.text, Field(*document_, node_->items[i], key.origin, join(key.text)));
  }
  return entries;
}

std::optional<double> Field::find_number(std::string_view key, const Quantity& quantity) const {
  const std::optional<Field> found = find(key);
  return found ? std::optional(found->number(quantity)) : std::nullopt;
}

double Field::require_number(std::string_view key, const Quantity& quantity) const {
  return require(key, fmt::format("{}, {}, is needed", quantity.what, rule_of(quantity))).number(quantity);
}

std::optional<double> Field::find_angle(std::string_view key, const Quantity& quantity) const {
  const std::string key_in_degrees = fmt::format("{}_deg", key);
  if (!has(key_in_degrees)) return find_number(key, quantity);
  if (has(key)) fail_at(key_in_degrees, fmt::format("'{}' is written too: keep one of the two", key));
  const std::string unit(quantity.unit == "rad" ? "degrees" : "degrees/s");
  const double degrees = *find_number(key_in_degrees, {quantity.what, unit, quantity.range});
  return degrees * (std::numbers::pi / 180);
}

std::optional<Vec3> Field::find_vector(std::string_view key, const Quantity& quantity, int size) const {
  const std::optional<Field> found = find(key);
  return found ? std::optional(found->vector(quantity, size)) : std::nullopt;
}

std::string Field::require_word(std::string_view key, std::string_view what) const {
  return require(key, fmt::format("{} is needed", what)).word(what);
}

std::vector<Field> Field::items(std::string_view what) const {
  if (node_->kind == Kind::null) return {};
  if (node_->kind != Kind::sequence)
    fail(fmt::format("{} stands here: it must be a list of {}", display_text(), what));
  std::vector<Field> items;
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    items.push_back(Field(*document_, node_->items[i], node_->items[i].origin, join(std::to_string(i))));
  }
  return items;
}

void Field::check_range(double value, const Quantity& quantity) const {
  if (in_range(value, quantity.range) && has_magnitude(value, quantity)) return;
  const bool computed = !document_->parameters.empty() && node_->kind == Kind::scalar &&
                        (document_->parameters.find(node_->text) != nullptr ||
                         (has_operator(node_->text) && parse_number(node_->text).status != NumberStatus::ok));
  fail(fmt::format("{}{} is not {}: it must be {}", display_text(),
                   computed ? fmt::format(" = {:g}", value) : "", quantity.what,
                   in_range(value, quantity.range) ? magnitude_rule(quantity) : rule_of(quantity)));
}

double Field::number(const Quantity& quantity) const {
  if (node_->kind != Kind::scalar || node_->quoted) fail_as(quantity.what, rule_of(quantity));
  const ParsedNumber parsed = parse_number(node_->text);
  if (parsed.status == NumberStatus::out_of_range) {
    fail(fmt::format("{} lies beyond what double precision holds (about 1e-308 to 1e308): {} must be {}",
                     display_text(), quantity.what, rule_of(quantity)));
  }
  if (parsed.status == NumberStatus::not_finite) fail_as(quantity.what, rule_of(quantity));
  const double value = parsed.status == NumberStatus::ok
                           ? parsed.value
                           : expression(quantity.what, quantity.unit, rule_of(quantity));
  check_range(value, quantity);
  return value;
}

double Field::expression(std::string_view what, std::string_view unit, const std::string& rule) const {
  const Parameters& parameters = document_->parameters;
  if (parameters.empty() && !has_operator(node_->text)) fail_as(what, rule);
  Amount amount;
  try {
    amount = evaluate(node_->text, [&](std::string_view name) { return parameters.amount(name); });
  } catch (const Error& error) {
    fail(fmt::format("{} is not {}: {}; it must be {}, or an expression of parameters", display_text(), what,
                     error.what(), rule));
  }
  const std::optional<Unit> wanted = unit_of_field(unit);
  if (!wanted || !amount.unit || amount.is_literal) return amount.value;
  if (!fits(*amount.unit, *wanted)) {
    fail(fmt::format("{} is in {}: {} is in {}", display_text(), to_string(*amount.unit), what, unit));
  }
  if (unit.starts_with("degrees") && amount.unit->rad != 0) {
    fail(fmt::format("{} is in radians, as all expressions: write the key without '_deg'", display_text()));
  }
  return amount.value;
}

std::optional<std::vector<double>> Field::parameter(const Quantity& quantity, std::size_t count) const {
  if (node_->kind != Kind::scalar || node_->quoted) return std::nullopt;
  const ParameterValue* value = document_->parameters.find(node_->text);
  if (value == nullptr || value->components.size() != count) return std::nullopt;
  const std::optional<Unit> wanted = unit_of_field(quantity.unit);
  if (wanted && value->unit && !fits(*value->unit, *wanted)) {
    fail(fmt::format("{} is in {}: {} is in {}", display_text(), to_string(*value->unit), quantity.what,
                     quantity.unit));
  }
  for (const double component : value->components) check_range(component, quantity);
  return value->components;
}

int Field::integer(std::string_view what, int low, int high) const {
  const std::string rule =
      low == high ? std::to_string(low) : fmt::format("a whole number from {} to {}", low, high);
  if (node_->kind != Kind::scalar || node_->quoted) fail_as(what, rule);
  int value = 0;
  const char* const end = node_->text.data() + node_->text.size();
  const auto result = std::from_chars(node_->text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) {
    const double computed = expression(what, "", rule);
    if (computed != std::floor(computed) || std::abs(computed) > std::numeric_limits<int>::max())
      fail_as(what, rule);
    value = static_cast<int>(computed);
  }
  if (value < low || value > high) fail_as(what, rule);
  return value;
}

bool Field::boolean(std::string_view what) const {
  constexpr Choice<bool> kChoices[] = {{"true", true}, {"false", false}};
  if (node_->quoted) fail_as(what, "true or false");
  return choice<bool>(what, kChoices);
}

std::string Field::word(std::string_view what) const {
  if (node_->kind != Kind::scalar) fail(fmt::format("{} is not {}: it must be a text", display_text(), what));
  return node_->text;
}

double Field::duration(const Quantity& quantity) const {
  if (node_->kind != Kind::scalar || parse_number(node_->text).status != NumberStatus::not_a_number) {
    return number(quantity);
  }
  double seconds = 0;
  const std::string rule = rule_of(quantity) + ", or one with its unit: 5ms, 100us, 2s";
  try {
    seconds = parse_duration(node_->text);
  } catch (const Error&) {
    if (node_->quoted) fail_as(quantity.what, rule);
    seconds = expression(quantity.what, quantity.unit, rule);
  }
  check_range(seconds, quantity);
  return seconds;
}

std::vector<double> Field::numbers(const Quantity& quantity, std::size_t count) const {
  if (const auto components = parameter(quantity, count)) return *components;
  if (node_->kind != Kind::sequence) fail_as(quantity.what, rule_of(quantity, count));
  if (node_->items.size() != count) {
    fail(fmt::format("a list of {} is not {}: it must be {}", node_->items.size(), quantity.what,
                     rule_of(quantity, count)));
  }
  const std::string what = fmt::format("an element of {}", quantity.what);
  std::vector<double> values;
  for (const Field& item : items("numbers"))
    values.push_back(item.number({what, quantity.unit, quantity.range}));
  return values;
}

Vec3 Field::vector(const Quantity& quantity, int size) const {
  const std::vector<double> values = numbers(quantity, static_cast<std::size_t>(size));
  return {values[0], values[1], size == 3 ? values[2] : 0};
}

Vec3 Field::direction(const Quantity& quantity, int size) const {
  const Vec3 v = vector(quantity, size);
  // Scaled first: the square of a very long or very short vector would overflow or underflow.
  const double scale = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (scale == 0)
    fail(fmt::format("a vector of length zero is not {}: it must point somewhere", quantity.what));
  return normalized(v / scale);
}

std::size_t Field::choose(std::string_view what, const std::vector<std::string_view>& words) const {
  const std::string rule = fmt::format("one of {}", fmt::join(words, ", "));
  if (node_->kind != Kind::scalar) fail_as(what, rule);
  const auto found = std::find(words.begin(), words.end(), node_->text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string_view near = nearest(node_->text, words);
  if (near.empty()) fail_as(what, rule);
  fail(fmt::format("{} is not {}: did you mean '{}'? It must be {}", display_text(), what, near, rule));
}

}  // namespace pawl::internal
