// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ligament/device_clock.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "pool_ends.hpp"

namespace bench {

namespace pool = ligament::pool;

namespace {

constexpr std::size_t head_size = 8;    // encapsulation, and the text's length
constexpr std::size_t stamp_size = 16;  // digits of the core's clock (image/one_way.c)
constexpr double us_in_ns = 1000;

pool::EndpointDescription text_topic(const char* topic, const std::string& type_hash) {
  return describe(topic, "std_msgs/msg/String", type_hash, true);
}

/// A std_msgs/String as the pool stores it.
std::string stored(const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size() + 1);
  std::string bytes(head_size, '\0');
  bytes[1] = 1;  // CDR, little-endian
  std::memcpy(bytes.data() + 4, &length, sizeof length);
  return bytes + text + '\0';
}

class Ping {
 public:
  explicit Ping(const PingOptions& options)
      : domain_(made(pool::Domain::join({options.domain, "ros"}))),
        waiter_(made(domain_->create_waiter())),
        reader_(made(domain_->create_reader(text_topic("/pong", options.type_hash), *waiter_))),
        writer_(made(domain_->create_writer(text_topic("/ping", options.type_hash), {}))) {}

  /// Nothing tells of a match but the counts.
  void await_core() {
    const std::int64_t deadline = pool::monotonic_now_ns() + patience_ns;
    while (writer_->matched_readers() == 0 || reader_->matched_writers() == 0) {
      if (pool::monotonic_now_ns() > deadline) {
        fail("no node answers /ping on /pong");
      }
      (void)waiter_->wait(pool::WaitStrategy::sleep(), pool::monotonic_now_ns() + 1'000'000);
    }
  }

  std::int64_t round_trip_ns(const std::string& message) {
    const std::int64_t begin = say(message);
    await_answer(begin + patience_ns, [&](const std::string& answer) { return answer == message; });
    return pool::monotonic_now_ns() - begin;
  }
  /// When it was said and its answer was here; between them the core has read its clock, in us.
  ligament::device::ClockSample stamped(const std::string& message) {
    ligament::device::ClockSample sample;
    sample.host_before_ns = say(message);
    await_answer(sample.host_before_ns + patience_ns, [&](const std::string& answer) {
      const char* stamp = answer.data() + head_size;
      const auto read = std::from_chars(stamp, stamp + stamp_size, sample.ticks, 16);
      return read.ptr == stamp + stamp_size &&
             answer.substr(head_size + stamp_size) == message.substr(head_size + stamp_size);
    });
    sample.host_after_ns = pool::monotonic_now_ns();
    return sample;
  }

 private:
  /// When it began to.
  std::int64_t say(const std::string& message) {
    const std::int64_t begin = pool::monotonic_now_ns();
    pool::Loan loan = made_loan(message.size());
    std::memcpy(loan.payload().data(), message.data(), message.size());
    if (!writer_->publish(std::move(loan))) {
      fail("a message could not be published");
    }
    return begin;
  }
  pool::Loan made_loan(std::size_t size) {
    auto loan = writer_->loan(size);
    if (!loan) {
      fail("there is no memory for a message of " + std::to_string(size) + " bytes");
    }
    return std::move(*loan);
  }
  template <typename IsRight>
  void await_answer(std::int64_t deadline, const IsRight& is_right) {
    for (;;) {
      auto taken = reader_->take();
      if (taken && *taken) {
        const auto payload = (**taken).payload();
        if (!is_right(std::string(reinterpret_cast<const char*>(payload.data()), payload.size()))) {
          fail("an answer is not what was said");
        }
        return;
      }
      if (waiter_->wait(pool::WaitStrategy::sleep(), deadline) == pool::WaitResult::timeout) {
        fail("no answer within " + std::to_string(patience_ns / 1'000'000'000) + " s");
      }
    }
  }

  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<pool::Reader> reader_;
  std::unique_ptr<pool::Writer> writer_;
};

using Samples = std::vector<ligament::device::ClockSample>;

/// Of each tenth the one with the shortest way there and back: a wide one says less than its
/// neighbours, and would only make the bound worse.
Samples narrow(const Samples& all) {
  constexpr std::size_t parts = 10;
  const auto width = [](const auto& sample) {
    return sample.host_after_ns - sample.host_before_ns;
  };
  Samples kept;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(all.size() * part / parts);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(all.size() * (part + 1) / parts);
    const auto least = std::min_element(
        begin, end, [&](const auto& one, const auto& other) { return width(one) < width(other); });
    if (least != end) {
      kept.push_back(*least);
    }
  }
  return kept;
}

/// Between each two messages a small one, by which the clocks are compared: its way is short.
void one_way(Ping& node, const PingOptions& options) {
  Samples clock;
  Samples measured;
  for (std::size_t count = 0; count < options.warmup + options.messages; ++count) {
    clock.push_back(node.stamped(stored(text_of(stamp_size, count))));
    const auto sample = node.stamped(stored(text_of(options.bytes, count)));
    if (count >= options.warmup) {
      measured.push_back(sample);
    }
  }
  const auto mapping = ligament::device::fit_clock(narrow(clock));
  if (!mapping) {
    fail("the core's clock does not run evenly");
  }
  nlohmann::json told{{"to_core_ns", nlohmann::json::array()},
                      {"to_host_ns", nlohmann::json::array()},
                      {"bound_ns", mapping->bound_ns},
                      {"drift_ppm", mapping->drift_ppm(1e9 / us_in_ns)}};
  for (const auto& sample : measured) {
    const std::int64_t there = mapping->to_host(sample.ticks).ns;
    told["to_core_ns"].push_back(there - sample.host_before_ns);
    told["to_host_ns"].push_back(sample.host_after_ns - there);
  }
  std::printf("%s\n", told.dump().c_str());
}

}  // namespace

void ping(const PingOptions& options) {
  Ping node(options);
  node.await_core();
  if (options.is_one_way) {
    return one_way(node, options);
  }
  std::vector<std::int64_t> times;
  times.reserve(options.messages);
  for (std::size_t count = 0; count < options.warmup + options.messages; ++count) {
    const std::int64_t time = node.round_trip_ns(stored(text_of(options.bytes, count)));
    if (count >= options.warmup) {
      times.push_back(time);
    }
    if (options.pause_ns != 0) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(options.pause_ns));
    }
  }
  print_round_trips(times);
}

}  // namespace bench
