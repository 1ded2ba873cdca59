#include <draw/figure.h>

#include <cairo/cairo-pdf.h>
#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <draw/ticks.h>
#include <pawl/base/atomic_write.h>
#include <pawl/error.h>

namespace pawl::internal {
namespace {

struct Colour {
  double r, g, b;
};
constexpr Colour hex(unsigned rgb) {
  return {(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
}
constexpr Colour kTextColour = hex(0x222222), kMutedColour = hex(0x6b6b6b), kGrid = hex(0xe4e4e4),
                 kFrame = hex(0x9a9a9a);
// Distinguishable for colour-blind readers.
constexpr std::array kPalette{hex(0x0072b2), hex(0xd55e00), hex(0x009e73), hex(0x8b5fbf),
                              hex(0xe69f00), hex(0x1a1a1a), hex(0xd1007a)};
constexpr std::array<std::array<double, 2>, 4> kDashes{{{0, 0}, {7, 4}, {2, 3}, {12, 4}}};

// px
constexpr double kLeft = 86, kLegend = 196, kTop = 12, kTitle = 26, kTickLabels = 20, kLabel = 26;
constexpr double kPngScale = 2;
constexpr double kPdfWidth = 455;         // pt, 160 mm
constexpr double kPointsPerPixel = 0.75;  // labels of 11 to 13 px have 8 to 10 pt in PDF

/// Position of the axes of a panel on the sheet.
struct Frame {
  double left, top, right, bottom;
  AxisRange x, y;

  double px(double value) const { return left + (right - left) * x.to_fraction(value); }
  double py(double value) const { return bottom - (bottom - top) * y.to_fraction(value); }
};

struct TextPart {
  std::string text;
  bool raised = false;
};

/// Exponents as raised digits: the fonts of papers have no ⁴ to ⁹.
std::vector<TextPart> parts_of(const std::string& label) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRaised{{{"⁰", "0"},
                                                                                          {"¹", "1"},
                                                                                          {"²", "2"},
                                                                                          {"³", "3"},
                                                                                          {"⁴", "4"},
                                                                                          {"⁵", "5"},
                                                                                          {"⁶", "6"},
                                                                                          {"⁷", "7"},
                                                                                          {"⁸", "8"},
                                                                                          {"⁹", "9"},
                                                                                          {"⁻", "−"}}};
  std::vector<TextPart> parts;
  for (std::size_t at = 0; at < label.size();) {
    std::string_view rest = std::string_view(label).substr(at), written = rest.substr(0, 1);
    bool raised = false;
    for (const auto& [from, to] : kRaised) {
      if (!rest.starts_with(from)) continue;
      written = to;
      raised = true;
      at += from.size() - 1;
    }
    ++at;
    if (parts.empty() || parts.back().raised != raised) parts.push_back({"", raised});
    parts.back().text += written;
  }
  return parts;
}

enum class Anchor { start, middle, end };

class Canvas {
 public:
  Canvas(cairo_surface_t* surface, const std::string& font) : cairo_(cairo_create(surface)) {
    cairo_select_font_face(cairo_, font.c_str(), CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }
  ~Canvas() { cairo_destroy(cairo_); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void draw(const Figure& figure) {
    set_colour({1, 1, 1});
    cairo_paint(cairo_);
    double top = kTop;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      const Panel& panel = figure.panels[i];
      const bool numbers = has_tick_labels(figure, i);
      top += panel.title.empty() ? 0 : kTitle;
      Frame frame{
          kLeft,         top, figure.width - kLegend, top + figure.panel_height, x_range(figure, panel),
          y_range(panel)};
      draw_panel(panel, frame, numbers);
      top += figure.panel_height + (numbers ? kTickLabels + kLabel : 12);
    }
  }

  static double height(const Figure& figure) {
    double height = kTop;
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      height += (figure.panels[i].title.empty() ? 0 : kTitle) + figure.panel_height +
                (has_tick_labels(figure, i) ? kTickLabels + kLabel : 12);
    }
    return height;
  }

 private:
  static bool has_tick_labels(const Figure& figure, std::size_t panel) {
    return panel + 1 == figure.panels.size() ||
           figure.panels[panel + 1].x.label != figure.panels[panel].x.label;
  }

  static AxisRange with_limits(AxisRange range, const Axis& axis) {
    if (axis.low) range.low = *axis.low;
    if (axis.high) range.high = *axis.high;
    return range;
  }

  static AxisRange x_range(const Figure& figure, const Panel& panel) {
    std::vector<const std::vector<double>*> values;
    for (const Panel& other : figure.panels) {
      if (other.x.label != panel.x.label) continue;
      for (const PlotCurve& curve : other.curves) values.push_back(&curve.x);
    }
    return with_limits(range_of(values, panel.x.logarithmic), panel.x);
  }

  static AxisRange y_range(const Panel& panel) {
    std::vector<const std::vector<double>*> values;
    for (const PlotCurve& curve : panel.curves) values.push_back(&curve.y);
    const std::vector<double> reference_line =
        panel.reference_line ? std::vector<double>{panel.reference_line->y} : std::vector<double>{};
    values.push_back(&reference_line);
    return with_limits(range_of(values, panel.y.logarithmic), panel.y);
  }

  void draw_panel(const Panel& panel, const Frame& frame, bool numbers) {
    if (!panel.title.empty()) text(frame.left, frame.top - 8, panel.title, Anchor::start, 13, kTextColour);
    draw_axes(panel, frame, numbers);
    cairo_save(cairo_);
    cairo_rectangle(cairo_, frame.left, frame.top - 1, frame.right - frame.left,
                    frame.bottom - frame.top + 2);
    cairo_clip(cairo_);
    if (panel.reference_line) draw_reference_line(*panel.reference_line, frame);
    for (const PlotCurve& curve : panel.curves) draw_curve(curve, frame);
    cairo_restore(cairo_);
    draw_legend(panel, frame);
  }

  void draw_axes(const Panel& panel, const Frame& frame, bool numbers) {
    for (const Tick& tick : ticks_of(frame.x, 8)) {
      const double x = frame.px(tick.value);
      line(x, frame.top, x, frame.bottom, kGrid);
      if (!numbers) continue;
      line(x, frame.bottom, x, frame.bottom + 4, kFrame);
      text(x, frame.bottom + 17, tick.text, Anchor::middle, 11, kTextColour);
    }
    const int wanted = std::max(2, static_cast<int>((frame.bottom - frame.top) / 38));
    for (const Tick& tick : ticks_of(frame.y, wanted)) {
      const double y = frame.py(tick.value);
      line(frame.left, y, frame.right, y, kGrid);
      line(frame.left - 4, y, frame.left, y, kFrame);
      text(frame.left - 8, y + 4, panel.y.percent ? fmt::format("{:.0f} %", 100 * tick.value) : tick.text,
           Anchor::end, 11, kTextColour);
    }
    set_colour(kFrame);
    cairo_set_line_width(cairo_, 1);
    cairo_rectangle(cairo_, frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
    cairo_stroke(cairo_);
    if (numbers)
      text(0.5 * (frame.left + frame.right), frame.bottom + 37, panel.x.label, Anchor::middle, 12,
           kTextColour);
    cairo_save(cairo_);
    cairo_translate(cairo_, 18, 0.5 * (frame.top + frame.bottom));
    cairo_rotate(cairo_, -0.5 * std::numbers::pi);
    text(0, 0, panel.y.label, Anchor::middle, 12, kTextColour);
    cairo_restore(cairo_);
  }

  void draw_reference_line(const ReferenceLine& reference_line, const Frame& frame) {
    const double y = frame.py(reference_line.y);
    if (!std::isfinite(y)) return;
    const std::array<double, 2> dash{5, 4};
    cairo_set_dash(cairo_, dash.data(), 2, 0);
    line(frame.left, y, frame.right, y, kMutedColour);
    cairo_set_dash(cairo_, nullptr, 0, 0);
    text(frame.right - 6, y + 14, reference_line.label, Anchor::end, 11, kMutedColour);
  }

  void set_line_style(const PlotCurve& curve) {
    set_colour(kPalette[static_cast<std::size_t>(curve.colour) % kPalette.size()]);
    cairo_set_line_width(cairo_, 1.6);
    const auto& dash = kDashes[static_cast<std::size_t>(curve.dash) % kDashes.size()];
    if (dash[0] > 0) cairo_set_dash(cairo_, dash.data(), 2, 0);
  }

  void draw_curve(const PlotCurve& curve, const Frame& frame) {
    set_line_style(curve);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
    bool drawing = false;
    double last_y = 0;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const double x = frame.px(curve.x[i]), y = frame.py(curve.y[i]);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        drawing = false;
        continue;
      }
      if (!drawing) {
        cairo_move_to(cairo_, x, y);
      } else {
        if (curve.steps) cairo_line_to(cairo_, x, last_y);
        cairo_line_to(cairo_, x, y);
      }
      drawing = true;
      last_y = y;
    }
    if (curve.steps && drawing) cairo_line_to(cairo_, frame.right, last_y);
    cairo_stroke(cairo_);
    cairo_set_dash(cairo_, nullptr, 0, 0);
  }

  void draw_legend(const Panel& panel, const Frame& frame) {
    if (panel.curves.size() < 2 && (panel.curves.empty() || panel.curves[0].label.empty())) return;
    double y = frame.top + 12;
    std::size_t left = panel.curves.size();
    for (const PlotCurve& curve : panel.curves) {
      if (y + 16 > frame.bottom && left > 1) {
        text(frame.right + 44, y + 4, fmt::format("… and {} more", left), Anchor::start, 11, kMutedColour);
        return;
      }
      --left;
      set_line_style(curve);
      cairo_move_to(cairo_, frame.right + 14, y);
      cairo_line_to(cairo_, frame.right + 38, y);
      cairo_stroke(cairo_);
      cairo_set_dash(cairo_, nullptr, 0, 0);
      text(frame.right + 44, y + 4, ellipsize(curve.label, kLegend - 50, 11), Anchor::start, 11, kTextColour);
      y += 16;
      if (curve.note.empty()) continue;
      text(frame.right + 44, y + 2, curve.note, Anchor::start, 10, kMutedColour);
      y += 16;
    }
  }

  /// Shortens the label with an ellipsis if it is wider than `max_width`.
  std::string ellipsize(const std::string& label, double max_width, double size) {
    cairo_set_font_size(cairo_, size);
    std::string shown = label;
    for (std::size_t length = label.size(); length > 0 && width(shown) > max_width;) {
      do --length;
      while (length > 0 && (label[length] & 0xc0) == 0x80);  // not inside a UTF-8 character
      shown = label.substr(0, length) + "…";
    }
    return shown;
  }

  /// Width at the font size that is set.
  double width(const std::string& label) {
    double sum = 0;
    for_parts(label, [&](const std::string& part) {
      cairo_text_extents_t extents;
      cairo_text_extents(cairo_, part.c_str(), &extents);
      sum += extents.x_advance;
      cairo_rel_move_to(cairo_, extents.x_advance, 0);
    });
    return sum;
  }

  /// Calls draw(part) for the plain and the raised parts of a text, with the font size and height of each.
  template <class Draw>
  void for_parts(const std::string& label, const Draw& draw) {
    cairo_matrix_t normal;
    cairo_get_font_matrix(cairo_, &normal);
    cairo_new_path(cairo_);
    cairo_move_to(cairo_, 0, 0);
    for (const TextPart& part : parts_of(label)) {
      const double raise = part.raised ? -0.36 * normal.yy : 0;
      if (part.raised) cairo_set_font_size(cairo_, 0.72 * normal.yy);
      cairo_rel_move_to(cairo_, 0, raise);
      draw(part.text);
      cairo_rel_move_to(cairo_, 0, -raise);
      cairo_set_font_matrix(cairo_, &normal);
    }
    cairo_new_path(cairo_);
  }

  void set_colour(const Colour& colour) { cairo_set_source_rgb(cairo_, colour.r, colour.g, colour.b); }

  void line(double x1, double y1, double x2, double y2, const Colour& colour) {
    set_colour(colour);
    cairo_set_line_width(cairo_, 1);
    cairo_move_to(cairo_, x1, y1);
    cairo_line_to(cairo_, x2, y2);
    cairo_stroke(cairo_);
  }

  void text(double x, double y, const std::string& label, Anchor anchor, double size, const Colour& colour) {
    set_colour(colour);
    cairo_set_font_size(cairo_, size);
    const double shift = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? 0.5 : 1;
    cairo_save(cairo_);
    cairo_translate(cairo_, x - shift * width(label), y);
    for_parts(label, [&](const std::string& part) { cairo_show_text(cairo_, part.c_str()); });
    cairo_restore(cairo_);
  }

  cairo_t* cairo_;
};

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) throw Error(cairo_status_to_string(status));
}

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

