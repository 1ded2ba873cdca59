#pragma once
// Packs what a step leaves for the next into State::history, and unpacks it.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include <pawl/model.h>
#include <pawl/run_options.h>

namespace pawl::internal {

inline constexpr const char* kForeignHistory =
    "the history of the state is not one of this model, method and step";

/// One function lists the values, for both directions: transfer(a); transfer(b).
class History {
 public:
  /// Writes to `words`, from their beginning.
  static History writer(std::vector<std::uint64_t>& words) {
    words.clear();
    return History(&words, {});
  }
  static History reader(std::span<const std::uint64_t> words) { return History(nullptr, words); }

  /// False if words were missing, or left over, or not as expected.
  bool complete() const { return valid_ && rest_.empty(); }
  void fail() { valid_ = false; }
  /// Writes the value, or fails if another one was written.
  void expect(std::uint64_t value) {
    std::uint64_t found = value;
    transfer(found);
    valid_ &= found == value;
  }
  /// The counts by which indices in the history are valid.
  void expect(const Model& model) {
    for (const std::size_t count :
         {model.q_start.size(), model.v_start.size(), model.bodies.size(), model.shapes.size(),
          model.joints.size(), model.drives.size(), model.forces.size()})
      expect(count);
  }

  /// The time grid counts in steps, and each method keeps what it needs.
  void expect(const RunOptions& options) {
    expect(std::bit_cast<std::uint64_t>(options.step));
    const auto method = std::ranges::find(kMethodNames, options.method);
    expect(static_cast<std::uint64_t>(method - kMethodNames.begin()));
  }

  void transfer(std::uint64_t& value) {
    if (out_ != nullptr) {
      out_->push_back(value);
    } else if (rest_.empty()) {
      valid_ = false;
      value = 0;
    } else {
      value = rest_.front();
      rest_ = rest_.subspan(1);
    }
  }
  void transfer(double& value) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    transfer(bits);
    value = std::bit_cast<double>(bits);
  }
  template <std::signed_integral Integer>
  void transfer(Integer& value) {
    auto bits = std::bit_cast<std::uint64_t>(std::int64_t{value});
    transfer(bits);
    value = static_cast<Integer>(std::bit_cast<std::int64_t>(bits));
  }
  void transfer(bool& value) {
    std::uint64_t bit = value ? 1 : 0;
    transfer(bit);
    value = bit != 0;
  }
  void transfer(ContactId& id) {
    transfer(id.shape_a);
    transfer(id.shape_b);
    transfer(id.feature);
  }
  void transfer(Vec3& vector) {
    for (int i = 0; i < 3; ++i) transfer(vector[i]);
  }
  void transfer(Contact& contact) {
    transfer(contact.id);
    transfer(contact.body_a);
    transfer(contact.body_b);
    transfer(contact.gap);
    transfer(contact.point_a);
    transfer(contact.point_b);
    transfer(contact.normal);
  }
  template <class Value, std::size_t N>
  void transfer(std::array<Value, N>& values) {
    for (Value& value : values) transfer(value);
  }
  template <class Value>
  void transfer(std::vector<Value>& values) {
    transfer(values, [this](Value& value) { transfer(value); });
  }
  template <class Value, class Each>
  void transfer(std::vector<Value>& values, const Each& each) {
    std::uint64_t count = values.size();
    transfer(count);
    if (out_ == nullptr) {
      if (count > rest_.size()) {  // each has a word at least
        valid_ = false;
        count = 0;
      }
      values.resize(count);
    }
    for (Value& value : values) each(value);
  }

 private:
  History(std::vector<std::uint64_t>* out, std::span<const std::uint64_t> in) : out_(out), rest_(in) {}

  std::vector<std::uint64_t>* out_;
  std::span<const std::uint64_t> rest_;
  bool valid_ = true;
};

}  // namespace pawl::internal
