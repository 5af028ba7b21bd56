// SPDX-License-Identifier: Apache-2.0
/// A way in by itself: what waits, for whom, and what becomes of it.
#include "transport/edge/way_in.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

namespace ligament::edge {
namespace {

using namespace std::chrono_literals;

constexpr dds::Gid first_client{1};
constexpr dds::Gid second_client{2};

class WayInTest : public testing::Test {
 protected:
  void SetUp() override {
    static unsigned next = 0;
    domain_ = *pool::Domain::join({fmt::format("way-in-{}-{}", ::getpid(), ++next), "run"});
    waiter_ = *domain_->create_waiter();
    description_.topic = "rq/addRequest";
    description_.type_name = "test_msgs/msg/Bytes";
    description_.node = "/server";
    reader_ = std::move(*domain_->create_reader(description_, *waiter_));
    open();
  }
  void open() {
    auto writer = description_;
    writer.node = "/_edge";
    in_.set_writer(std::move(*domain_->create_writer(writer, {.max_loans = 8})), 1000);
  }
  /// As the engine's thread does: memory for the payload, then the whole sample.
  dds::Received received(const dds::Gid& client, char mark) {
    dds::Received sample{in_.receive(5), 5, client, ++stamp_, {}};
    const unsigned char bytes[5] = {0, 1, 0, 0, static_cast<unsigned char>(mark)};
    std::memcpy(sample.incoming->bytes().data(), bytes, sizeof bytes);
    return sample;
  }
  void await_match() const {
    while (reader_->matched_writers() == 0) {  // the test runner has its own limit
      std::this_thread::sleep_for(1ms);
    }
  }
  std::string taken() {
    std::string marks;
    while (auto sample = *reader_->take()) {
      marks.push_back(static_cast<char>(sample->payload()[4]));
    }
    return marks;
  }

  static InMark mark(const dds::Received& sample, std::span<std::byte>) {
    return {Arrival::ours, {sample.writer, 1}, 0};
  }
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  pool::EndpointDescription description_;
  std::unique_ptr<pool::Reader> reader_;
  WayIn in_{{mark, true}};
  std::int64_t stamp_ = 0;
};

TEST_F(WayInTest, AClientThatIsNotReadyHoldsUpNoOther) {
  await_match();
  in_.set_ready(second_client);
  for (int i = 0; i < 100; ++i) {  // more than may wait: the rest is dropped, and counted
    in_.publish(received(first_client, 'x'));
  }
  in_.publish(received(second_client, 'y'));
  EXPECT_NE(taken().find('y'), std::string::npos);
  in_.set_ready(first_client);
  in_.publish(received(first_client, 'z'));  // behind those of its own that wait
  EXPECT_FALSE(in_.deliver_waiting());
  const WayInFigures figures = in_.figures();
  EXPECT_EQ(figures.received + figures.unwanted, 102U);
}

TEST_F(WayInTest, PayloadThatWasBegunBeforeTheLastSubscriptionLeftIsUnwanted) {
  await_match();
  in_.set_ready(first_client);
  auto late = received(first_client, 'x');
  in_.set_writer(nullptr);
  in_.publish(std::move(late));
  EXPECT_EQ(in_.figures().unwanted, 1U);
  EXPECT_FALSE(in_.deliver_waiting());
}

TEST_F(WayInTest, WhatComesBeforeTheWayIsOpenWaitsForItAndNotForEver) {
  in_.set_writer(nullptr);
  in_.set_ready(first_client);
  in_.publish(received(first_client, 'x'));
  while (in_.deliver_waiting()) {  // a second of patience, by the clock
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(in_.figures().unwanted, 1U);
  EXPECT_EQ(in_.figures().received, 0U);
}

class Numbers : public WayInTest {
 protected:
  void arrive(const dds::Gid& writer, std::int64_t number) {
    auto sample = received(writer, 'x');
    sample.marks.sequence = number;
    in_.publish(std::move(sample));
  }
  std::uint64_t missing() const { return in_.figures().missing; }
};

TEST_F(Numbers, AGapInAWritersNumbersIsWhatDidNotArrive) {
  arrive(first_client, 7);  // what was before it is nobody's loss
  arrive(first_client, 8);
  arrive(first_client, 11);
  EXPECT_EQ(missing(), 2U);
  arrive(second_client, 3);
  arrive(second_client, 5);
  EXPECT_EQ(missing(), 3U);
  arrive(first_client, 9);  // the history of another reader
  arrive(first_client, 12);
  EXPECT_EQ(missing(), 3U);
}

TEST_F(Numbers, WhatWasRefusedBeforeIsNotMissingToo) {
  arrive(first_client, 1);
  EXPECT_EQ(in_.receive(2000), nullptr);  // number 2, beyond the bound
  arrive(first_client, 4);
  EXPECT_EQ(in_.figures().too_large, 1U);
  EXPECT_EQ(missing(), 1U);
}

TEST_F(Numbers, WhatIsSentWhileNobodyListensIsNotMissing) {
  arrive(first_client, 1);
  in_.set_writer(nullptr);
  open();
  arrive(first_client, 100);
  EXPECT_EQ(missing(), 0U);
}

}  // namespace
}  // namespace ligament::edge
