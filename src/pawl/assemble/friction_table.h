#pragma once
// The friction sets of all pairs of materials, in the form the solvers take.

#include <memory>
#include <vector>

#include <pawl/collision/contact.h>
#include <pawl/contact_problem.h>
#include <pawl/friction_set.h>
#include <pawl/model/kinematics.h>

namespace pawl::internal {

class FrictionTable {
 public:
  /// `directions` is the number of directions of polyhedra that replace sets without directions of their own.
  /// Throws Error if it is out of range, and SceneError if a set's own directions form no polyhedron.
  FrictionTable(const Model& model, FrictionForm form, int directions);

  struct Entry {
    FrictionSet set;
    int rows = 0;  // of a contact, 2: n, t; 3: n, t, o; 4: n, t, o, r
  };
  const Entry& of(const Shape& a, const Shape& b) const {
    return entries_[a.material * materials_ + b.material];
  }

 private:
  int materials_ = 0;
  std::vector<Entry> entries_;  // [materials × materials]
  std::vector<std::unique_ptr<const FrictionPolyhedron>> polyhedra_;
};

/// The tangent t of a contact: along the direction given by the pair's friction set, else tangent(normal).
Vec3 contact_tangent(const Model& model, const Kinematics& kinematics, const Contact& contact);

}  // namespace pawl::internal
