#include <pawl/mjcf/meshes.h>

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <pawl/collision/mesh/mesh_file.h>
#include <pawl/scene_file/nearest.h>

namespace pawl::internal {
namespace {

namespace fs = std::filesystem;

struct Placement {
  Vec3 scale{1, 1, 1}, position;
  Quat rotation;

  Vec3 operator()(const Vec3& point) const {
    const Vec3 p = to_matrix(conjugate(rotation)) * (point - position);
    return {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  }
};

Placement read_placement(const Element& element) {
  Placement placement;
  placement.scale = element.vector("scale", {1, 1, 1});
  if (placement.scale.x * placement.scale.y * placement.scale.z == 0) {
    element.fail("scale", "a factor of 0 makes it flat");
  }
  placement.position = element.vector("refpos");
  const std::vector<double> q = element.numbers("refquat", 4, 4);
  if (!q.empty()) placement.rotation = normalized(Quat{q[0], q[1], q[2], q[3]});
  return placement;
}

}  // namespace

Meshes::Meshes(MjcfContext& context) : context_(context) {
  for (const XmlElement& section : context.root.children) {
    if (section.name != "asset") continue;
    for (const XmlElement& xml : section.children) {
      if (xml.name != "mesh") continue;
      const std::string* file = xml.find("file");
      std::string path;
      if (file != nullptr) {
        const fs::path wanted = context.compiler.strip_path ? fs::path(*file).filename() : fs::path(*file);
        path = (fs::path(context.path).parent_path() / context.compiler.mesh_folder / wanted).string();
      } else if (xml.find("vertex") == nullptr) {
        fail(xml, "file", "missing: a mesh needs a file, or vertices");
      }
      const std::string* name = xml.find("name");
      entries_[name != nullptr ? *name : fs::path(path).stem().string()] = {&xml, path, nullptr};
    }
  }
}

const Meshes::Entry& Meshes::find(const Element& user) const {
  const std::string name = user.text("mesh");
  if (const auto found = entries_.find(name); found != entries_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, unused] : entries_) names.push_back(known);
  user.fail("mesh", fmt::format("no mesh is called '{}'{}", name, hint(name, names, "there are")));
}

void Meshes::check(const Element& user) const {
  const Entry& entry = find(user);
  if (!entry.path.empty() && !fs::exists(entry.path)) {
    fail(*entry.xml, "file", fmt::format("there is no file '{}'", entry.path));
  }
}

const MeshAsset& Meshes::load(const Element& user) {
  check(user);
  Entry& entry = const_cast<Entry&>(find(user));
  if (entry.asset == nullptr) entry.asset = std::make_unique<MeshAsset>(read(entry));
  return *entry.asset;
}

MeshAsset Meshes::read(const Entry& entry) {
  const std::string* class_name = entry.xml->find("class");
  const Element element(*entry.xml,
                        class_name != nullptr ? context_.defaults.find(*entry.xml, "class", *class_name)
                                              : context_.defaults.main(),
                        "mesh");
  const Placement place = read_placement(element);
  MeshAsset asset;
  std::vector<Vec3> points;
  TriangleMesh mesh;
  try {
    if (entry.path.empty()) {
      const std::vector<double> v = element.numbers("vertex", 12, 10'000'000);
      for (std::size_t i = 0; i + 2 < v.size(); i += 3) points.push_back({v[i], v[i + 1], v[i + 2]});
    } else {
      points = load_points(entry.path);
    }
    for (Vec3& point : points) point = place(point);
    static_cast<HullPoints&>(asset) = hull_of(points);
  } catch (const SceneError&) {
    throw;
  } catch (const Error& error) {
    element.fail("file", error.what());
  }
  if (!entry.path.empty()) {
    try {
      mesh = load_mesh(entry.path);
      for (Vec3& vertex : mesh.vertices) vertex = place(vertex);
      asset.volume = tetrahedra_mass(mesh);
    } catch (const Error&) {  // triangles that make no surface: the hull's mass
    }
  }
  if (!asset.volume) asset.volume = mass_properties(Convex::hull(asset.points, asset.faces));
  return asset;
}

MassProperties tetrahedra_mass(const TriangleMesh& mesh) {
  double area = 0;
  Vec3 middle;
  const auto corners = [&](const std::array<int, 3>& t) {
    return std::array{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
  };
  for (const auto& triangle : mesh.triangles) {
    const auto [a, b, c] = corners(triangle);
    const double size = 0.5 * norm(cross(b - a, c - a));
    area += size;
    middle += size / 3 * (a + b + c);
  }
  middle = middle / area;
  MassProperties sum;
  for (const auto& triangle : mesh.triangles) {
    auto [a, b, c] = corners(triangle);
    const double volume = std::abs(dot(a - middle, cross(b - middle, c - middle))) / 6;
    sum.mass += volume;
    sum.center += volume * (0.25 * (a + b + c) + 0.25 * middle);
  }
  sum.center = sum.center / sum.mass;
  sum.mass = 0;  // the volumes count as seen from the centre of mass
  Mat3 second;   // ∫ x xᵀ about the centre
  for (const auto& triangle : mesh.triangles) {
    auto [a, b, c] = corners(triangle);
    a -= sum.center, b -= sum.center, c -= sum.center;
    const double volume = std::abs(dot(a, cross(b, c))) / 6;
    sum.mass += volume;
    const Vec3 all = a + b + c;
    second = second + (volume / 20) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(all, all));
  }
  sum.inertia = trace(second) * Mat3::identity() - second;
  return sum;
}

}  // namespace pawl::internal
