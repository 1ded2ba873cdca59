// Reads `parameters:`, in any order of the file: a parameter may refer to any other, but not in a circle.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <pawl/scene_file/nearest.h>
#include <pawl/scene_file/number_parser.h>
#include <pawl/scene_file/parameter_reader.h>

namespace pawl::internal {
namespace {

constexpr Quantity kNumber{"a number", ""};
constexpr std::size_t kMaxChain = 100;  // parameters that refer to each other in a row

constexpr std::string_view kForms =
    "a parameter is a number with or without a unit (0.3, 20 mm), a tolerance (20.00 ± 0.02 mm), an "
    "expression "
    "of other parameters (2 * mu), a list of 2 to 4 numbers, or a map such as {uniform: [0, 1], unit: mm}";

/// How one kind of distribution is written: its key is to_string(kind).
struct Form {
  DistributionKind kind;
  std::size_t count;  // of numbers; 0: any number
  std::string_view rule;
};
constexpr Form kForm[] = {
    {DistributionKind::range, 2, "[low, high] with low < high"},
    {DistributionKind::uniform, 2, "[low, high] with low < high"},
    {DistributionKind::normal, 2, "[mean, standard deviation] with a deviation > 0"},
    {DistributionKind::truncated_normal, 4,
     "[mean, standard deviation, low, high] with a deviation > 0 and low < high"},
    {DistributionKind::lognormal, 2, "[median, standard deviation of the logarithm], both > 0"},
    {DistributionKind::choice, 0, "a list of one or more numbers"},
    {DistributionKind::tolerance, 2, "[nominal, deviation] with a deviation > 0"},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Splits "20.5e-3 mm" after the number; the first part is empty if there is none.
std::pair<std::string_view, std::string_view> split_number(std::string_view text) {
  std::size_t best = 0;
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
  for (std::size_t length = 1; length <= end; ++length) {
    const NumberStatus status = parse_number(text.substr(0, length)).status;
    if (status == NumberStatus::ok || status == NumberStatus::out_of_range) best = length;
  }
  return {text.substr(0, best), trimmed(text.substr(best))};
}

/// The text before and after "±" or "+/-".
std::optional<std::pair<std::string_view, std::string_view>> split_tolerance(std::string_view text) {
  for (std::string_view sign : {"±", "+/-"}) {
    const std::size_t at = text.find(sign);
    if (at != std::string_view::npos)
      return std::pair(trimmed(text.substr(0, at)), trimmed(text.substr(at + sign.size())));
  }
  return std::nullopt;
}

/// The unit at the end of "20 mm" or "20 ± 0.02 mm"; "" if there is none.
std::string_view unit_in(std::string_view text) {
  if (const auto parts = split_tolerance(text)) return split_number(parts->second).second;
  const auto [number, rest] = split_number(trimmed(text));
  return number.empty() || find_unit(rest) == nullptr ? std::string_view{} : rest;
}

bool is_normal_interval_possible(double mean, double deviation, double low, double high) {
  const auto below = [&](double x) { return 0.5 * std::erfc((mean - x) / deviation / std::sqrt(2.0)); };
  // Beyond 8 standard deviations lies less than 1e-15.
  return below(high) > 1e-15 && 1 - below(low) > 1e-15;
}

bool is_possible(DistributionKind kind, const std::vector<double>& a) {
  switch (kind) {
    case DistributionKind::range:
    case DistributionKind::uniform:
      return a[0] < a[1];
    case DistributionKind::normal:
    case DistributionKind::tolerance:
      return a[1] > 0;
    case DistributionKind::lognormal:
      return a[0] > 0 && a[1] > 0;
    case DistributionKind::truncated_normal:
      return a[1] > 0 && a[2] < a[3];
    default:
      return true;
  }
}

std::vector<double> default_nominal(DistributionKind kind, const std::vector<double>& a) {
  switch (kind) {
    case DistributionKind::range:
    case DistributionKind::uniform:
      return {a[0] + (a[1] - a[0]) / 2};
    case DistributionKind::truncated_normal:
      return {std::clamp(a[0], a[2], a[3])};
    case DistributionKind::rotation:
      return {1, 0, 0, 0};
    case DistributionKind::box: {
      std::vector<double> middle;
      const std::size_t n = a.size() / 2;
      for (std::size_t i = 0; i < n; ++i) middle.push_back(a[i] + (a[n + i] - a[i]) / 2);
      return middle;
    }
    default:
      return {a[0]};
  }
}

/// True if the distribution never gives this value.
bool is_outside(const SceneParameter& p) {
  const std::vector<double>& a = p.arguments;
  const double x = p.nominal[0];
  switch (p.kind) {
    case DistributionKind::range:
    case DistributionKind::uniform:
      return x < a[0] || x > a[1];
    case DistributionKind::truncated_normal:
      return x < a[2] || x > a[3];
    case DistributionKind::lognormal:
      return x <= 0;
    case DistributionKind::choice:
      return std::ranges::find(a, x) == a.end();
    case DistributionKind::tolerance:
      return std::abs(x - a[0]) > a[1] * (1 + 1e-12);
    default:
      return false;
  }
}

class ParameterReader {
 public:
  ParameterReader(const Field& section, const DeclaredUnits& declared, Scene& scene)
      : declared_(declared), scene_(scene) {
    for (auto& [name, field] : section.named_entries("parameters")) {
      if (!is_parameter_name(name)) {
        section.fail_at(
            name,
            "not the name of a parameter: it must be made of letters, digits and '_', begin with a "
            "letter, and be none of pi, sin, cos, sqrt");
      }
      index_.emplace(name, fields_.size());
      fields_.push_back(field);
      names_.push_back(name);
    }
    marks_.resize(fields_.size(), Mark::unknown);
    scene_.parameters.resize(fields_.size());
  }

  Parameters read() {
    for (std::size_t i = 0; i < fields_.size(); ++i) resolve(i);
    return std::move(values_);
  }

 private:
  enum class Mark { unknown, on_path, known };

  void resolve(std::size_t i) {
    if (marks_[i] == Mark::known) return;
    if (marks_[i] == Mark::on_path) fail_circle(i);
    if (path_.size() >= kMaxChain)
      fields_[i].fail(fmt::format("more than {} parameters refer to each other in a row", kMaxChain));
    marks_[i] = Mark::on_path;
    path_.push_back(i);
    SceneParameter& p = scene_.parameters[i];
    p.name = names_[i];
    std::optional<Unit> unit;
    read_one(fields_[i], p, unit);
    values_.add(p.name, {p.value, unit});
    path_.pop_back();
    marks_[i] = Mark::known;
  }

  [[noreturn]] void fail_circle(std::size_t i) const {
    std::string circle;
    for (auto at = std::ranges::find(path_, i); at != path_.end(); ++at) circle += names_[*at] + " -> ";
    fields_[i].fail(fmt::format("computed from itself: {}{}; one of them needs a number", circle, names_[i]));
  }

  void read_one(const Field& field, SceneParameter& p, std::optional<Unit>& unit) {
    if (field.is_map()) {
      field.expect_object("parameter");
      if (const auto named = field.find("unit")) set_unit(*named, named->word("a unit"), p, unit);
      read_distribution(field, p);
      if (const auto value = field.find("value")) {
        read_value(*value, p, unit);
        if (p.varies() && p.nominal.size() != default_nominal(p.kind, p.arguments).size())
          value->fail(fmt::format("{} has {} components", to_string(p.kind),
                                  default_nominal(p.kind, p.arguments).size()));
        if (p.varies() && is_outside(p))
          value->fail(fmt::format("{} lies outside the distribution", value->display_text()));
      } else if (!p.varies()) {
        field.fail_at(
            "value",
            fmt::format("missing: the parameter has neither a value nor a distribution; {}", kForms));
      }
      if (p.expression.empty()) to_si(p);
      return;
    }
    if (field.is_null()) field.fail(fmt::format("the parameter has no value: {}", kForms));
    read_value(field, p, unit);
    // A number of --set is in the unit that the file gives the parameter.
    const auto declared = declared_.find(p.name);
    if (field.overridden() && p.unit.empty() && p.expression.empty() && declared != declared_.end())
      set_unit(field, declared->second, p, unit);
    if (p.expression.empty()) to_si(p);
  }

  static void set_unit(const Field& field, const std::string& name, SceneParameter& p,
                       std::optional<Unit>& unit) {
    const NamedUnit* named = find_unit(name);
    if (named == nullptr) field.fail(fmt::format("'{}' is not a unit: there are {}", name, known_units()));
    p.unit = name;
    unit = named->unit;
  }

  static void to_si(SceneParameter& p) {
    const NamedUnit* unit = find_unit(p.unit);
    p.value = p.nominal;
    if (unit == nullptr) return;
    for (double& x : p.value) x = x * unit->times / unit->over;
  }

  void read_distribution(const Field& field, SceneParameter& p) const {
    std::vector<std::string> written;
    const auto note = [&](DistributionKind kind) {
      if (!field.has(to_string(kind))) return;
      written.emplace_back(to_string(kind));
      p.kind = kind;
    };
    for (const Form& form : kForm) note(form.kind);
    note(DistributionKind::rotation);
    note(DistributionKind::box);
    if (written.size() > 1) {
      field.fail_at(written[1], fmt::format("'{}' is written too: keep one of the two", written[0]));
    }
    if (field.has("weights") && p.kind != DistributionKind::choice)
      field.fail_at("weights", "means nothing without 'choice'");
    if (written.empty()) return;
    const Field value = *field.find(written[0]);
    if (p.kind == DistributionKind::rotation) {
      if (!value.is_word("random"))
        value.fail(fmt::format("{} is not a rotation: write rotation: random", value.display_text()));
      if (!p.unit.empty()) field.fail_at("unit", "means nothing for a rotation");
    } else if (p.kind == DistributionKind::box) {
      read_box(value, p);
    } else {
      read_arguments(field, value, p);
    }
    p.nominal = default_nominal(p.kind, p.arguments);
  }

  static void read_arguments(const Field& field, const Field& value, SceneParameter& p) {
    const Form& form = *std::ranges::find(kForm, p.kind, &Form::kind);
    const std::vector<Field> items = value.items("numbers");
    if (items.empty() || (form.count != 0 && items.size() != form.count))
      value.fail(
          fmt::format("{} is not {}: it must be {}", value.display_text(), to_string(p.kind), form.rule));
    for (const Field& item : items) p.arguments.push_back(item.number(kNumber));
    if (!is_possible(p.kind, p.arguments)) {
      value.fail(fmt::format("[{}] is an impossible distribution: it must be {}",
                             fmt::join(p.arguments, ", "), form.rule));
    }
    if (p.kind == DistributionKind::truncated_normal &&
        !is_normal_interval_possible(p.arguments[0], p.arguments[1], p.arguments[2], p.arguments[3])) {
      value.fail(fmt::format(
          "an impossible distribution: from {:g} to {:g} lies nothing of the normal one, {:g} ± {:g}",
          p.arguments[2], p.arguments[3], p.arguments[0], p.arguments[1]));
    }
    if (const auto weights = field.find("weights")) {
      double sum = 0;
      for (const Field& item : weights->items("numbers"))
        p.weights.push_back(item.number({"a weight", "", Quantity::Range::non_negative}));
      for (double weight : p.weights) sum += weight;
      if (p.weights.size() != p.arguments.size())
        weights->fail(fmt::format("{} weights for {} choices", p.weights.size(), p.arguments.size()));
      if (!(sum > 0)) weights->fail("an impossible distribution: one of the weights must be > 0");
    }
  }

  static void read_box(const Field& value, SceneParameter& p) {
    const std::vector<Field> corners = value.items("two corners");
    if (corners.size() != 2)
      value.fail("a box has two corners: [[x, y, z], [x, y, z]], or [x, y] in the plane");
    std::size_t size = 0;
    for (const Field& corner : corners) {
      const std::vector<Field> items = corner.items("coordinates");
      if (size == 0) size = items.size();
      if (items.size() != size || size < 2 || size > 3)
        corner.fail("the corners of a box have two or three coordinates, both as many");
      for (const Field& item : items) p.arguments.push_back(item.number(kNumber));
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (!(p.arguments[i] <= p.arguments[size + i]))
        value.fail(fmt::format("an impossible box: its first corner must be the lower one, but {:g} > {:g}",
                               p.arguments[i], p.arguments[size + i]));
    }
  }

  void read_value(const Field& field, SceneParameter& p, std::optional<Unit>& unit) {
    if (field.is_sequence()) {
      p.nominal.clear();
      for (const Field& item : field.items("numbers")) p.nominal.push_back(item.number(kNumber));
      if (p.nominal.size() < 2 || p.nominal.size() > 4)
        field.fail(fmt::format("a list of {}: {}", p.nominal.size(), kForms));
      return;
    }
    const std::string text = field.word("a parameter");
    if (const auto parts = split_tolerance(text)) {
      read_tolerance(field, *parts, p, unit);
      return;
    }
    const auto [number, rest] = split_number(trimmed(text));
    const bool is_unit = !number.empty() && find_unit(rest) != nullptr;
    if (!number.empty() && (rest.empty() || is_unit)) {
      p.nominal = {checked_number(field, number)};
      if (is_unit) set_suffix(field, std::string(rest), p, unit);
      return;
    }
    if (!number.empty() && !has_operator(rest.substr(0, 2)))
      field.fail(fmt::format("'{}' is not a unit: there are {}", rest, known_units()));
    read_expression(field, text, p, unit);
  }

  static double checked_number(const Field& field, std::string_view text) {
    const ParsedNumber parsed = parse_number(text);
    if (parsed.status != NumberStatus::ok || std::abs(parsed.value) > magnitude_of(kNumber).max)
      field.fail(fmt::format("'{}' is not a number from {:g} to {:g}", text, -magnitude_of(kNumber).max,
                             magnitude_of(kNumber).max));
    return parsed.value;
  }

  static void set_suffix(const Field& field, const std::string& name, SceneParameter& p,
                         std::optional<Unit>& unit) {
    if (!p.unit.empty()) field.fail(fmt::format("has a unit beside 'unit: {}': keep one of the two", p.unit));
    set_unit(field, name, p, unit);
  }

  static void read_tolerance(const Field& field, std::pair<std::string_view, std::string_view> parts,
                             SceneParameter& p, std::optional<Unit>& unit) {
    const auto [nominal, rest] = split_number(parts.first);
    const auto [deviation, name] = split_number(parts.second);
    if (nominal.empty() || deviation.empty() || !rest.empty())
      field.fail(
          fmt::format("{} is not a tolerance: it must be as in 20.00 ± 0.02 mm", field.display_text()));
    if (p.varies()) field.fail("a tolerance beside a distribution: keep one of the two");
    p.kind = DistributionKind::tolerance;
    p.arguments = {checked_number(field, nominal), checked_number(field, deviation)};
    p.nominal = {p.arguments[0]};
    if (!(p.arguments[1] > 0))
      field.fail(fmt::format("{:g} is an impossible tolerance: it must be > 0", p.arguments[1]));
    if (!name.empty()) set_suffix(field, std::string(name), p, unit);
  }

  void read_expression(const Field& field, const std::string& text, SceneParameter& p,
                       std::optional<Unit>& unit) {
    bool has_names = false;
    const auto amount_of_name = [&](std::string_view name) {
      has_names = true;
      if (const auto found = index_.find(name.substr(0, name.find('.'))); found != index_.end()) {
        resolve(found->second);
        return values_.amount(name);
      }
      std::vector<std::string_view> known(names_.begin(), names_.end());
      throw Error(fmt::format("there is no parameter '{}'{}", name, hint(name, known, "there are")));
    };
    Amount amount;
    try {
      amount = evaluate(text, amount_of_name);
    } catch (const SceneError&) {
      throw;
    } catch (const Error& error) {
      field.fail(fmt::format("{}: {}; {}", field.display_text(), error.what(), kForms));
    }
    p.nominal = {amount.value};
    if (!has_names) return;  // a number, such as 1/3
    if (!p.unit.empty() || p.varies())
      field.fail(
          "an expression of parameters is in SI units and varies with them: it stands alone, or with 'value' "
          "only");
    p.expression = text;
    p.value = p.nominal;
    unit = amount.is_literal ? std::nullopt : amount.unit;
  }

  const DeclaredUnits& declared_;
  Scene& scene_;
  std::vector<std::string> names_;
  std::vector<Field> fields_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> path_;
  Parameters values_;
};

}  // namespace

DeclaredUnits declared_units(const YamlNode& root) {
  DeclaredUnits units;
  const YamlNode* section = root.find("parameters");
  if (section == nullptr || section->kind != YamlNode::Kind::map) return units;
  for (std::size_t i = 0; i < section->keys.size(); ++i) {
    const YamlNode& node = section->items[i];
    const YamlNode* unit = node.find("unit");
    if (unit != nullptr && unit->kind == YamlNode::Kind::scalar) units[section->keys[i].text] = unit->text;
    if (node.kind == YamlNode::Kind::scalar && !unit_in(node.text).empty())
      units[section->keys[i].text] = unit_in(node.text);
  }
  return units;
}

Parameters read_parameters(const Field& field, const DeclaredUnits& declared, Scene& scene) {
  return ParameterReader(field, declared, scene).read();
}

}  // namespace pawl::internal
