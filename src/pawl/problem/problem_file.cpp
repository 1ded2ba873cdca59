#include <pawl/problem/problem_file.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <pawl/base/error.h>

namespace pawl {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "pawl-contact-problem";
constexpr int kVersion = 1;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(fmt::format("{}: can't be opened", path));
    root_ = Json::parse(in, nullptr, false);
    if (root_.is_discarded()) fail("", "is not JSON, or was cut off");
    if (!root_.is_object() || root_.value("format", Json()) != kFormat) {
      fail("format", fmt::format("must be \"{}\"", kFormat));
    }
    if (root_.value("version", Json()) != kVersion) fail("version", fmt::format("must be {}", kVersion));
  }

  [[noreturn]] void fail(const std::string& entry, const std::string& reason) const {
    throw Error(fmt::format("{}: {}{}{}", path_, entry, entry.empty() ? "" : " ", reason));
  }

  int integer(const char* key, int low, int high) const {
    const Json value = root_.value(key, Json());
    if (!value.is_number_integer() || value.get<long long>() < low || value.get<long long>() > high) {
      fail(key, fmt::format("must be a whole number from {} to {}", low, high));
    }
    return value.get<int>();
  }

  /// A number between 0 and 1, both excluded.
  double share(const char* key, double otherwise) const {
    const Json value = root_.value(key, Json(otherwise));
    if (!value.is_number() || !(value.get<double>() > 0) || !(value.get<double>() < 1)) {
      fail(key, "must be a number between 0 and 1, both excluded");
    }
    return value.get<double>();
  }

  std::vector<double> numbers(const Json& list, const std::string& entry, std::size_t size) const {
    if (!list.is_array() || list.size() != size)
      fail(entry, fmt::format("must be a list of {} numbers", size));
    std::vector<double> out;
    for (const Json& value : list) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) {
        fail(fmt::format("{}[{}]", entry, out.size()), "must be a finite number");
      }
      out.push_back(value.get<double>());
    }
    return out;
  }

  Json list(const char* key) const { return root_.value(key, Json()); }

 private:
  std::string path_;
  Json root_;
};

}  // namespace

void write_problem(const std::string& path, const ContactProblem& problem, double tolerance) {
  const int n = problem.rows();
  Json root{
      {"format", kFormat},      {"version", kVersion}, {"dim", problem.dim},  {"contacts", problem.contacts},
      {"tolerance", tolerance}, {"b", problem.b},      {"zeta", problem.zeta}};
  Json W = Json::array();
  for (int i = 0; i < n; ++i)
    W.push_back(std::vector<double>(problem.W.begin() + i * n, problem.W.begin() + (i + 1) * n));
  root["W"] = std::move(W);
  Json friction = Json::array();
  for (const FrictionSet& set : problem.friction) {
    Json entry{{"mu", set.mu}};
    if (set.polygon != nullptr) entry["directions"] = set.polygon->directions();
    friction.push_back(std::move(entry));
  }
  root["friction"] = std::move(friction);

  const std::string aside = path + ".part";
  std::ofstream out(aside, std::ios::binary);
  out << root.dump() << '\n';
  out.close();
  if (!out) {
    std::remove(aside.c_str());
    throw Error(fmt::format("{}: can't be written", path));
  }
  std::error_code failed;
  std::filesystem::rename(aside, path, failed);
  if (failed) {
    std::remove(aside.c_str());
    throw Error(fmt::format("{}: {}", path, failed.message()));
  }
}

StoredProblem read_problem(const std::string& path) {
  const Reader reader(path);
  StoredProblem stored;
  ContactProblem& problem = stored.problem;
  problem.dim = reader.integer("dim", 2, 3);
  problem.contacts = reader.integer("contacts", 0, 10000);
  stored.tolerance = reader.share("tolerance", stored.tolerance);
  const std::size_t n = problem.rows(), contacts = problem.contacts;
  problem.b = reader.numbers(reader.list("b"), "b", n);
  problem.zeta = reader.numbers(reader.list("zeta"), "zeta", contacts);
  const Json W = reader.list("W");
  if (!W.is_array() || W.size() != n) reader.fail("W", fmt::format("must have {} rows", n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = reader.numbers(W[i], fmt::format("W[{}]", i), n);
    problem.W.insert(problem.W.end(), row.begin(), row.end());
  }
  const Json friction = reader.list("friction");
  if (!friction.is_array() || friction.size() != contacts) {
    reader.fail("friction", fmt::format("must have {} entries", contacts));
  }
  for (std::size_t c = 0; c < contacts; ++c) {
    const std::string entry = fmt::format("friction[{}]", c);
    const Json& set = friction[c];
    const Json mu = set.is_object() ? set.value("mu", Json()) : Json();
    if (!mu.is_number() || !(mu.get<double>() >= 0) || !std::isfinite(mu.get<double>())) {
      reader.fail(entry + ".mu", "must be a finite number >= 0");
    }
    const FrictionPolygon* polygon = nullptr;
    if (set.contains("directions")) {
      std::vector<FrictionPolygon::Vec2> directions;
      if (!set["directions"].is_array()) reader.fail(entry + ".directions", "must be a list");
      for (const Json& d : set["directions"]) {
        const auto pair = reader.numbers(d, entry + ".directions", 2);
        if (problem.dim == 2 && pair[1] != 0) {
          reader.fail(entry + ".directions", "must have 0 as their second entries in a planar problem");
        }
        directions.push_back({pair[0], pair[1]});
      }
      try {
        stored.polygons.emplace_back(std::move(directions));
      } catch (const Error& error) {
        reader.fail(entry + ".directions:", error.what());
      }
      polygon = &stored.polygons.back();
    }
    problem.friction.push_back({mu.get<double>(), polygon});
  }
  return stored;
}

}  // namespace pawl
