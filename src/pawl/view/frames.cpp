#include <pawl/view/frames.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace pawl::internal {
namespace {

static_assert(std::endian::native == std::endian::little, "chunks are little-endian");

constexpr std::uint32_t kMagic = 0x43574c50;  // "PLWC"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kTargetChunkBytes = 1 << 20;
constexpr std::uint64_t kMaxChunkStates = 1024;

/// Quaternion of a rotation matrix, by the one of four formulas with the largest square root [Shepperd1978].
Quat to_quat(const Mat3& R) {
  const double t = trace(R);
  const double squares[] = {t, R(0, 0), R(1, 1), R(2, 2)};
  const auto largest = std::max_element(squares, squares + 4) - squares;
  if (largest == 0) {
    return normalized(Quat{1 + t, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)});
  }
  const int i = static_cast<int>(largest) - 1, j = (i + 1) % 3, k = (j + 1) % 3;
  Vec3 axis;
  axis[i] = 1 + R(i, i) - R(j, j) - R(k, k);
  axis[j] = R(i, j) + R(j, i);
  axis[k] = R(i, k) + R(k, i);
  return normalized(Quat{R(k, j) - R(j, k), axis.x, axis.y, axis.z});
}

template <class T>
void append(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Friction parameters that the page draws: μ and the semi-axes of the friction set along t, o and about n.
std::array<double, 4> friction_of(const Model& model, int shape_a, int shape_b) {
  const auto known = [&](int shape) { return shape >= 0 && shape < static_cast<int>(model.shapes.size()); };
  if (!known(shape_a) || !known(shape_b)) return {};
  const ContactLaw& law = model.law(model.shapes[shape_a], model.shapes[shape_b]);
  const SceneFrictionSet& set = law.friction_set;
  if (set.kind == FrictionSetKind::none) return {};
  if (set.kind == FrictionSetKind::planar) return {law.friction, set.radii[0], 0, 0};
  std::array<double, 3> semi_axes = set.radii;
  if (set.kind == FrictionSetKind::polyhedron && !set.directions.empty()) {
    semi_axes = {};
    for (const auto& direction : set.directions) {
      for (int i = 0; i < 3; ++i) semi_axes[i] = std::max(semi_axes[i], std::abs(direction[i]));
    }
  }
  return {law.friction, semi_axes[0], semi_axes[1], semi_axes[2]};
}

class ChunkBuilder {
 public:
  explicit ChunkBuilder(const RunView& run) : run_(run) {}

  /// Adds the states [first, first + count) of the run.
  void add(std::uint64_t first, std::uint64_t count) {
    const StateRows rows = run_.reader().read_states(first, count);
    for (std::uint64_t i = 0; i < count; ++i) add_state(rows, first, i);
  }

  std::string bytes(std::uint64_t first) const {
    const std::vector<std::uint32_t> head{kMagic,
                                          kVersion,
                                          static_cast<std::uint32_t>(first),
                                          static_cast<std::uint32_t>(time_.size()),
                                          static_cast<std::uint32_t>(run_.model().bodies.size()),
                                          static_cast<std::uint32_t>(state_.size())};
    std::string bytes;
    bytes.reserve(chunk_bytes(run_, time_.size(), state_.size()));
    append(bytes, head);
    append(bytes, time_);
    append(bytes, pose_);
    append(bytes, velocity_);
    append(bytes, offset_);
    append(bytes, bodies_);
    append(bytes, shapes_);
    append(bytes, feature_);
    append(bytes, state_);
    append(bytes, contact_);
    return bytes;
  }

 private:
  static void put(std::vector<float>& to, double value) { to.push_back(static_cast<float>(value)); }
  static void put(std::vector<float>& to, const Vec3& value) {
    for (int i = 0; i < 3; ++i) put(to, value[i]);
  }

  void add_state(const StateRows& rows, std::uint64_t first, std::uint64_t i) {
    const Model& model = run_.model();
    const std::span<const double> q(rows.q), v(rows.v);
    position_kinematics(model, q.subspan(i * model.nq, model.nq), kinematics_);
    velocity_kinematics(model, v.subspan(i * model.nv, model.nv), kinematics_);
    time_.push_back(rows.time[i]);
    for (int body = 0; body < static_cast<int>(model.bodies.size()); ++body) {
      const Pose X = frame_pose(model, kinematics_, body);
      put(pose_, X.p);
      const Quat orientation = to_quat(X.R);
      for (const double c : {orientation.w, orientation.x, orientation.y, orientation.z}) put(pose_, c);
      put(velocity_, kinematics_.c[body]);
      put(velocity_, kinematics_.w[body]);
    }
    const double h = run_.step_size_of_state(first + i);
    for (std::uint64_t c = rows.contact_offset[i]; c < rows.contact_offset[i + 1]; ++c) {
      add_contact(rows.contacts[c], h);
    }
    offset_.push_back(static_cast<std::uint32_t>(state_.size()));
  }

  void add_contact(const ContactRecord& contact, double h) {
    bodies_.insert(bodies_.end(), {contact.body_a, contact.body_b});
    shapes_.insert(shapes_.end(), {contact.shape_a, contact.shape_b});
    feature_.insert(feature_.end(), {static_cast<std::uint32_t>(contact.feature >> 32),
                                     static_cast<std::uint32_t>(contact.feature)});
    state_.push_back(static_cast<std::uint32_t>(contact.state));
    put(contact_, contact.point);
    put(contact_, contact.normal);
    put(contact_, contact.tangent);
    put(contact_, contact.gap);
    for (const double p : contact.impulse) put(contact_, h > 0 ? p / h : 0);
    for (const double u : contact.velocity) put(contact_, u);
    for (const double f : friction_of(run_.model(), contact.shape_a, contact.shape_b)) put(contact_, f);
  }

  const RunView& run_;
  Kinematics kinematics_;
  std::vector<double> time_;
  std::vector<float> pose_, velocity_, contact_;
  std::vector<std::uint32_t> offset_{0}, feature_, state_;
  std::vector<std::int32_t> bodies_, shapes_;
};

}  // namespace

std::string frames_chunk(const RunView& run, std::uint64_t first, std::uint64_t count) {
  ChunkBuilder chunk(run);
  chunk.add(first, count);
  return chunk.bytes(first);
}

std::string frames_chunk(const RunView& run, std::span<const std::uint64_t> states) {
  ChunkBuilder chunk(run);
  // Runs of consecutive states are read together.
  for (std::size_t i = 0; i < states.size();) {
    std::size_t end = i + 1;
    while (end < states.size() && states[end] == states[end - 1] + 1) ++end;
    chunk.add(states[i], end - i);
    i = end;
  }
  return chunk.bytes(0);
}

std::uint64_t chunk_bytes(const RunView& run, std::uint64_t states, std::uint64_t contacts) {
  const std::uint64_t bodies = run.model().bodies.size();
  return 6 * 4 + states * 8 + states * bodies * (7 + 6) * 4 + (states + 1) * 4 +
         contacts * (2 + 2 + 2 + 1 + kContactFloats) * 4;
}

std::uint64_t recommended_chunk_states(const RunView& run) {
  const std::uint64_t states = run.states();
  const std::uint64_t each = chunk_bytes(run, states, run.reader().contact_offset().back()) / states + 1;
  return std::clamp<std::uint64_t>(std::bit_floor(kTargetChunkBytes / each), 1, kMaxChunkStates);
}

}  // namespace pawl::internal
