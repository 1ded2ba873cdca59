#pragma once
// Bodies that overlap, and joints beyond their limits or with errors, at the start.

#include <string>
#include <vector>

#include <pawl/json/json.h>
#include <pawl/model.h>

namespace pawl::internal::cli {

struct Overlap {
  int body_a = 0, body_b = 0;
  double depth = 0;    // m, max over the contacts of the two bodies
  bool small = false;  // as the rounding of a scene's numbers
};

/// One entry per pair of bodies, in the order of the bodies; overlaps due to rounding are left out.
std::vector<Overlap> overlaps_at_start(const Model& model);
double deepest(const std::vector<Overlap>& overlaps);

/// "ball and table overlap by 0.01 m at the start; …"
std::string overlap_text(const Model& model, const Overlap& overlap);

/// A joint beyond its limit, or a constraint joint with an error.
struct JointViolation {
  int body_a = 0, body_b = 0;
  double amount = 0;  // m or rad
  bool limit = false;
};
std::vector<JointViolation> joints_at_start(const Model& model);
std::string joint_text(const Model& model, const JointViolation& violation);

Json overlaps_json(const Model& model, const std::vector<Overlap>& overlaps);

}  // namespace pawl::internal::cli
