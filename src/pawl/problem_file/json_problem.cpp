#include "json_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <pawl/base/atomic_write.h>
#include <pawl/error.h>
#include <pawl/json/json.h>
#include <pawl/linalg/dense.h>
#include <pawl/problem/delassus.h>

#include "matrix_entries.h"

namespace pawl::internal {
namespace {

constexpr const char* kFormat = "pawl-contact-problem";
constexpr int kVersion = 2;
constexpr int kMaxBlockRows = 1000;      // limits the problem size that a short file can claim
constexpr int kMaxRows = 1'000'000'000;  // fits an int

/// A JSON value and its name in messages, such as "W[3].values".
class Entry {
 public:
  /// The value is nullptr if it is missing.
  Entry(const Json* value, std::string name, const std::string& file)
      : value_(value), name_(std::move(name)), file_(file) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(fmt::format("{}: {} {}", file_, name_, reason));
  }
  [[noreturn]] void refuse(const std::string& wanted) const {
    std::string text = value_ == nullptr ? "missing" : value_->dump(-1, true);
    constexpr std::size_t kLongest = 40;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
    fail(fmt::format("must be {}; it is {}", wanted, text));
  }
  bool has(const char* key) const { return value_ != nullptr && value_->contains(key); }
  Entry operator[](const char* key) const {
    const std::string name = name_.empty() ? key : name_ + "." + key;
    return {value_ != nullptr ? value_->find(key) : nullptr, name, file_};
  }
  Entry operator[](std::size_t k) const { return {&(*value_)[k], fmt::format("{}[{}]", name_, k), file_}; }
  std::size_t size() const {
    if (value_ == nullptr || !value_->is_array()) refuse("a list");
    return value_->size();
  }
  std::size_t size(std::size_t wanted) const {
    if (size() != wanted) fail(fmt::format("must have {} entries, not {}", wanted, size()));
    return wanted;
  }
  double number() const {
    if (value_ == nullptr || !value_->is_number() || !std::isfinite(value_->number()))
      refuse("a finite number");
    return value_->number();
  }
  /// Requires x > low, or x ≥ low if `or_equal`.
  double number_above(double low, bool or_equal) const {
    const double x = number();
    if (!(x > low) && !(or_equal && x == low))
      refuse(fmt::format("{} {}", or_equal ? "at least" : "above", low));
    return x;
  }
  int integer(long long low, long long high) const {
    const std::optional<std::int64_t> value = value_ != nullptr ? value_->integer() : std::nullopt;
    if (!value || *value < low || *value > high) {
      refuse(fmt::format("a whole number from {} to {}", low, high));
    }
    return static_cast<int>(*value);
  }
  std::string text() const {
    if (value_ == nullptr || !value_->is_string()) refuse("a word");
    return value_->text();
  }
  std::vector<double> numbers(std::size_t count) const {
    std::vector<double> out;
    for (std::size_t k = 0; k < size(count); ++k) out.push_back((*this)[k].number());
    return out;
  }

 private:
  const Json* value_;
  std::string name_;
  const std::string& file_;
};

FrictionSet read_friction(const Entry& entry, int rows, std::deque<FrictionPolyhedron>& polyhedra) {
  FrictionSet set;
  const std::string kind = entry["kind"].text();
  const auto& names = kFrictionKindNames;
  const auto found = std::ranges::find(names, kind);
  if (found == names.end()) {
    entry["kind"].refuse(
        fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back()));
  }
  set.kind = static_cast<FrictionKind>(found - names.begin());
  if (set.kind == FrictionKind::none) return set;
  if (rows == 0) entry["kind"].refuse("none, as the contact has no friction rows");
  if (needs_spin(set.kind) && rows != 3) {
    entry["kind"].fail(
        fmt::format("can't be {}, as the contact has {} friction rows and not t, o and r", kind, rows));
  }
  set.mu = entry["mu"].number_above(0, true);
  const Entry radii = entry["radii"];
  for (std::size_t k = 0; k < radii.size(3); ++k) set.radii[k] = radii[k].number_above(0, false);
  if (set.kind != FrictionKind::polyhedron) return set;

