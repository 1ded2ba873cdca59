// The parts of a scene: materials, shapes, joints, drives, forces, run options. Fields have the names of the
// C++ structs.

#include "named.h"

namespace pawl::python {

void bind_run_options(py::module_& m) {
  py::class_<ImpactOptions> impacts(m, "ImpactOptions", "When impacts take place, and in which order.");
  impacts.def(py::init([](const py::kwargs& fields) { return with_fields<ImpactOptions>(fields); }))
      .def_readwrite("max_per_step", &ImpactOptions::max_per_step, "further impacts of a step are inelastic")
      .def_readwrite("contact_tolerance", &ImpactOptions::contact_tolerance, "m, or None");
  named(impacts, "timing", &ImpactOptions::timing, names_of<ImpactTiming>(2));
  named(impacts, "order", &ImpactOptions::order, names_of<ImpactOrder>(2));

  py::class_<RunOptions> run(m, "RunOptions", "Options of a run: scene.run, and keywords of simulate().");
  run.def(py::init([](const py::kwargs& fields) { return with_fields<RunOptions>(fields); }))
      .def_readwrite("method", &RunOptions::method, "a name of pawl.METHODS")
      .def_readwrite("step", &RunOptions::step, "h, s")
      .def_readwrite("until", &RunOptions::until, "s")
      .def_readwrite("tolerance", &RunOptions::tolerance, "of the judged residual, dimensionless")
      .def_readwrite("accuracy", &RunOptions::accuracy,
                     "energy error per step that chooses the step, or None")
      .def_readwrite("gamma", &RunOptions::gamma, "stabilisation of anitescu-hart, 0 to 1")
      .def_readwrite("adaptive_gamma", &RunOptions::adaptive_gamma, "chooses gamma in each step")
      .def_readwrite("active_gap", &RunOptions::active_gap, "m, or None")
      .def_readwrite("friction_directions", &RunOptions::friction_directions,
                     "of polyhedra without directions of their own")
      .def_readwrite("contact_points", &RunOptions::contact_points, "at most, per pair of solids")
      .def_readwrite("record_every", &RunOptions::record_every, "steps per recorded state")
      .def_readwrite("record_contacts", &RunOptions::record_contacts, "contacts in the trajectory")
      .def_readwrite("record_forces", &RunOptions::record_forces, "forces in joints in the trajectory")
      .def_readwrite("record_impacts", &RunOptions::record_impacts, "works of impacts in the trajectory")
      .def_readwrite("impacts", &RunOptions::impacts, "an ImpactOptions");
  named(run, "on_uncertified", &RunOptions::on_uncertified, names_of<OnUncertified>(2));
  named(run, "friction", &RunOptions::friction, names_of<FrictionForm>(2));
  m.attr("METHODS") = py::cast(std::vector<std::string>(kMethodNames.begin(), kMethodNames.end()));
}

namespace {

void bind_materials(py::module_& m) {
  py::class_<SceneMaterial>(m, "SceneMaterial", "A material: name, friction (mu), restitution.")
      .def(py::init([](const py::kwargs& fields) { return with_fields<SceneMaterial>(fields); }))
      .def_readwrite("name", &SceneMaterial::name, "used by shapes and pairs")
      .def_readwrite("friction", &SceneMaterial::friction, "mu against itself; geometric mean with others")
      .def_readwrite("restitution", &SceneMaterial::restitution, "e, 0 to 1");

  py::class_<SceneFrictionSet> set(m, "SceneFrictionSet", "The friction set of two materials, per mu p_n.");
  set.def(py::init([](const py::kwargs& fields) { return with_fields<SceneFrictionSet>(fields); }))
      .def_readwrite("radii", &SceneFrictionSet::radii, "e_t, e_o (no unit), e_r (m)")
      .def_readwrite("directions", &SceneFrictionSet::directions, "(t, o, r) of the corners of a polyhedron")
      .def_readwrite("count", &SceneFrictionSet::count, "directions in the plane of t and o")
      .def_property(
          "rings",
          [](const SceneFrictionSet& self) {
            std::vector<std::pair<double, int>> rings;
            for (const LatitudeRing& ring : self.rings) rings.emplace_back(ring.latitude, ring.count);
            return rings;
          },
          [](SceneFrictionSet& self, const std::vector<std::pair<double, int>>& rings) {
            self.rings.clear();
            for (const auto& [latitude, count] : rings) self.rings.push_back({latitude, count});
          },
          "(latitude in rad, count) of rings of directions")
      .def_readwrite("along", &SceneFrictionSet::along, "direction of t in the frame of the body `of`")
      .def_readwrite("of", &SceneFrictionSet::of, "name of a body; empty: the contact's own t");
  named(set, "kind", &SceneFrictionSet::kind, names_of<FrictionSetKind>(5));

  py::class_<ScenePair> pair(m, "ScenePair", "Contact parameters of two materials, by name.");
  pair.def(py::init([](const py::kwargs& fields) { return with_fields<ScenePair>(fields); }))
      .def_readwrite("first", &ScenePair::first, "name of a material")
      .def_readwrite("second", &ScenePair::second, "name of a material")
      .def_readwrite("friction", &ScenePair::friction, "mu")
      .def_readwrite("restitution", &ScenePair::restitution, "e, 0 to 1")
      .def_readwrite("friction_set", &ScenePair::friction_set, "a SceneFrictionSet");
  named(pair, "restitution_law", &ScenePair::restitution_law, names_of<RestitutionLaw>(3));
}

void bind_shape(py::module_& m) {
  py::class_<SceneShape> shape(
      m, "SceneShape",
      "A shape of a body. kind: sphere, capsule, box, cylinder, cone, frustum, ellipsoid, "
      "hull, half-space, mesh, height-field. Lengths in m.");
  shape.def(py::init([](const py::kwargs& fields) { return with_fields<SceneShape>(fields); }))
      .def_readwrite("radius", &SceneShape::radius, "m; cone and frustum: of the base")
      .def_readwrite("top_radius", &SceneShape::top_radius, "frustum")
      .def_readwrite("length", &SceneShape::length, "capsule: of the straight part")
      .def_readwrite("height", &SceneShape::height, "m, along z; half of it below the origin")
      .def_readwrite("size", &SceneShape::size, "box: its sides; ellipsoid: its semi-axes")
      .def_readwrite("rounding_radius", &SceneShape::rounding_radius,
                     "m; edges are rounded and the shape grown by it")
      .def_readwrite("normal", &SceneShape::normal, "half-space: out of the solid, unit")
      .def_readwrite("offset", &SceneShape::offset, "half-space: normal . x = offset")
      .def_readwrite("points", &SceneShape::points, "hull")
      .def_readwrite("faces", &SceneShape::faces, "hull: pawl.convex_hull_faces(points)")
      .def_property(
          "vertices", [](const SceneShape& self) { return self.mesh.vertices; },
          [](SceneShape& self, const std::vector<Vec3>& vertices) { self.mesh.vertices = vertices; }, "mesh")
      .def_property(
          "triangles", [](const SceneShape& self) { return self.mesh.triangles; },
          [](SceneShape& self, const std::vector<std::array<int, 3>>& triangles) {
            self.mesh.triangles = triangles;
            self.mesh.lines.clear();
          },
          "mesh: vertex indices, counter-clockwise seen from outside")
      .def_readwrite("heights", &SceneShape::heights, "height-field, row-major")
      .def_readwrite("columns", &SceneShape::columns, "height-field: heights per row")
      .def_readwrite("spacing", &SceneShape::spacing, "height-field: grid spacing in x and y, m")
      .def_readwrite("position", &SceneShape::position, "in the body's frame")
      .def_readwrite("orientation", &SceneShape::orientation, "(w, x, y, z) in the body's frame")
      .def_readwrite("material", &SceneShape::material, "name of a material")
      .def_readwrite("density", &SceneShape::density, "kg/m^3, or None")
      .def_readwrite("group", &SceneShape::group, "one bit")
      .def_readwrite("collides_with", &SceneShape::collides_with, "mask of groups");
  named(shape, "kind", &SceneShape::kind, names_of<ShapeKind>(11));
  m.def(
      "convex_hull_faces",
      [](const std::vector<Vec3>& points, bool planar) { return convex_hull_faces(points, planar); },
      py::arg("points"), py::arg("planar") = false,
      "Faces of the convex hull of points, for SceneShape.faces.");
}

void bind_joints(py::module_& m) {
  py::class_<Signal>(m, "Signal",
                     "constant + amplitude sin(2 pi frequency t + phase), or a table of (time, value).")
      .def(py::init([](const py::kwargs& fields) { return with_fields<Signal>(fields); }))
      .def_readwrite("constant", &Signal::constant, "the mean")
      .def_readwrite("amplitude", &Signal::amplitude, "of the sine")
      .def_readwrite("frequency", &Signal::frequency, "Hz")
      .def_readwrite("phase", &Signal::phase, "rad")
      .def_readwrite("table", &Signal::table, "(time in s, value), ascending; empty: none");

  py::class_<SceneDrive> drive(
      m, "SceneDrive",
      "Limits, dry friction, spring, damper, rotor and motor of a joint with one coordinate.");
  drive.def(py::init([](const py::kwargs& fields) { return with_fields<SceneDrive>(fields); }))
      .def_readwrite("lower", &SceneDrive::lower, "rad or m, or None")
      .def_readwrite("upper", &SceneDrive::upper, "rad or m, or None")
      .def_readwrite("restitution", &SceneDrive::restitution, "of the limits, 0 to 1")
      .def_readwrite("friction", &SceneDrive::friction, "N m or N")
      .def_readwrite("target", &SceneDrive::target, "Signal: rad/s or m/s, rad or m; N m or N")
      .def_readwrite("max_force", &SceneDrive::max_force, "N m or N, or None")
      .def_readwrite("armature", &SceneDrive::armature, "kg m² or kg")
      .def_readwrite("damping", &SceneDrive::damping, "N m s/rad or N s/m")
      .def_readwrite("stiffness", &SceneDrive::stiffness, "N m/rad or N/m")
      .def_readwrite("rest_position", &SceneDrive::rest_position, "rad or m")
      .def_readwrite("kp", &SceneDrive::kp, "N m/rad or N/m")
      .def_readwrite("kv", &SceneDrive::kv, "N m s/rad or N s/m");
  named(drive, "motor", &SceneDrive::motor, {"none", "velocity", "position", "force"});

  py::class_<SceneJoint> joint(m, "SceneJoint",
                               "Tree joint of a body to its parent. kind: free, planar, revolute, prismatic, "
                               "cylindrical, universal, ball, weld.");
  joint.def(py::init([](const py::kwargs& fields) { return with_fields<SceneJoint>(fields); }))
      .def_readwrite("parent", &SceneJoint::parent, "name of a body, or world")
      .def_readwrite("anchor", &SceneJoint::anchor, "world, m")
      .def_readwrite("axis", &SceneJoint::axis, "unit, world; of the reference configuration")
      .def_readwrite("second_axis", &SceneJoint::second_axis, "unit; universal: fixed to the body")
      .def_readwrite("position", &SceneJoint::position, "rad or m")
      .def_readwrite("velocity", &SceneJoint::velocity, "rad/s or m/s")
      .def_readwrite("second_position", &SceneJoint::second_position, "rad")
      .def_readwrite("second_velocity", &SceneJoint::second_velocity, "rad/s")
      .def_readwrite("orientation", &SceneJoint::orientation, "(w, x, y, z); ball")
      .def_readwrite("angular_velocity", &SceneJoint::angular_velocity, "rad/s; ball: relative to the parent")
      .def_readwrite("drive", &SceneJoint::drive, "a SceneDrive");
  named(joint, "kind", &SceneJoint::kind, names_of<JointKind>(8));

  py::class_<SceneConstraintJoint> constraint(m, "SceneConstraintJoint",
                                              "A joint as constraint rows; closes loops.");
  constraint.def(py::init([](const py::kwargs& fields) { return with_fields<SceneConstraintJoint>(fields); }))
      .def_readwrite("first", &SceneConstraintJoint::first, "name of a body")
      .def_readwrite("second", &SceneConstraintJoint::second, "name of a body; one may be world")
      .def_readwrite("anchor", &SceneConstraintJoint::anchor, "m; common point, or on the first body")
      .def_readwrite("second_anchor", &SceneConstraintJoint::second_anchor, "m; distance: on the second body")
      .def_readwrite("axis", &SceneConstraintJoint::axis, "unit")
      .def_readwrite("second_axis", &SceneConstraintJoint::second_axis,
                     "unit; universal: fixed to the second body")
      .def_readwrite("length", &SceneConstraintJoint::length, "m; distance")
      .def_readwrite("ratio", &SceneConstraintJoint::ratio, "coupling: first = ratio * second + offset")
      .def_readwrite("offset", &SceneConstraintJoint::offset, "rad or m; coupling")
      .def_readwrite("collide", &SceneConstraintJoint::collide, "whether the two bodies may collide")
      .def_readwrite("drive", &SceneConstraintJoint::drive, "a SceneDrive");
  named(constraint, "kind", &SceneConstraintJoint::kind, names_of<ConstraintJointKind>(9));
}

void bind_forces(py::module_& m) {
  py::class_<SceneAttachment>(m, "SceneAttachment", "A point of a body, in its frame.")
      .def(py::init([](const py::kwargs& fields) { return with_fields<SceneAttachment>(fields); }))
      .def_readwrite("body", &SceneAttachment::body, "name; world by default")
      .def_readwrite("point", &SceneAttachment::point, "in the body's frame, m");

  py::class_<SceneForce> force(
      m, "SceneForce",
      "A wrench at `at`, or a spring or damper from `at` to `to`. A wrench is an input: "
      "Simulation.control scales it.");
  force.def(py::init([](const py::kwargs& fields) { return with_fields<SceneForce>(fields); }))
      .def_readwrite("name", &SceneForce::name, "of the input")
      .def_readwrite("at", &SceneForce::from, "`from` in C++, a keyword in Python")
      .def_readwrite("to", &SceneForce::to, "SceneAttachment: the other end")
      .def_readwrite("force", &SceneForce::force, "N")
      .def_readwrite("torque", &SceneForce::torque, "N m")
      .def_readwrite("in_body_frame", &SceneForce::in_body_frame, "force and torque rotate with the body")
      .def_readwrite("scale", &SceneForce::scale, "Signal that multiplies force and torque")
      .def_readwrite("stiffness", &SceneForce::stiffness, "N/m; spring")
      .def_readwrite("rest_length", &SceneForce::rest_length, "m; spring")
      .def_readwrite("damping", &SceneForce::damping, "N s/m; damper");
  named(force, "kind", &SceneForce::kind, names_of<ForceKind>(3));
}

}  // namespace

void bind_scene_parts(py::module_& m) {
  bind_materials(m);
  bind_shape(m);
  bind_joints(m);
  bind_forces(m);
}

}  // namespace pawl::python
