#pragma once
// The friction of every pair of materials, as the solvers take it.

#include <memory>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/contact_problem.h>
#include <pawl/friction_set.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

class FrictionTable {
 public:
  /// `directions` is for polyhedra that stand for sets without directions of their own. Throws Error where
  /// the number makes none, and SceneError where a set's own directions make none.
  FrictionTable(const Model& model, FrictionForm form, int directions);

  struct Entry {
    FrictionSet set;
    int rows = 0;  // of a contact: n and t, then o, then r
  };
  const Entry& of(const Shape& a, const Shape& b) const {
    return entries_[a.material * materials_ + b.material];
  }

 private:
  int materials_ = 0;
  std::vector<Entry> entries_;  // [materials × materials]
  std::vector<std::unique_ptr<const FrictionPolyhedron>> polyhedra_;
};

/// The direction t of a contact: as the pair's friction set has it, and otherwise tangent(normal).
Vec3 contact_tangent(const Model& model, const Kinematics& kinematics, const Contact& contact);

}  // namespace pawl::internal