  const Entry list = entry["directions"];
  std::vector<FrictionVector> directions;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::vector<double> d = list[k].numbers(3);
    for (int i = rows; i < 3; ++i) {
      if (d[i] != 0) list[k][i].refuse(fmt::format("0, as the contact has {} friction rows", rows));
    }
    directions.push_back({d[0], d[1], d[2]});
  }
  try {
    polyhedra.emplace_back(std::move(directions));
  } catch (const Error& error) {
    list.fail(fmt::format("are no polyhedron: {}", error.what()));
  }
  set.polyhedron = &polyhedra.back();
  if (set.polyhedron->dimensions() != rows) {
    list.fail(fmt::format("span {} dimensions; they must span the contact's {} friction rows",
                          set.polyhedron->dimensions(), rows));
  }
  return set;
}

void read_delassus(const Entry& list, ContactProblem& problem) {
  std::vector<MatrixEntries::Entry> entries;
  std::vector<std::pair<int, int>> positions;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const int row = list[k]["row"].integer(0, problem.blocks() - 1);
    const int column = list[k]["column"].integer(0, problem.blocks() - 1);
    const int rows = problem.size_of(row), columns = problem.size_of(column);
    const std::vector<double> values = list[k]["values"].numbers(static_cast<std::size_t>(rows) * columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        entries.push_back({problem.begin[row] + i, problem.begin[column] + j, values[i * columns + j]});
      }
    }
    positions.emplace_back(row, column);
  }
  std::ranges::sort(positions);
  if (const auto twice = std::ranges::adjacent_find(positions); twice != positions.end()) {
    list.fail(fmt::format("has the block of row {} and column {} twice", twice->first, twice->second));
  }
  for (int i = 0; i < problem.blocks(); ++i) {
    if (!std::ranges::binary_search(positions, std::pair(i, i))) {
      list.fail(fmt::format("must have every block of the diagonal; that of row {} is missing", i));
    }
  }
  problem.W = to_blocks(entries, problem.begin);
}

void read_primal(const Entry& entry, ContactProblem& problem) {
  PrimalData& motion = problem.motion;
  const Entry mass = entry["mass"];
  int dofs = 0;
  if (mass.size() == 0) mass.refuse("a list of one block or more");
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const Entry values = mass[k]["values"];
    const int size = mass[k]["size"].integer(1, static_cast<long long>(values.size()));
    motion.mass_blocks.push_back({dofs, size, static_cast<int>(motion.mass.size())});
    const std::vector<double> M = values.numbers(static_cast<std::size_t>(size) * size);
    motion.mass.insert(motion.mass.end(), M.begin(), M.end());
    motion.factor.insert(motion.factor.end(), M.begin(), M.end());
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < i; ++j) {
        if (M[i * size + j] != M[j * size + i]) values.fail("must be symmetric");
      }
    }
    if (!cholesky(std::span(motion.factor).last(M.size()), size)) values.fail("must be positive definite");
    dofs += size;
  }
  const Entry jacobian = entry["jacobian"];
  std::pair<int, int> last(-1, -1);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const std::pair position(
        jacobian[k]["block"].integer(0, problem.blocks() - 1),
        jacobian[k]["mass"].integer(0, static_cast<long long>(motion.mass_blocks.size()) - 1));
    if (position <= last)
      jacobian[k].fail("must come after the entry before it: by block, then by mass, each once");
    last = position;
    motion.jacobian_blocks.push_back(
        {position.first, position.second, static_cast<int>(motion.jacobian.size())});
    const std::size_t rows = problem.size_of(position.first);
    const std::vector<double> J =
        jacobian[k]["values"].numbers(rows * motion.mass_blocks[position.second].size);
    motion.jacobian.insert(motion.jacobian.end(), J.begin(), J.end());
  }
  motion.v_free = entry["v_free"].numbers(dofs);
  if (entry.has("shift")) motion.shift = entry["shift"].numbers(problem.rows());
  if (entry.has("compliance")) {
    motion.compliance = entry["compliance"].numbers(problem.rows());
    if (std::ranges::any_of(motion.compliance, [](double c) { return c < 0; }))
      entry["compliance"].fail("must not be negative");
  }
  set_free_velocities(problem);
}

Json blocks_of(const BlockMatrix& W) {
  Json list = Json::array();
  for (int i = 0; i < W.blocks(); ++i) {
    for (const auto& block : W.row_entries(i)) {
      const auto first = W.values.begin() + static_cast<std::ptrdiff_t>(block.offset);
      list.push_back(
          {{"column", block.column},
           {"row", i},
           {"values", std::vector<double>(first, first + W.size_of(i) * W.size_of(block.column))}});
    }
  }
  return list;
}

