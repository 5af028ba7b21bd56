// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "ends.hpp"
#include "record.hpp"

namespace ligament::bench {

namespace {

nlohmann::json difference(const pool::SystemCalls& before, const pool::SystemCalls& after) {
  return {{"futex_waits", after.futex_waits - before.futex_waits},
          {"futex_wakes", after.futex_wakes - before.futex_wakes},
          {"lock_sleeps", after.lock_sleeps - before.lock_sleeps},
          {"growths", after.growths - before.growths}};
}

/// What a reading of the clock costs: it is in every figure.
std::int64_t clock_cost_ns() {
  constexpr int readings = 1000;
  const std::int64_t begin = now_ns();
  for (int i = 1; i < readings; ++i) {
    (void)now_ns();
  }
  return (now_ns() - begin) / readings;
}

class Sender {
 public:
  Sender(pool::Writer& writer, const Options& options)
      : writer_(writer),
        options_(options),
        publish_ns_(make_series(options.messages)),
        loan_publish_ns_(make_series(options.messages)) {}

  void send_all() {
    Pacer pacer(options_);
    for (std::uint64_t sequence = 1; sequence <= options_.warmup; ++sequence) {
      pacer.wait();
      send_warmup(sequence);
    }
    calls_before_ = pool::system_calls();
    span_.begin(now_ns());
    for (std::uint64_t sequence = options_.warmup + 1; sequence <= options_.total(); ++sequence) {
      pacer.wait();
      send(sequence);
    }
    span_.end(now_ns());
    calls_after_ = pool::system_calls();
  }

  [[nodiscard]] nlohmann::json to_json() const {
    return {{"role", "publish"},
            {"sent", publish_ns_.size()},
            {"publish_ns", publish_ns_},
            {"loan_publish_ns", loan_publish_ns_},
            {"failed", failed_},
            {"cpu_ns", span_.cpu_ns()},
            {"wall_ns", span_.wall_ns()},
            {"clock_ns", clock_cost_ns()},
            {"system_calls", difference(calls_before_, calls_after_)}};
  }

 private:
  /// Writes every byte: afterwards no page of a block is touched for the first time.
  void send_warmup(std::uint64_t sequence) {
    if (auto loan = writer_.loan(options_.bytes)) {
      std::memset(loan->payload().data(), 0x5a, loan->payload().size());
      write_sequence(loan->payload(), sequence);
      write_time(loan->payload(), now_ns());
      (void)writer_.publish(std::move(*loan));
    }
  }

  void send(std::uint64_t sequence) {
    const std::int64_t begin = now_ns();
    auto loan = writer_.loan(options_.bytes);
    if (!loan) {
      ++failed_;
      return;
    }
    write_sequence(loan->payload(), sequence);
    const std::int64_t sent = now_ns();
    write_time(loan->payload(), sent);
    const bool good = writer_.publish(std::move(*loan)).has_value();
    const std::int64_t end = now_ns();
    if (!good) {
      ++failed_;
      return;
    }
    publish_ns_.push_back(end - sent);
    loan_publish_ns_.push_back(end - begin);
  }

  pool::Writer& writer_;
  const Options& options_;
  std::vector<std::int64_t> publish_ns_;
  std::vector<std::int64_t> loan_publish_ns_;
  std::uint64_t failed_ = 0;
  Span span_;
  pool::SystemCalls calls_before_;
  pool::SystemCalls calls_after_;
};

}  // namespace

int publish(const Options& options) {
  stop_on_signals();
  const auto domain = join(options);
  const auto writer = create_writer(*domain, options, options.topic);
  print_ready();
  await_readers(*writer, options.subscribers);
  Sender sender(*writer, options);
  sender.send_all();
  print_line(sender.to_json());
  return 0;
}

}  // namespace ligament::bench
