// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"

#include <sstream>

#include "clock.hpp"

namespace peer {
namespace {

// Room for all values, its pages already mapped: no page fault falls between two messages.
std::vector<std::int64_t> reserve(std::uint64_t messages) {
  std::vector<std::int64_t> values(messages, 1);
  values.clear();
  return values;
}

void write_array(std::ostream& out, const char* name, const std::vector<std::int64_t>& values) {
  out << ",\"" << name << "\":[";
  const char* separator = "";
  for (const std::int64_t value : values) {
    out << separator << value;
    separator = ",";
  }
  out << "]";
}

}  // namespace

void Span::mark() {
  last_ = {.wall = now(), .cpu = cpu()};
  if (!begun_) first_ = last_;
  begun_ = true;
}

std::string Span::json() const {
  return "\"cpu_ns\":" + std::to_string(last_.cpu - first_.cpu) +
         ",\"wall_ns\":" + std::to_string(last_.wall - first_.wall);
}

Received::Received(const Options& options)
    : index_(options.index),
      warmup_(options.warmup),
      measured_(options.messages),
      latency_ns_(reserve(options.messages)) {}

bool Received::add(const Message& message) {
  const std::uint64_t total = warmup_ + measured_;
  if (message.torn || message.sequence <= newest_) {
    ++(message.torn ? torn_ : disorder_);
    return newest_ >= total;
  }
  newest_ = message.sequence;
  idle_ = false;
  if (newest_ > warmup_) {
    latency_ns_.push_back(message.received_at - message.sent_at);
    if (!span_.begun() || newest_ >= total) span_.mark();
  }
  return newest_ >= total;
}

void Received::pause() {
  if (!idle_ && span_.begun()) span_.mark();
  idle_ = true;
}

std::string Received::json(const std::string& role) const {
  std::ostringstream out;
  const std::uint64_t received = latency_ns_.size();
  out << R"({"role":")" << role << R"(","index":)" << index_ << R"(,"received":)" << received
      << R"(,"lost":)" << (measured_ > received ? measured_ - received : 0) << R"(,"torn":)"
      << torn_ << R"(,"disorder":)" << disorder_ << "," << span_.json();
  write_array(out, "latency_ns", latency_ns_);
  out << "}";
  return out.str();
}

Sent::Sent(const Options& options)
    : publish_ns_(reserve(options.messages)), loan_publish_ns_(reserve(options.messages)) {}

void Sent::add(const std::optional<Published>& published) {
  if (!published) {
    ++failed_;
    return;
  }
  publish_ns_.push_back(published->end - published->sent_at);
  loan_publish_ns_.push_back(published->end - published->begin);
}

std::string Sent::json() const {
  std::ostringstream out;
  out << R"({"role":"publish","sent":)" << publish_ns_.size() << R"(,"failed":)" << failed_ << ","
      << span_.json();
  write_array(out, "publish_ns", publish_ns_);
  write_array(out, "loan_publish_ns", loan_publish_ns_);
  out << "}";
  return out.str();
}

Rounds::Rounds(const Options& options) : round_trip_ns_(reserve(options.messages)) {}

void Rounds::add(const std::optional<std::int64_t>& round_trip_ns) {
  if (round_trip_ns) {
    round_trip_ns_.push_back(*round_trip_ns);
  } else {
    ++lost_;
  }
}

std::string Rounds::json() const {
  std::ostringstream out;
  out << R"({"role":"ping","received":)" << round_trip_ns_.size() << R"(,"lost":)" << lost_ << ","
      << span_.json();
  write_array(out, "round_trip_ns", round_trip_ns_);
  out << "}";
  return out.str();
}

}  // namespace peer
