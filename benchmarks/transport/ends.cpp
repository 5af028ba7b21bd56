// SPDX-License-Identifier: Apache-2.0
#include "ends.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "clock.hpp"

namespace ligament::bench {

std::atomic<bool> stopped{false};

namespace {

extern "C" void note_signal(int) { stopped.store(true, std::memory_order_relaxed); }

pool::EndpointDescription describe(const std::string& topic) {
  pool::EndpointDescription description;
  description.topic = "/" + topic;
  description.type_name = "ligament_bench/msg/Bytes";
  description.node = "/bench";
  description.qos = QoS(4).reliable().profile();
  return description;
}

}  // namespace

void fail(const std::string& text) {
  std::fprintf(stderr, "ligament-bench-transport: %s\n", text.c_str());
  std::exit(1);
}

void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = note_signal;  // without SA_RESTART: a wait ends
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

std::shared_ptr<pool::Domain> join(const Options& options) {
  auto domain = pool::Domain::join({.name = options.topic, .run_id = options.topic});
  if (!domain) {
    fail(domain.error().text);
  }
  return *domain;
}

std::unique_ptr<pool::Writer> create_writer(pool::Domain& domain, const Options& options,
                                            const std::string& topic) {
  pool::WriterOptions shape;
  shape.max_bytes = options.bytes;
  auto writer = domain.create_writer(describe(topic), shape);
  if (!writer) {
    fail(writer.error().text);
  }
  return std::move(*writer);
}

std::unique_ptr<pool::Reader> create_reader(pool::Domain& domain, pool::Waiter& waiter,
                                            const std::string& topic) {
  auto reader = domain.create_reader(describe(topic), waiter);
  if (!reader) {
    fail(reader.error().text);
  }
  return std::move(*reader);
}

std::unique_ptr<pool::Waiter> create_waiter(pool::Domain& domain) {
  auto waiter = domain.create_waiter();
  if (!waiter) {
    fail(waiter.error().text);
  }
  return std::move(*waiter);
}

void await_readers(const pool::Writer& writer, std::size_t readers) {
  const std::int64_t deadline_ns = now_ns() + 30'000'000'000;
  while (writer.matched_readers() < readers) {
    if (stopped.load(std::memory_order_relaxed) || now_ns() > deadline_ns) {
      fail(std::to_string(writer.matched_readers()) + " of " + std::to_string(readers) +
           " subscriptions came within 30 s");
    }
    sleep_until(now_ns() + 1'000'000);
  }
  sleep_until(now_ns() + 200'000'000);
}

}  // namespace ligament::bench
