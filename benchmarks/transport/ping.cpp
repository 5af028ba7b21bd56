// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "ends.hpp"
#include "record.hpp"

namespace ligament::bench {

namespace {

/// A writer on one topic and a reader on the other.
struct Pair {
  Pair(const Options& options, const char* out, const char* in)
      : domain(join(options)),
        waiter(create_waiter(*domain)),
        reader(create_reader(*domain, *waiter, options.topic + in)),
        writer(create_writer(*domain, options, options.topic + out)) {}

  /// False if there was no block to send it in.
  bool send(const Options& options, std::uint64_t sequence, std::int64_t& sent_ns) const {
    auto loan = writer->loan(options.bytes);
    if (!loan) {
      return false;
    }
    if (sequence <= options.warmup) {
      std::memset(loan->payload().data(), 0x5a, loan->payload().size());
    }
    write_sequence(loan->payload(), sequence);
    sent_ns = now_ns();
    write_time(loan->payload(), sent_ns);
    return writer->publish(std::move(*loan)).has_value();
  }

  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  std::unique_ptr<pool::Reader> reader;
  std::unique_ptr<pool::Writer> writer;
};

}  // namespace

int pong(const Options& options) {
  stop_on_signals();
  const Pair pair(options, "-pong", "-ping");
  print_ready();
  std::uint64_t sequence = 0;
  std::int64_t last_ns = 0;
  const auto answer = [&](const Stamp& stamp, std::int64_t now) {
    std::int64_t sent_ns = 0;
    last_ns = now;
    sequence = stamp.sequence;
    if (!pair.send(options, sequence, sent_ns)) {
      fail("an answer could not be sent");
    }
  };
  while (sequence < options.total() &&
         take_one(*pair.reader, *pair.waiter, options.wait, last_ns, answer)) {
  }
  print_line({{"role", "pong"}, {"answered", sequence}});
  return 0;
}

int ping(const Options& options) {
  stop_on_signals();
  const Pair pair(options, "-ping", "-pong");
  print_ready();
  await_readers(*pair.writer, 1);
  auto round_trip_ns = make_series(options.messages);
  Span span;
  Pacer pacer(options);
  for (std::uint64_t sequence = 1; sequence <= options.total(); ++sequence) {
    pacer.wait();
    if (sequence == options.warmup + 1) {
      span.begin(now_ns());
    }
    std::int64_t sent_ns = 0;
    std::int64_t back_ns = 0;
    if (!pair.send(options, sequence, sent_ns) ||
        !take_one(*pair.reader, *pair.waiter, options.wait, sent_ns,
                  [&](const Stamp&, std::int64_t now) { back_ns = now; })) {
      fail("no answer to message " + std::to_string(sequence) + " within 3 s");
    }
    if (sequence > options.warmup) {
      round_trip_ns.push_back(back_ns - sent_ns);
    }
  }
  span.end(now_ns());
  print_line({{"role", "ping"},
              {"round_trip_ns", round_trip_ns},
              {"failed", 0},
              {"cpu_ns", span.cpu_ns()},
              {"wall_ns", span.wall_ns()}});
  return 0;
}

}  // namespace ligament::bench
