#include "table.h"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::internal::cli {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const auto& row : rows_) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], display_width(row[i]));
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += "  " + row[i] + std::string(width[i] - display_width(row[i]), ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    line(rows_[i]);
    if (i == 0 && has_header_) {
      std::vector<std::string> rule;
      for (const std::size_t w : width) rule.emplace_back(w, '-');
      line(rule);
    }
  }
  return out;
}

std::string pluralize(long long count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string json_text(const Json& json) {
  return json.dump(2) + '\n';
}

std::string vector_text(const Vec3& v, bool planar) {
  return planar ? fmt::format("({:.6g}, {:.6g})", v.x, v.y)
                : fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z);
}

Json vector_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

}  // namespace pawl::internal::cli
