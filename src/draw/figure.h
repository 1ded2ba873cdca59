#pragma once
// Line plots for papers: light background, axes with units, as SVG, PDF or PNG.

#include <optional>
#include <string>
#include <vector>

namespace pawl::internal {

struct PlotCurve {
  std::string label;
  // Of equal length. NaN, and on a logarithmic axis values ≤ 0, break the line.
  std::vector<double> x, y;
  int colour = 0;      // index into the palette, which repeats
  int dash = 0;        // index into the dash patterns; 0: solid
  bool steps = false;  // each value holds until the next point
  std::string note{};  // second line under the label
};

struct Axis {
  std::string label;  // with unit
  bool logarithmic = false;
  bool percent = false;                 // 0 … 1 shown as 0 % … 100 %
  std::optional<double> low{}, high{};  // limits; from the curves if empty
};

/// A horizontal reference line.
struct ReferenceLine {
  double y = 0;
  std::string label;
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<PlotCurve> curves;
  std::optional<ReferenceLine> reference_line{};
};

/// Panels stacked vertically. Panels with the same x label share the x range; only the lowest of them has
/// tick labels.
struct Figure {
  std::vector<Panel> panels;
  double width = 760;                // px; a PDF is 455 pt wide, with labels of 8 to 10 pt
  double panel_height = 190;         // px, without title and labels
  std::string font = "DejaVu Sans";  // a family that the system has; else it takes another
};

/// Throws Error unless the path ends in .svg, .pdf or .png. Call it before long work.
void check_figure_path(const std::string& path);

/// The extension selects the format: .svg, .pdf, or .png at twice the size. Written atomically. Throws Error.
void draw_figure(const Figure& figure, const std::string& path);

}  // namespace pawl::internal