void draw_svg(const Figure& figure, const std::string& path) {
  const Surface surface(cairo_svg_surface_create(path.c_str(), figure.width, Canvas::height(figure)),
                        cairo_surface_destroy);
  check(cairo_surface_status(surface.get()));
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  Canvas(surface.get(), figure.font).draw(figure);
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
}

/// As wide as the text of a page, to be included without scaling.
void draw_pdf(const Figure& figure, const std::string& path) {
  Figure page = figure;
  page.width = kPdfWidth / kPointsPerPixel;
  const Surface surface(
      cairo_pdf_surface_create(path.c_str(), kPdfWidth, kPointsPerPixel * Canvas::height(page)),
      cairo_surface_destroy);
  check(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), kPointsPerPixel, kPointsPerPixel);
  Canvas(surface.get(), page.font).draw(page);
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
}

void draw_png(const Figure& figure, const std::string& path) {
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(kPngScale * figure.width)),
                                 static_cast<int>(std::ceil(kPngScale * Canvas::height(figure)))),
      cairo_surface_destroy);
  check(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), kPngScale, kPngScale);
  Canvas(surface.get(), figure.font).draw(figure);
  check(cairo_surface_write_to_png(surface.get(), path.c_str()));
}

}  // namespace

void check_figure_path(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".svg" && ending != ".pdf" && ending != ".png")
    throw Error(fmt::format("{}: a figure is .svg, .pdf or .png", path));
}

void draw_figure(const Figure& figure, const std::string& path) {
  check_figure_path(path);
  write_atomically(path, [&](const std::string& temporary_path) {
    const auto draw = path.ends_with(".svg") ? draw_svg : path.ends_with(".pdf") ? draw_pdf : draw_png;
    draw(figure, temporary_path);
  });
}

}  // namespace pawl::internal
