// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "pool_ends.hpp"

namespace bench {

namespace pool = ligament::pool;

namespace {

constexpr std::size_t head_size = 8;  // encapsulation, and the text's length

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
    const std::int64_t begin = pool::monotonic_now_ns();
    pool::Loan loan = made_loan(message.size());
    std::memcpy(loan.payload().data(), message.data(), message.size());
    if (!writer_->publish(std::move(loan))) {
      fail("a message could not be published");
    }
    await_answer(message, begin + patience_ns);
    return pool::monotonic_now_ns() - begin;
  }

 private:
  pool::Loan made_loan(std::size_t size) {
    auto loan = writer_->loan(size);
    if (!loan) {
      fail("there is no memory for a message of " + std::to_string(size) + " bytes");
    }
    return std::move(*loan);
  }
  void await_answer(const std::string& message, std::int64_t deadline) {
    for (;;) {
      auto taken = reader_->take();
      if (taken && *taken) {
        const auto payload = (**taken).payload();
        if (payload.size() == message.size() &&
            std::memcmp(payload.data(), message.data(), message.size()) == 0) {
          return;
        }
        fail("an answer is not what was said");
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

}  // namespace

void ping(const PingOptions& options) {
  Ping node(options);
  node.await_core();
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
