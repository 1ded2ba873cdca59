#pragma once
// Aligned columns for people.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pawl/math.h>

namespace pawl::internal::cli {

class Table {
 public:
  /// The first row is the heading where `has_header`.
  explicit Table(bool has_header = false) : has_header_(has_header) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() <= (has_header_ ? 1U : 0U); }
  /// Every line starts with two spaces; columns stand two apart.
  std::string text() const;

 private:
  bool has_header_;
  std::vector<std::vector<std::string>> rows_;
};

/// How many columns a UTF-8 text takes on a terminal (letters and signs of one column each).
std::size_t display_width(const std::string& text);

/// "1 contact", "2 contacts".
std::string pluralize(long long count, const std::string& noun);

/// For programs; names of files that are not UTF-8 get a � for each byte that is not.
std::string json_text(const nlohmann::ordered_json& json);

/// "(1, 2, 3)", of a planar world "(1, 2)", to six digits.
std::string vector_text(const Vec3& v, bool planar);
/// [1, 2, 3], in every world.
nlohmann::ordered_json vector_json(const Vec3& v);

/// 12.3 µs, 4.56 ms or 7.89 s.
std::string duration_text(double seconds);

}  // namespace pawl::internal::cli
