#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <pawl/error.h>
#include <pawl/problem_file.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "problem_output.h"

namespace pawl::internal::cli {
namespace {

struct ConvertArguments {
  std::string file, output;
  std::string form;  // empty: the form of the input
  bool round = false;
};

bool on_unit_circle(const FrictionPolyhedron& polygon) {
  constexpr double kRounding = 1e-12;
  return std::ranges::all_of(polygon.directions(), [](const FrictionVector& d) {
    return d[2] == 0 && std::abs(std::hypot(d[0], d[1]) - 1) <= kRounding;
  });
}

/// FCLIB supports round cones only. In the plane the interval [-1, 1] is a round cone. In space a polygon
/// only approximates one and gives different solutions, so the user must ask for the replacement.
void round_friction_cones(const ConvertArguments& arguments, ContactProblem& problem) {
  for (int c = 0; c < problem.contacts; ++c) {
    FrictionSet& set = problem.friction[c];
    if (set.kind != FrictionKind::polyhedron || !on_unit_circle(*set.polyhedron)) continue;
    if (problem.friction_rows(c) > 1 && !arguments.round) {
      throw Error(
          fmt::format("{}: the friction of contact {} is a polygon of {} directions, and FCLIB knows round "
                      "cones only; --round writes the cone that it stands for",
                      arguments.file, c, set.polyhedron->directions().size()));
    }
    set.kind = FrictionKind::ellipsoid;
  }
}

void convert(const ConvertArguments& arguments) {
  const std::string output = resolve_output_path(arguments.output, arguments.file);
  const bool fclib = is_fclib_path(output);
  if (!fclib && std::filesystem::path(output).extension() != ".json") {
    throw Error(fmt::format("{}: must end in .hdf5 or .h5 (FCLIB) or .json (ours)", arguments.output));
  }
  if (!fclib && (arguments.round || !arguments.form.empty())) {
    throw Error(fmt::format("{}: --round and --form are for FCLIB, .hdf5 or .h5", arguments.output));
  }
  StoredContactProblem stored = read_contact_problem(arguments.file);
  if (fclib) {
    round_friction_cones(arguments, stored.problem);
    const FclibForm form = arguments.form.empty()      ? native_form(stored.problem)
                           : arguments.form == "local" ? FclibForm::local
                                                       : FclibForm::global;
    write_fclib(output, stored.problem, form, arguments.file);
  } else {
    write_problem(output, stored.problem, stored.tolerance);
  }
  print_stdout("{}\n", arguments.output);
}

}  // namespace

void add_convert_command(CommandLine& line) {
  const auto arguments = std::make_shared<ConvertArguments>();
  Command command = line.add_command("convert", "Write a contact problem in another format");
  command.add_option("FILE", arguments->file, "Contact problem in any supported format").required();
  command.add_option("OUTPUT", arguments->output, "FCLIB (.hdf5, .h5) or Pawl's JSON (.json)").required();
  command
      .add_option("--form", arguments->form,
                  "FCLIB form: local (W) or global (M and H) (default: the form of the input)")
      .is_member({"local", "global"});
  command.add_flag("--round", arguments->round,
                   "For FCLIB: replace friction polygons by the round cones that they approximate");
  command.footer(
      "Example, to export the problem of a step for other programs:\n"
      "  pawl convert four_balls.problem.json four_balls.hdf5 --round");
  command.callback([arguments] { convert(*arguments); });
}

}  // namespace pawl::internal::cli
