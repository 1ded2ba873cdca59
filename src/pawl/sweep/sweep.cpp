#include <pawl/sweep/sweep.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <pawl/error.h>
#include <pawl/study/statistics.h>

namespace pawl::internal {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Hands out the samples of one round that are not stored yet, in order, and collects the rows.
class Exchange {
 public:
  Exchange(std::uint64_t begin, std::uint64_t end, const SweepOptions& options, std::vector<bool> stored)
      : next_(begin), end_(end), options_(options), stored_(std::move(stored)) {}

  std::optional<std::uint64_t> take() {
    const std::lock_guard lock(mutex_);
    while (next_ < end_ && (next_ % options_.shards != options_.shard || stored_[next_])) ++next_;
    if (next_ >= end_ || cancelled) return std::nullopt;
    return next_++;
  }

  void give(StudyRow row) {
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(row));
    changed_.notify_one();
  }

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    cancelled = true;
    changed_.notify_one();
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_one();
  }

  /// Waits a while for rows. `over` is set once all workers have left.
  std::vector<StudyRow> collect(int workers, bool& over) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(50),
                      [&] { return !rows_.empty() || left_ == workers; });
    over = left_ == workers;
    return std::exchange(rows_, {});
  }

  void rethrow() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

  std::atomic<bool> cancelled = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_, end_;
  const SweepOptions& options_;
  std::vector<bool> stored_;
  std::vector<StudyRow> rows_;
  std::exception_ptr error_;
  int left_ = 0;
};

/// Workers that end when the exchange has no more samples. The destructor cancels and waits.
class Workers {
 public:
  Workers(int count, Exchange& exchange, const StudyScene& scene, const Design& design, std::size_t outcomes)
      : exchange_(exchange) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([&exchange, &scene, &design, outcomes] {
        try {
          while (const auto sample = exchange.take()) {
            StudyRow row =
                run_sample(scene, *sample, sample_values(design, *sample), outcomes, exchange.cancelled);
            if (!exchange.cancelled) exchange.give(std::move(row));
          }
        } catch (...) {
          exchange.fail(std::current_exception());
        }
        exchange.leave();
      });
    }
  }
  ~Workers() {
    exchange_.cancelled = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  Exchange& exchange_;
  std::vector<std::thread> threads_;
};

/// Ends of the rounds after which the widest interval is looked at; a function of the size alone.
std::uint64_t next_round(std::uint64_t end) {
  return std::max<std::uint64_t>(100, end + end / 5);
}

std::uint64_t samples_of_shard(std::uint64_t n, const SweepOptions& options) {
  return n / options.shards + (n % options.shards > options.shard ? 1 : 0);
}

}  // namespace

std::vector<std::size_t> proportions_of(const StudyInfo& info) {
  std::vector<std::size_t> proportions;
  for (std::size_t i = 0; i < info.outcomes.size(); ++i) {
    const std::string& kind = info.outcomes[i].kind;
    if (kind == "pose" || kind == "event" || kind == "rest" || kind == "jam") proportions.push_back(i);
  }
  if (proportions.empty())
    throw Error("--until-interval needs an outcome that is a proportion: of type pose, event, rest or jam");
  return proportions;
}

double widest_interval(StudyStore& store, std::uint64_t end) {
  const std::vector<std::size_t> proportions = proportions_of(store.info());
  std::uint64_t n = 0;
  std::vector<std::map<std::string, std::uint64_t>> counts(proportions.size());
  store.read(
      [&](const StudyRow& row) {
        if (row.status != RunStatus::certified) return;
        ++n;
        for (std::size_t i = 0; i < proportions.size(); ++i) {
          const OutcomeValue& value = row.outcomes[proportions[i]];
          const std::string* name = std::get_if<std::string>(&value);
          ++counts[i][name != nullptr ? *name : std::holds_alternative<double>(value) ? "yes" : "no"];
        }
      },
      end);
  double widest = 0;
  for (const auto& count : counts) {
    if (count.empty()) return 1;
    for (const auto& [name, k] : count) {
      const Interval interval = wilson_interval(k, n);
      widest = std::max(widest, interval.high - interval.low);
    }
  }
  return widest;
}

SweepResult sweep(
    const StudyScene& scene, const Design& design, const SweepOptions& options, StudyStore& store,
    const std::function<bool(const SweepProgress& progress, const std::vector<StudyRow>& rows)>& tell) {
  const Clock::time_point start = Clock::now();
  SweepResult result;
  result.progress.stored = store.size();
  result.progress.total = samples_of_shard(design.size(), options);
  std::uint64_t begin = 0;
  while (begin < design.size() && !result.interrupted) {
    const std::uint64_t end =
        options.until_interval ? std::min(next_round(begin), design.size()) : design.size();
    Exchange exchange(begin, end, options, store.stored(end));
    const Workers workers(options.jobs, exchange, scene, design, store.info().outcomes.size());
    for (bool over = false; !over;) {
      const std::vector<StudyRow> rows = exchange.collect(options.jobs, over);
      const Clock::time_point work = Clock::now();
      store.insert(rows);
      result.progress.stored += rows.size();
      result.progress.now += rows.size();
      result.progress.seconds = seconds(Clock::now() - start);
      if (!tell(result.progress, rows)) {
        result.interrupted = true;
        exchange.cancelled = true;
      }
      result.manager_seconds += seconds(Clock::now() - work);
    }
    exchange.rethrow();
    begin = end;
    if (options.until_interval && !result.interrupted &&
        widest_interval(store, end) <= *options.until_interval)
      break;
  }
  return result;
}

}  // namespace pawl::internal
