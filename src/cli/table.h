#pragma once
// Tables with aligned columns, and other text formatting.

#include <string>
#include <vector>

#include <pawl/json/json.h>
#include <pawl/math.h>

namespace pawl::internal::cli {

class Table {
 public:
  /// The first row is a header if `has_header`.
  explicit Table(bool has_header = false) : has_header_(has_header) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() <= (has_header_ ? 1U : 0U); }
  /// Every line starts with two spaces; columns are two spaces apart.
  std::string text() const;

 private:
  bool has_header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Terminal columns of a UTF-8 text, counting one column per character.
std::size_t display_width(const std::string& text);

/// "1 contact", "2 contacts".
std::string pluralize(long long count, const std::string& noun);

/// For JSON output; invalid UTF-8 bytes, for example in file names, become �.
std::string json_text(const Json& json);

/// "(1, 2, 3)", in a planar model "(1, 2)", to six digits.
std::string vector_text(const Vec3& v, bool planar);
/// [1, 2, 3], also in a planar model.
Json vector_json(const Vec3& v);

/// 12.3 µs, 4.56 ms or 7.89 s.
std::string duration_text(double seconds);

}  // namespace pawl::internal::cli
