// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "ends.hpp"

namespace ligament::bench {

void Span::begin(std::int64_t now_ns) {
  begin_ns_ = now_ns;
  end_ns_ = now_ns;
  begin_cpu_ns_ = cpu_now_ns();
}

void Span::end(std::int64_t last_ns) {
  if (begin_ns_ != 0) {
    end_ns_ = last_ns;
    cpu_ns_ = cpu_now_ns() - begin_cpu_ns_;
  }
}

std::vector<std::int64_t> make_series(std::size_t count) {
  std::vector<std::int64_t> series(count, 1);
  series.clear();
  return series;
}

Receipts::Receipts(const Options& options)
    : warmup_(options.warmup),
      total_(options.total()),
      latency_ns_(make_series(options.messages)) {}

bool Receipts::note(const Stamp& stamp, std::int64_t now_ns) {
  if (stamp.sequence <= last_sequence_ || stamp.sequence > total_) {
    fail("message " + std::to_string(stamp.sequence) + " came after message " +
         std::to_string(last_sequence_) + " of " + std::to_string(total_));
  }
  last_ns_ = now_ns;
  last_sequence_ = stamp.sequence;
  if (stamp.sequence > warmup_) {
    latency_ns_.push_back(now_ns - stamp.sent_ns);
    if (latency_ns_.size() == 1) {
      span_.begin(now_ns);
    }
  }
  return stamp.sequence >= total_;
}

nlohmann::json Receipts::to_json(const Options& options) const {
  return {{"role", "subscribe"},
          {"index", options.index},
          {"received", latency_ns_.size()},
          {"lost", options.messages - latency_ns_.size()},
          {"latency_ns", latency_ns_},
          {"cpu_ns", span_.cpu_ns()},
          {"wall_ns", span_.wall_ns()}};
}

void print_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

void print_line(const nlohmann::json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace ligament::bench
