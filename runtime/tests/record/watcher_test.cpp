// SPDX-License-Identifier: Apache-2.0
/// What a viewer is told of publishers of this process (spec/wire/view.md).
#include "record/watcher.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

namespace ligament::record::watcher_test {
namespace {

struct Heard {
  std::string topic;
  std::size_t size;
  std::vector<std::byte> bytes;
  bool is_again;
};

std::vector<std::byte> filled(std::size_t size, unsigned seed) {
  return std::vector<std::byte>(size, static_cast<std::byte>(seed));
}

class WatcherTest : public ::testing::Test {
 protected:
  std::unique_ptr<pool::Writer> writer(const std::string& topic, QoS qos = QoS(10)) {
    return domain_->create_writer({topic, "test/msg/Bytes", "/test", {1, 2, 3}, qos.profile()})
        .value();
  }
  static void publish(pool::Writer& writer, const std::vector<std::byte>& payload) {
    auto loan = writer.loan(payload.size()).value();
    std::memcpy(loan.payload().data(), payload.data(), payload.size());
    ASSERT_TRUE(writer.publish(std::move(loan)));
  }
  void start(std::int64_t between_ns = 0) {
    auto started = Watcher::start({{name_, "run"}, {}, between_ns});
    ASSERT_TRUE(started) << started.error();
    watcher_ = std::move(*started);
  }
  bool look() {
    return watcher_->look([this](const Told& told) {
      heard_.push_back(
          {told.topic.name, told.size, {told.bytes.begin(), told.bytes.end()}, told.is_again});
      return listens_;
    });
  }
  /// A watchdog, no bound on speed.
  template <typename Condition>
  bool until(const Condition& condition) {
    for (int i = 0; i < 30'000; ++i) {
      (void)look();
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool matched(pool::Writer& writer) {
    return until([&] { return writer.matched_readers() != 0; });
  }

  std::string name_ =
      fmt::format("watch-test-{}-{}", ::getpid(), reinterpret_cast<std::uintptr_t>(this));
  std::shared_ptr<pool::Domain> domain_ = pool::Domain::join({name_, "run"}).value();
  std::unique_ptr<Watcher> watcher_;
  std::vector<Heard> heard_;
  bool listens_ = true;
};

TEST_F(WatcherTest, SmallMessagesAreToldAllAndWhole) {
  const auto small = writer("/small");
  start();
  ASSERT_TRUE(matched(*small));
  for (unsigned i = 0; i < 5; ++i) publish(*small, filled(100, i));
  ASSERT_TRUE(until([&] { return heard_.size() >= 5; }));
  ASSERT_EQ(heard_.size(), 5U);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(heard_[i].bytes, filled(100, i));
    EXPECT_FALSE(heard_[i].is_again);
  }
}

TEST_F(WatcherTest, OfLargeMessagesTheNewestIsToldWholeOnceItIsWanted) {
  const auto large = writer("/large");
  start();
  ASSERT_TRUE(matched(*large));
  for (unsigned i = 1; i <= 4; ++i) publish(*large, filled(50'000, i));
  ASSERT_TRUE(until([&] { return heard_.size() >= 4; }));
  for (const Heard& one : heard_) {
    EXPECT_EQ(one.size, 50'000U);
    EXPECT_EQ(one.bytes.size(), Watcher::head_bytes);
    EXPECT_FALSE(one.is_again);
  }
  for (int i = 0; i < 3; ++i) (void)look();
  EXPECT_EQ(heard_.size(), 4U) << "nobody wanted it";
  watcher_->want({"/other", "/large"});
  ASSERT_TRUE(until([&] { return heard_.size() >= 5; }));
  EXPECT_TRUE(heard_[4].is_again);
  EXPECT_EQ(heard_[4].bytes, filled(50'000, 4));
  for (int i = 0; i < 3; ++i) (void)look();
  EXPECT_EQ(heard_.size(), 5U) << "and it is told once";
}

TEST_F(WatcherTest, WholeMessagesComeAtTheRateThatWasAskedFor) {
  const auto large = writer("/large");
  start(std::int64_t{3600} * 1'000'000'000);
  watcher_->want({"/large"});
  ASSERT_TRUE(matched(*large));
  publish(*large, filled(5000, 1));
  ASSERT_TRUE(until([&] { return heard_.size() >= 2; }));
  publish(*large, filled(5000, 2));
  ASSERT_TRUE(until([&] { return heard_.size() >= 3; }));
  for (int i = 0; i < 3; ++i) (void)look();
  EXPECT_EQ(heard_.size(), 3U) << "the second one is due in an hour";
}

TEST_F(WatcherTest, WhatWasPublishedLongAgoIsShownToWhoComesLater) {
  const auto latched = writer("/map", QoS(1).transient_local());
  publish(*latched, filled(9000, 7));
  start();
  ASSERT_TRUE(until([&] { return !heard_.empty(); }));
  watcher_->want({"/map"});
  ASSERT_TRUE(until([&] { return heard_.size() >= 2; }));
  EXPECT_EQ(heard_[1].bytes, filled(9000, 7));
}

TEST_F(WatcherTest, PublishersGoOnWhileNobodyLooks) {
  const auto large = writer("/large", QoS(2));
  start();
  watcher_->want({"/large"});
  ASSERT_TRUE(matched(*large));
  for (unsigned i = 0; i < 500; ++i) publish(*large, filled(20'000, i % 100));
  ASSERT_TRUE(until([&] { return !heard_.empty() && heard_.back().is_again; }));
  EXPECT_EQ(heard_.back().bytes, filled(20'000, 99));
  EXPECT_GT(watcher_->topics().at("/large").lost(), 400U);
}

TEST_F(WatcherTest, EndsWithItsListener) {
  const auto small = writer("/small");
  start();
  ASSERT_TRUE(matched(*small));
  listens_ = false;
  publish(*small, filled(10, 1));
  ASSERT_TRUE(until([&] { return !heard_.empty(); }));
  publish(*small, filled(10, 2));
  bool goes_on = true;
  ASSERT_TRUE(until([&] { return heard_.size() >= 2 || !(goes_on = look()); }));
}

}  // namespace
}  // namespace ligament::record::watcher_test
