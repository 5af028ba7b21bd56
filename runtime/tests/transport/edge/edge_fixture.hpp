// SPDX-License-Identifier: Apache-2.0
/// \file A graph in the pool, its edge, and another participant that knows DDS only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <thread>

#include "dds_domain.hpp"
#include "fresh_graph.hpp"
#include "heap_inbox.hpp"
#include "transport/dds/names.hpp"
#include "transport/edge/edge.hpp"

namespace ligament::edge {

inline constexpr std::int64_t patience_ns = 120'000'000'000;  // a watchdog

inline bool wait_until(const std::function<bool()>& is_so) {
  const std::int64_t end = pool::monotonic_now_ns() + patience_ns;
  while (!is_so()) {
    if (pool::monotonic_now_ns() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// A payload that is a message of no particular type: encapsulation, then `text`.
inline std::vector<std::byte> payload_of(const std::string& text, unsigned char form = 1) {
  std::vector<std::byte> bytes{std::byte{0}, std::byte{form}, std::byte{0}, std::byte{0}};
  for (const char c : text) {
    bytes.push_back(static_cast<std::byte>(c));
  }
  return bytes;
}

/// What a string message says, behind the header of its payload.
inline std::string said_in(std::span<const std::byte> payload) {
  return {reinterpret_cast<const char*>(payload.data()) + 4, payload.size() - 4};
}

/// The graph, its edge, and the other participant; each test has a domain of its own.
class EdgeTest : public testing::Test {
 protected:
  void SetUp() override {
    domain_id_ = take_dds_domain();
    graph_ = fresh_graph_name("edge-test");
    domain_ = *pool::Domain::join({graph_, "run"});
    waiter_ = *domain_->create_waiter();
    auto participant = dds::Participant::create({.domain = domain_id_}, [] {});
    ASSERT_TRUE(participant) << participant.error().text;
    other_ = std::move(*participant);
    edge_ = started_edge(graph_, domain_id_);
    ASSERT_NE(edge_, nullptr);
  }

  pool::EndpointDescription describe(const std::string& topic, const QoS& qos) const {
    pool::EndpointDescription description;
    description.topic = topic;
    description.type_name = "test_msgs/msg/Bytes";
    description.node = "/tests/node";
    description.type_hash[0] = 0xab;
    description.qos = qos.profile();
    return description;
  }
  dds::EndpointSpec spec(const std::string& topic, const QoS& qos) const {
    return {dds::topic_to_dds(topic), "test_msgs::msg::dds_::Bytes_", qos.profile(),
            dds::endpoint_user_data({}), true};
  }
  std::unique_ptr<pool::Writer> publisher(const std::string& topic, const QoS& qos = 10) {
    return std::move(*domain_->create_writer(describe(topic, qos)));
  }
  std::unique_ptr<pool::Reader> subscription(const std::string& topic, const QoS& qos = 10) {
    return std::move(*domain_->create_reader(describe(topic, qos), *waiter_));
  }
  /// A reader outside that keeps the texts it receives.
  std::unique_ptr<dds::Reader> listener(const std::string& topic, const QoS& qos = 10) {
    auto reader = other_->create_reader(spec(topic, qos), std::make_shared<HeapInbox>(),
                                        [this](dds::Received&& sample) {
                                          const std::lock_guard guard(mutex_);
                                          heard_.push_back(said_in(sample.incoming->bytes()));
                                          stamps_.push_back(sample.source_timestamp_ns);
                                        });
    return std::move(*reader);
  }
  std::unique_ptr<dds::Writer> talker(const std::string& topic, const QoS& qos = 10) {
    return std::move(*other_->create_writer(spec(topic, qos)));
  }
  /// Of what comes from outside: each end finds the other for itself, and what one says before the
  /// other listens is lost.
  static bool are_matched(const dds::Writer& outside, const pool::Reader& here,
                          std::size_t writers = 1) {
    return wait_until([&] { return outside.matched() == 1 && here.matched_writers() == writers; });
  }
  static void say(dds::Writer& writer, const std::string& text, unsigned char form = 1) {
    static std::int64_t stamp = 1'700'000'000'000'000'000;
    auto bytes = std::make_shared<std::vector<std::byte>>(payload_of(text, form));
    const std::size_t size = bytes->size();
    bytes->resize(size + 3);
    EXPECT_EQ(writer.write({bytes->data(), size}, bytes, ++stamp), dds::WriteResult::sent);
  }
  static void say(pool::Writer& writer, const std::string& text) {
    const auto bytes = payload_of(text);
    auto loan = writer.loan(bytes.size());
    ASSERT_TRUE(loan);
    std::memcpy(loan->payload().data(), bytes.data(), bytes.size());
    ASSERT_TRUE(writer.publish(std::move(*loan)));
  }
  std::vector<std::string> heard() {
    const std::lock_guard guard(mutex_);
    return heard_;
  }
  TopicFigures figures(const std::string& topic) {
    for (const auto& one : edge_->figures()) {
      if (one.topic == topic) {
        return one;
      }
    }
    return {};
  }
  /// Of each endpoint that the edge has in the pool.
  std::vector<std::uint32_t> held_by_routes() {
    std::vector<std::uint32_t> held;
    for (const auto& endpoint : domain_->endpoints()) {
      if (endpoint.description.node == edge_node &&
          endpoint.description.topic != pool::graph_topic) {  // its marker
        held.push_back(endpoint.description.qos.max_held);
      }
    }
    return held;
  }
  /// What has come and was not taken.
  static std::vector<std::string> all_of(pool::Reader& reader) {
    std::vector<std::string> texts;
    for (auto sample = reader.take(); sample && *sample; sample = reader.take()) {
      texts.push_back(said_in((*sample)->payload()));
    }
    return texts;
  }
  /// The next sample here, or nothing after a while.
  std::string next(pool::Reader& reader) {
    std::string text;
    (void)wait_until([&] {
      auto sample = reader.take();
      if (!sample || !*sample) {
        return false;
      }
      text = said_in((*sample)->payload());
      return true;
    });
    return text;
  }

  unsigned domain_id_ = 0;
  std::string graph_;
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<dds::Participant> other_;
  std::unique_ptr<Edge> edge_;
  std::mutex mutex_;
  std::vector<std::string> heard_;
  std::vector<std::int64_t> stamps_;
};

}  // namespace ligament::edge
