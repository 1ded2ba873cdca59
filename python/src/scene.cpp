// Scenes and bodies. Their lists are Python lists, put together when the scene is compiled; an element that a
// program holds stays valid whatever happens to the list.

#include "named.h"

namespace pawl::python {
namespace {

struct PyBody {
  SceneBody body;  // without shapes
  py::list shapes;
};

struct PyScene {
  Scene scene;  // without the lists below
  py::list materials, pairs, bodies, joints, forces;
};

template <class T>
const T& element(const py::handle& item, const char* list) {
  if (!py::isinstance<T>(item)) {
    throw py::type_error(
        py::str("{} holds a {}; it must be a {}")
            .format(list, py::type::of(item).attr("__name__"), py::type::of<T>().attr("__name__")));
  }
  return item.cast<const T&>();
}

template <class T>
std::vector<T> elements(const py::list& list, const char* name) {
  std::vector<T> made;
  for (const py::handle& item : list) made.push_back(element<T>(item, name));
  return made;
}

template <class T>
py::list to_list(std::vector<T>& elements) {
  py::list list;
  for (T& item : elements) list.append(std::move(item));
  elements.clear();
  return list;
}

PyScene to_python(Scene scene) {
  PyScene made;
  made.materials = to_list(scene.materials);
  made.pairs = to_list(scene.pairs);
  made.joints = to_list(scene.joints);
  made.forces = to_list(scene.forces);
  for (SceneBody& body : scene.bodies) {
    PyBody one;
    one.shapes = to_list(body.shapes);
    one.body = std::move(body);
    made.bodies.append(std::move(one));
  }
  scene.bodies.clear();
  made.scene = std::move(scene);
  return made;
}

Scene to_cpp(const PyScene& from) {
  Scene scene = from.scene;
  scene.materials = elements<SceneMaterial>(from.materials, "materials");
  scene.pairs = elements<ScenePair>(from.pairs, "pairs");
  scene.joints = elements<SceneConstraintJoint>(from.joints, "joints");
  scene.forces = elements<SceneForce>(from.forces, "forces");
  for (const py::handle& item : from.bodies) {
    const auto& one = element<PyBody>(item, "bodies");
    scene.bodies.push_back(one.body);
    scene.bodies.back().shapes = elements<SceneShape>(one.shapes, "shapes");
  }
  return scene;
}

/// A value of a member of a member, as a property.
template <class Class, class Outer, class Inner, class T>
void field(Class& type, const char* name, Inner Outer::*outer, T Inner::*inner, const char* doc = "") {
  type.def_property(
      name, [=](Outer& self) -> T& { return self.*outer.*inner; },
      [=](Outer& self, const T& value) { self.*outer.*inner = value; }, doc);
}

/// The body object itself, not a copy.
py::object body_of(const PyScene& scene, const std::string& name) {
  for (const py::handle& item : scene.bodies) {
    if (element<PyBody>(item, "bodies").body.name == name) return py::reinterpret_borrow<py::object>(item);
  }
  throw py::key_error("there is no body " + name);
}

void bind_body(py::module_& m) {
  py::class_<PyBody> body(
      m, "SceneBody",
      "A body of a scene: name, joint, mass, inertia, pose, velocity, shapes. Mass and inertia may "
      "be None; the densities of the shapes give them then.");
  body.def(py::init([](const py::kwargs& fields) { return with_fields<PyBody>(fields); }))
      .def_readwrite("shapes", &PyBody::shapes, "a list of SceneShape");
  field(body, "name", &PyBody::body, &SceneBody::name, "unique in the scene");
  field(body, "joint", &PyBody::body, &SceneBody::joint, "the tree joint; free by default");
  field(body, "mass", &PyBody::body, &SceneBody::mass, "kg, or None");
  field(body, "center_of_mass", &PyBody::body, &SceneBody::center_of_mass, "in the body's frame, m");
  field(body, "position", &PyBody::body, &SceneBody::position, "m");
  field(body, "orientation", &PyBody::body, &SceneBody::orientation, "(w, x, y, z)");
  field(body, "angle", &PyBody::body, &SceneBody::angle, "rad; planar worlds");
  field(body, "velocity", &PyBody::body, &SceneBody::velocity, "m/s, of the centre of mass");
  field(body, "angular_velocity", &PyBody::body, &SceneBody::angular_velocity, "rad/s, world");
  body.def_property(
      "inertia",
      [](const PyBody& self) -> std::optional<std::array<Vec3, 3>> {
        return self.body.inertia ? std::optional(self.body.inertia->row) : std::nullopt;
      },
      [](PyBody& self, const std::optional<std::array<Vec3, 3>>& rows) {
        self.body.inertia = rows ? std::optional(Mat3{*rows}) : std::nullopt;
      },
      "three rows, kg m^2, about the centre of mass, or None; a planar world takes diag(J, J, J)");
  body.def("__repr__", [](const PyBody& self) { return "<pawl.SceneBody " + self.body.name + ">"; });
}

/// The file it was read from, its text and overrides: what a pickle needs beside the fields.
using Source = std::tuple<std::string, std::string, std::vector<std::string>>;

std::shared_ptr<CompiledModel> compiled(const PyScene& scene) {
  auto made = std::make_shared<CompiledModel>();
  made->scene = to_cpp(scene);
  made->model = compile(made->scene);
  made->control_names = control_names(made->model);
  return made;
}

}  // namespace

void bind_scene(py::module_& m) {
  bind_body(m);
  py::class_<PyScene> scene(
      m, "Scene",
      "A scene: materials, pairs, bodies, joints, forces (lists), gravity, run options. Read it "
      "with pawl.load(), or build it in code.");
  scene.def(py::init([](const py::kwargs& fields) { return with_fields<PyScene>(fields); }))
      .def_readwrite("materials", &PyScene::materials, "a list of SceneMaterial")
      .def_readwrite("pairs", &PyScene::pairs, "a list of ScenePair")
      .def_readwrite("bodies", &PyScene::bodies, "a list of SceneBody; parents may follow their children")
      .def_readwrite("joints", &PyScene::joints, "a list of SceneConstraintJoint")
      .def_readwrite("forces", &PyScene::forces, "a list of SceneForce")
      .def("body", &body_of, py::arg("name"), "The body of this name.")
      .def("compile", &compiled,
           "Compiles the scene to a Model. Raises SceneError if it is no valid mechanism.")
      .def("__repr__", [](const PyScene& self) {
        return "<pawl.Scene " + self.scene.name + ": " + std::to_string(self.bodies.size()) + " bodies>";
      });
  field(scene, "name", &PyScene::scene, &Scene::name, "title of runs");
  field(scene, "description", &PyScene::scene, &Scene::description, "any text");
  field(scene, "gravity", &PyScene::scene, &Scene::gravity, "m/s^2");
  field(scene, "run", &PyScene::scene, &Scene::run, "RunOptions");
  field(scene, "no_collision", &PyScene::scene, &Scene::no_collision,
        "pairs of body names that never collide");
  field(scene, "collision", &PyScene::scene, &Scene::collision,
        "pairs that collide although a joint connects them");
  scene
      .def_property_readonly(
          "file", [](const PyScene& self) { return self.scene.file; }, "it was read from; used in messages")
      .def_property_readonly(
          "text", [](const PyScene& self) { return self.scene.text; }, "of the file it was read from");
  scene.def_property(
      "dimension", [](const PyScene& self) { return std::string(to_string(self.scene.dimension)); },
      [](PyScene& self, const std::string& name) {
        self.scene.dimension = parse_name<Dimension>(names_of<Dimension>(2), "dimension", name);
      },
      "spatial or planar");

  scene.def_property(
      "_source",
      [](const PyScene& self) {
        return Source{self.scene.file, self.scene.text, self.scene.overrides};
      },
      [](PyScene& self, const Source& source) {
        std::tie(self.scene.file, self.scene.text, self.scene.overrides) = source;
      });
  py::reinterpret_borrow<py::class_<CompiledModel, std::shared_ptr<CompiledModel>>>(m.attr("Model"))
      .def_property_readonly(
          "scene", [](const CompiledModel& self) { return to_python(self.scene); },
          "a copy of the Scene it was compiled from");
  m.def("_parse_duration", [](const std::string& text) { return parse_duration(text); });
  m.def("_load", [](const std::string& path, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& package_path, const std::string& keyframe) {
    return to_python(load_scene_or_robot(path, overrides, {package_path, keyframe}));
  });
  m.def("_loads",
        [](const std::string& text, const std::string& file, const std::vector<std::string>& overrides) {
          return to_python(parse_scene(text, file, overrides));
        });
}

}  // namespace pawl::python
