#pragma once
// Curves over axes, drawn for papers: light, with units, as SVG or PNG.

#include <optional>
#include <string>
#include <vector>

namespace pawl::internal {

struct PlotCurve {
  std::string label;
  std::vector<double> x,
      y;               // of one length; what is no number, and on a log axis what is not > 0, breaks the line
  int colour = 0;      // a number in the palette, which repeats
  int dash = 0;        // 0: none
  bool steps = false;  // each value holds until the next
  std::string note{};  // a second line under its label
};

struct Axis {
  std::string label;  // with its unit
  bool logarithmic = false;
  bool percent = false;                 // 0 … 1, told as 0 % … 100 %
  std::optional<double> low{}, high{};  // where it begins and ends; else as the curves need it
};

/// A level that a panel is read against.
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

/// Panels under each other. Those with the same x label share its range, and only the lowest has numbers
/// under it.
struct Figure {
  std::vector<Panel> panels;
  double width = 760;         // px
  double panel_height = 190;  // px, of the axes alone
};

/// Throws Error where the path does not end in .svg or .png: to be asked before long work.
void check_figure_path(const std::string& path);

/// By the ending of the path: .svg or .png (at twice the size). Written aside. Throws Error.
void draw_figure(const Figure& figure, const std::string& path);

}  // namespace pawl::internal
