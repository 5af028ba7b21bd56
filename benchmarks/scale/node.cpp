// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <algorithm>
#include <cstring>
#include <iostream>

namespace bench {

namespace pool = ligament::pool;

namespace {

std::string topic_name(std::size_t node, std::size_t topic) {
  return "/scale/n" + std::to_string(node) + "/t" + std::to_string(topic);
}

void print(const nlohmann::json& line) { std::cout << line.dump() << std::endl; }

}  // namespace

Node::Node(NodeOptions options) : options_(std::move(options)) {}

std::size_t Node::distance(std::size_t topic) const {
  return 1 + topic * (options_.nodes - 1) / options_.topics;
}

std::string Node::start() {
  auto joined = pool::Domain::join({options_.domain, "bench"});
  if (!joined) {
    return joined.error().text;
  }
  domain_ = std::move(*joined);
  auto waiter = domain_->create_waiter();
  if (!waiter) {
    return waiter.error().text;
  }
  waiter_ = std::move(*waiter);
  pool::EndpointDescription description;
  description.type_name = "bench/msg/Bytes";
  description.node = "/n" + std::to_string(options_.index);
  description.qos.depth = options_.depth;
  for (std::size_t topic = 0; topic < options_.topics; ++topic) {
    description.topic = topic_name(options_.index, topic);
    auto writer = domain_->create_writer(description, {.max_bytes = options_.bytes});
    description.topic = topic_name((options_.index + distance(topic)) % options_.nodes, topic);
    auto reader = domain_->create_reader(description, *waiter_);
    if (!writer || !reader) {
      return writer ? reader.error().text : writer.error().text;
    }
    writers_.push_back(std::move(*writer));
    readers_.push_back(std::move(*reader));
  }
  return {};
}

bool Node::is_matched() const {
  return std::all_of(writers_.begin(), writers_.end(),
                     [](const auto& writer) { return writer->matched_readers() == 1; }) &&
         std::all_of(readers_.begin(), readers_.end(),
                     [](const auto& reader) { return reader->matched_writers() == 1; });
}

void Node::obey(const Orders& orders) {
  const std::lock_guard guard(mutex_);
  new_orders_ = orders;
  ordered_.store(true);
  waiter_->wake();
}

void Node::stop() {
  stop_.store(true);
  waiter_->wake();
}

nlohmann::json Node::counts() const {
  std::uint64_t lost = 0;
  for (const auto& reader : readers_) {
    lost += reader->stats().lost;
  }
  return {{"published", published_}, {"taken", taken_}, {"lost", lost}, {"failed", failed_}};
}

void Node::run() {
  while (!stop_.load()) {
    (void)waiter_->wait(pool::WaitStrategy::sleep(), next_due());
    take_all();  // first: the probe's time counts until here
    receive_orders(pool::monotonic_now_ns());
    publish_due(pool::monotonic_now_ns());
  }
}

Node::Clock Node::next_due() const { return std::min(next_load_, next_probe_); }

void Node::receive_orders(Clock now) {
  if (!ordered_.exchange(false)) {
    return;
  }
  {
    const std::lock_guard guard(mutex_);
    orders_ = new_orders_;
  }
  latencies_.clear();
  lost_before_ = readers_.empty() ? 0 : readers_.front()->stats().lost;
  latencies_.reserve(orders_.probes_to_take);
  next_probe_ = orders_.probes_to_send != 0 ? now + orders_.probe_period_ns : pool::no_deadline;
  next_load_ = pool::no_deadline;
  if (orders_.load_hz > 0) {
    // Each node at its own moment of the period, as in a graph of independent timers.
    const double share = static_cast<double>(options_.index) / static_cast<double>(options_.nodes);
    next_load_ = now + static_cast<Clock>((1 + share) * 1e9 / orders_.load_hz);
  }
  print({{"event", "obeyed"}, {"counts", counts()}});
}

void Node::publish_due(Clock now) {
  if (now >= next_probe_) {
    publish(0);
    next_probe_ =
        --orders_.probes_to_send != 0 ? next_probe_ + orders_.probe_period_ns : pool::no_deadline;
  }
  if (now >= next_load_) {
    // Topic 0 of node 0 is the probe's.
    for (std::size_t topic = options_.index == 0 ? 1 : 0; topic < options_.topics; ++topic) {
      publish(topic);
    }
    next_load_ += static_cast<Clock>(1e9 / orders_.load_hz);
  }
}

void Node::publish(std::size_t topic) {
  auto loan = writers_[topic]->loan(options_.bytes);
  if (!loan) {
    ++failed_;
    return;
  }
  std::memset(loan->payload().data(), 7, loan->payload().size());
  (void)writers_[topic]->publish(std::move(*loan));
  ++published_;
}

void Node::take_all() {
  // The probe's subscription is the first, and is looked at first.
  for (std::size_t topic = 0; topic < readers_.size(); ++topic) {
    for (;;) {
      auto sample = readers_[topic]->take();
      if (!sample || !*sample) {
        break;
      }
      ++taken_;
      if (topic == 0 && orders_.probes_to_take != 0) {
        note_probe((*sample)->info());
      }
    }
  }
}

void Node::note_probe(const pool::SampleInfo& info) {
  latencies_.push_back(pool::monotonic_now_ns() - info.monotonic_ns);
  // On a busy machine some are overwritten before they are taken; the last one never is.
  const std::uint64_t lost = readers_.front()->stats().lost - lost_before_;
  if (latencies_.size() + lost >= orders_.probes_to_take) {
    orders_.probes_to_take = 0;
    print({{"event", "probed"}, {"latency_ns", latencies_}});
  }
}

}  // namespace bench
