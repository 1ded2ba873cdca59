#include <pawl/view/series.h>

#include <algorithm>
#include <cstring>

#include <pawl/record/trajectory_layout.h>
#include <pawl/view/downsampler.h>
#include <pawl/view/json_text.h>

namespace pawl::internal {
namespace {

constexpr std::uint64_t kRowsPerRead = 16384;  // rows per read, so that memory does not grow with the run

struct Rows {
  std::uint64_t first = 0, count = 0;
};

/// Rows with times in the range.
Rows rows_within(const std::vector<double>& time, const SeriesRange& range) {
  const auto begin = std::ranges::lower_bound(time, range.from);
  const auto end = std::upper_bound(begin, time.end(), range.to);
  return {static_cast<std::uint64_t>(begin - time.begin()), static_cast<std::uint64_t>(end - begin)};
}

double column_value(const EnergyLedger& energy, const layout::Column& column) {
  double value = 0;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&energy) + column.offset, sizeof value);
  return value;
}

void append_index(std::string& json, std::uint64_t value) {
  json += std::to_string(value);
}

/// Reads a long table twice in blocks: once to select rows, once to collect them. read(first, count) returns
/// a block; evaluate(row, values) fills the values that the downsampling compares.
template <class Row, class Read, class Evaluate>
std::pair<std::vector<std::uint64_t>, std::vector<Row>> downsample(Rows rows, std::uint64_t points,
                                                                   std::size_t columns, Read read,
                                                                   Evaluate evaluate) {
  const auto for_each_block = [&](auto visit) {
    for (std::uint64_t done = 0; done < rows.count; done += kRowsPerRead) {
      visit(done, read(rows.first + done, std::min(kRowsPerRead, rows.count - done)));
    }
  };
  Downsampler downsampler(rows.count, points, columns);
  std::vector<double> values(columns);
  for_each_block([&](std::uint64_t, const std::vector<Row>& block) {
    for (const Row& row : block) {
      evaluate(row, values.data());
      downsampler.add(values.data());
    }
  });
  std::pair<std::vector<std::uint64_t>, std::vector<Row>> result;
  std::vector<std::uint64_t>& index = result.first;
  std::vector<Row>& taken = result.second;
  index = downsampler.finish();
  taken.reserve(index.size());
  for_each_block([&](std::uint64_t done, const std::vector<Row>& block) {
    while (taken.size() < index.size() && index[taken.size()] < done + block.size()) {
      taken.push_back(block[index[taken.size()] - done]);
    }
  });
  for (std::uint64_t& row : index) row += rows.first;
  return result;
}

void append_states(std::string& json, const RunView& run, const SeriesRange& range,
                   std::span<const std::uint64_t> kept) {
  const auto columns = layout::energy_table().columns;
  const std::vector<double>& time = run.reader().time();
  const auto taken = downsample<EnergyLedger>(
      rows_within(time, range), range.points, columns.size(),
      [&](std::uint64_t first, std::uint64_t count) { return run.reader().read_energy(first, count); },
      [&](const EnergyLedger& energy, double* values) {
        for (const layout::Column& column : columns) *values++ = column_value(energy, column);
      });
  const std::vector<std::uint64_t>& index = taken.first;
  const std::vector<EnergyLedger>& energies = taken.second;
  append_list(json, "index", index.size(),
              [&](std::string& out, std::size_t i) { append_index(out, kept_index(kept, index[i])); });
  json += ',';
  append_list(json, "time", index.size(),
              [&](std::string& out, std::size_t i) { append_number(out, time[index[i]]); });
  for (const layout::Column& column : columns) {
    json += ',';
    append_list(json, column.name, index.size(), [&](std::string& out, std::size_t i) {
      append_number(out, column_value(energies[i], column));
    });
  }
}