Json motion_of(const ContactProblem& problem) {
  const PrimalData& motion = problem.motion;
  Json mass = Json::array(), jacobian = Json::array();
  for (const auto& block : motion.mass_blocks) {
    const auto first = motion.mass.begin() + block.offset;
    mass.push_back(
        {{"size", block.size}, {"values", std::vector<double>(first, first + block.size * block.size)}});
  }
  for (const auto& block : motion.jacobian_blocks) {
    const auto first = motion.jacobian.begin() + block.offset;
    const int count = problem.size_of(block.block) * motion.mass_blocks[block.mass_block].size;
    jacobian.push_back({{"block", block.block},
                        {"mass", block.mass_block},
                        {"values", std::vector<double>(first, first + count)}});
  }
  Json out{{"jacobian", jacobian}, {"mass", mass}};
  if (!motion.compliance.empty()) out["compliance"] = motion.compliance;
  if (!motion.shift.empty()) out["shift"] = motion.shift;
  out["v_free"] = motion.v_free;
  return out;
}

}  // namespace

StoredContactProblem parse_json(std::string_view text, const std::string& name) {
  JsonError error;
  const std::optional<Json> json = Json::parse(text, &error);
  if (!json && error.number_too_large) {
    throw Error(fmt::format("{}: holds a number that is too large for a double", name));
  }
  if (!json) {
    const std::string_view before = text.substr(0, error.bytes > 0 ? error.bytes - 1 : 0);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw Error(fmt::format("{}:{}:{}: is not JSON from here on, or was cut off", name, line, column));
  }
  const Entry root(&*json, "", name);
  if ((*json)["format"].text() != kFormat) root["format"].refuse(fmt::format("\"{}\"", kFormat));
  if ((*json)["version"].number() != kVersion) {
    root["version"].refuse(
        fmt::format("{}; files of version 1 are no longer read, write them again", kVersion));
  }
  StoredContactProblem stored;
  ContactProblem& problem = stored.problem;
  stored.tolerance = root["tolerance"].number_above(0, false);
  if (!(stored.tolerance < 1)) root["tolerance"].refuse("below 1");

  const Entry blocks = root["blocks"];
  problem.contacts = root["contacts"].integer(0, static_cast<long long>(blocks.size()));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const bool is_contact = k < static_cast<std::size_t>(problem.contacts);
    const int rows = blocks[k].integer(1, is_contact ? kContactRows : kMaxBlockRows);
    if (rows > kMaxRows - problem.begin.back()) blocks.fail("make too many rows");
    problem.begin.push_back(problem.begin.back() + rows);
  }
  problem.zeta = root["zeta"].numbers(problem.contacts);
  if (root.has("speed_scale")) problem.speed_scale = root["speed_scale"].number_above(0, true);
  const Entry friction = root["friction"];
  friction.size(problem.contacts);
  for (int c = 0; c < problem.contacts; ++c) {
    problem.friction.push_back(read_friction(friction[c], problem.friction_rows(c), stored.polyhedra));
  }
  if (root.has("motion") == root.has("W")) root["W"].fail("or motion must be there, and not both");
  if (root.has("motion")) {
    read_primal(root["motion"], problem);
  } else {
    problem.b = root["b"].numbers(problem.rows());
    read_delassus(root["W"], problem);
  }
  return stored;
}

}  // namespace pawl::internal

namespace pawl {

using namespace internal;

void write_problem(const std::string& path, const ContactProblem& problem, double tolerance) {
  Json blocks = Json::array();
  for (int i = 0; i < problem.blocks(); ++i) blocks.push_back(problem.size_of(i));
  Json friction = Json::array();
  for (const FrictionSet& set : problem.friction) {
    Json entry;
    if (set.kind == FrictionKind::polyhedron) entry["directions"] = set.polyhedron->directions();
    entry["kind"] = to_string(set.kind);
    if (set.kind != FrictionKind::none) {
      entry["mu"] = set.mu;
      entry["radii"] = set.radii;
    }
    friction.push_back(std::move(entry));
  }
  Json root;
  if (!problem.primal()) {
    root["W"] = blocks_of(problem.W);
    root["b"] = problem.b;
  }
  root.update(
      {{"blocks", blocks}, {"contacts", problem.contacts}, {"format", kFormat}, {"friction", friction}});
  if (problem.primal()) root["motion"] = motion_of(problem);
  if (problem.speed_scale > 0) root["speed_scale"] = problem.speed_scale;
  root.update({{"tolerance", tolerance}, {"version", kVersion}, {"zeta", problem.zeta}});
  write_text(path, root.dump() + '\n');
}

}  // namespace pawl