void append_steps(std::string& json, const RunView& run, const SeriesRange& range,
                  std::span<const std::uint64_t> kept) {
  const auto taken = downsample<StepReport>(
      rows_within(run.reader().step_time(), range), range.points, 6,
      [&](std::uint64_t first, std::uint64_t count) { return run.reader().read_steps(first, count); },
      [](const StepReport& step, double* values) {
        values[0] = step.residual.natural_map;
        values[1] = step.gap_violation;
        values[2] = step.joint_violation;
        values[3] = step.contacts;
        values[4] = step.iterations;
        values[5] = static_cast<double>(step.status);
      });
  const std::vector<std::uint64_t>& index = taken.first;
  const std::vector<StepReport>& steps = taken.second;
  const auto list = [&](std::string_view name, auto value_of) {
    append_list(json, name, steps.size(), [&](std::string& out, std::size_t i) {
      append_number(out, static_cast<double>(value_of(steps[i])));
    });
    json += ',';
  };
  list("time", [](const StepReport& step) { return step.time; });
  list("natural_map", [](const StepReport& step) { return step.residual.natural_map; });
  list("gap_violation", [](const StepReport& step) { return step.gap_violation; });
  list("joint_violation", [](const StepReport& step) { return step.joint_violation; });
  list("contacts", [](const StepReport& step) { return step.contacts; });
  list("iterations", [](const StepReport& step) { return step.iterations; });
  list("status", [](const StepReport& step) { return static_cast<int>(step.status); });
  append_list(json, "state", index.size(), [&](std::string& out, std::size_t i) {
    append_index(out, kept_index(kept, run.state_of_step(index[i])));
  });
}

struct ContactSample {
  double time = 0;
  std::uint64_t state = 0;
  double gap = 0;
  std::array<double, 4> force{}, velocity{};
};

std::vector<ContactSample> samples_of(const RunView& run, const ContactKey& key) {
  const std::vector<std::uint64_t>& offset = run.reader().contact_offset();
  std::vector<ContactSample> samples;
  for (std::uint64_t first = 0, end = 0; first < run.states(); first = end) {
    while (end < run.states() && (end == first || offset[end + 1] - offset[first] <= kRowsPerRead)) ++end;
    const std::vector<ContactRecord> contacts = run.reader().read_contacts(first, end - first);
    std::uint64_t state = first;
    for (std::uint64_t c = 0; c < contacts.size(); ++c) {
      while (offset[state + 1] - offset[first] <= c) ++state;
      const ContactRecord& contact = contacts[c];
      if (contact.shape_a != key.shape_a || contact.shape_b != key.shape_b || contact.feature != key.feature)
        continue;
      const double h = run.step_size_of_state(state);
      ContactSample sample{run.reader().time()[state], state, contact.gap, {}, contact.velocity};
      for (int i = 0; i < 4; ++i) sample.force[i] = h > 0 ? contact.impulse[i] / h : 0;
      samples.push_back(sample);
    }
  }
  return samples;
}

void append_array(std::string& json, const std::array<double, 4>& values) {
  for (int i = 0; i < 4; ++i) {
    json += i == 0 ? '[' : ',';
    append_number(json, values[i]);
  }
  json += ']';
}

}  // namespace

std::uint64_t kept_index(std::span<const std::uint64_t> kept, std::uint64_t state) {
  if (kept.empty()) return state;
  const auto at = std::ranges::lower_bound(kept, state);
  return at == kept.end() ? kept.size() - 1 : at - kept.begin();
}

std::string series_json(const RunView& run, const SeriesRange& range, std::span<const std::uint64_t> kept) {
  std::string json = "{\"states\":{";
  append_states(json, run, range, kept);
  json += "},\"steps\":{";
  append_steps(json, run, range, kept);
  return json + "}}";
}

std::string contact_json(const RunView& run, const ContactKey& key, std::uint64_t points) {
  const std::vector<ContactSample> samples = samples_of(run, key);
  Downsampler downsampler(samples.size(), points, 9);
  for (const ContactSample& sample : samples) {
    std::array<double, 9> values{sample.gap};
    std::ranges::copy(sample.force, values.begin() + 1);
    std::ranges::copy(sample.velocity, values.begin() + 5);
    downsampler.add(values.data());
  }
  const std::vector<std::uint64_t> rows = downsampler.finish();
  std::string json = "{";
  const auto list = [&](std::string_view name, auto write) {
    if (json.size() > 1) json += ',';
    append_list(json, name, rows.size(),
                [&](std::string& out, std::size_t i) { write(out, samples[rows[i]]); });
  };
  list("time", [](std::string& out, const ContactSample& s) { append_number(out, s.time); });
  list("state", [](std::string& out, const ContactSample& s) { append_index(out, s.state); });
  list("gap", [](std::string& out, const ContactSample& s) { append_number(out, s.gap); });
  list("force", [](std::string& out, const ContactSample& s) { append_array(out, s.force); });
  list("velocity", [](std::string& out, const ContactSample& s) { append_array(out, s.velocity); });
  return json + "}";
}

}  // namespace pawl::internal
