// SPDX-License-Identifier: Apache-2.0
/// An inbound route by itself: what waits, for whom, and what becomes of it.
#include "transport/edge/inbound_route.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "fresh_graph.hpp"

namespace ligament::edge {
namespace {

using namespace std::chrono_literals;

constexpr dds::Gid first_client{1};
constexpr dds::Gid second_client{2};

class InboundRouteTest : public testing::Test {
 protected:
  void SetUp() override {
    domain_ = *pool::Domain::join({fresh_graph_name("route-in"), "run"});
    waiter_ = *domain_->create_waiter();
    description_.topic = "rq/addRequest";
    description_.type_name = "test_msgs/msg/Bytes";
    description_.node = "/server";
    reader_ = std::move(*domain_->create_reader(description_, *waiter_));
    open();
  }
  void open() {
    auto offer = description_;
    offer.node = "/_edge";
    const std::shared_ptr<pool::Writer> writer = *domain_->create_writer(offer, {.max_loans = 8});
    writer_ = writer;
    in_.set_writer(writer, 1000);
  }
  /// As the engine's thread does: memory for the payload, then the whole sample.
  dds::Received received(const dds::Gid& client, char mark) {
    dds::Received sample{in_.receive(5, {}), 5, client, ++stamp_, {}};
    const unsigned char bytes[5] = {0, 1, 0, 0, static_cast<unsigned char>(mark)};
    std::memcpy(sample.incoming->bytes().data(), bytes, sizeof bytes);
    return sample;
  }
  /// Of both ends, each of which finds the other for itself.
  void await_match() const {
    const auto writer = writer_.lock();
    while (reader_->matched_writers() == 0 || writer->matched_readers() == 0) {
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
  std::weak_ptr<pool::Writer> writer_;
  InboundRoute in_{{mark, true, 1'000'000'000}};
  std::int64_t stamp_ = 0;
};

TEST_F(InboundRouteTest, AClientThatIsNotReadyHoldsUpNoOther) {
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
  const InboundFigures figures = in_.figures();
  EXPECT_EQ(figures.received + figures.no_room, 102U);
  EXPECT_GT(figures.no_room, 0U);
}

TEST_F(InboundRouteTest, PayloadThatWasBegunBeforeTheLastSubscriptionLeftIsUnwanted) {
  await_match();
  in_.set_ready(first_client);
  auto late = received(first_client, 'x');
  in_.set_writer(nullptr);
  in_.publish(std::move(late));
  EXPECT_EQ(in_.figures().unwanted, 1U);
  EXPECT_FALSE(in_.deliver_waiting());
}

/// An earlier client has left, and the next one asks while the route is being closed: the engine
/// has acknowledged its request, so nobody sends it again.
TEST_F(InboundRouteTest, WhatComesWhileTheRouteGoesToRestIsDelivered) {
  await_match();
  in_.set_ready(first_client);
  auto begun = received(first_client, 'x');
  EXPECT_TRUE(in_.rest());
  EXPECT_FALSE(in_.is_open());
  in_.publish(std::move(begun));
  EXPECT_FALSE(in_.rest());
  in_.publish(received(first_client, 'y'));
  open();
  await_match();
  while (in_.deliver_waiting()) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(taken(), "xy");
  EXPECT_EQ(in_.figures().unwanted, 0U);
}

TEST_F(InboundRouteTest, WhatComesBeforeTheRouteIsOpenWaitsForItButNotWithoutEnd) {
  in_.set_writer(nullptr);
  in_.set_ready(first_client);
  in_.publish(received(first_client, 'x'));
  while (in_.deliver_waiting()) {  // a second of patience, by the clock
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(in_.figures().unwanted, 1U);
  EXPECT_EQ(in_.figures().received, 0U);
}

/// The block that the payload was received into is the sample.
TEST_F(InboundRouteTest, WhatWasReceivedIsTakenFromWhereItLies) {
  await_match();
  in_.set_ready(first_client);
  auto sample = received(first_client, 'x');
  const std::span<std::byte> where = sample.incoming->bytes();
  in_.publish(std::move(sample));
  const auto taken = *reader_->take();
  ASSERT_TRUE(taken.has_value());
  where[4] = std::byte{'y'};
  EXPECT_EQ(taken->payload()[4], std::byte{'y'});
}

/// As those between writers of one process: a timestamp says which sample it is, and no order.
TEST_F(InboundRouteTest, SamplesWithoutNumbersAreKnownByTheirTimestamps) {
  await_match();
  in_.set_ready(first_client);
  for (const std::int64_t stamp : {500, 300, 400, 500, 300, 400, 600, -7, -7}) {
    auto sample = received(first_client, 'x');
    sample.source_timestamp_ns = stamp;
    in_.publish(std::move(sample));
  }
  EXPECT_EQ(in_.figures().received, 5U);
  EXPECT_EQ(in_.figures().repeated, 4U);
}

/// Who sends such alone would never be heard.
TEST_F(InboundRouteTest, OneSampleMayWaitHoweverLarge) {
  constexpr std::size_t huge = (std::size_t{64} << 20) + 1;
  in_.set_writer(nullptr);
  in_.set_ready(first_client);
  dds::Received sample{in_.receive(huge, {}), huge, first_client, ++stamp_, {}};
  ASSERT_NE(sample.incoming, nullptr);
  sample.incoming->bytes()[1] = std::byte{1};
  in_.publish(std::move(sample));
  EXPECT_EQ(in_.figures().unwanted, 0U);
  EXPECT_EQ(in_.receive(huge, {}), nullptr);  // beside that one
  EXPECT_EQ(in_.figures().unwanted, 1U);
}

TEST_F(InboundRouteTest, AClientWhoseRequestFoundNoRoomIsAskedAfterOnce) {
  await_match();
  for (int i = 0; i < 64; ++i) {
    in_.publish(received(first_client, 'x'));
  }
  in_.publish(received(second_client, 'y'));
  EXPECT_EQ(in_.figures().no_room, 1U);
  const auto waiting = in_.take_waiting_clients();
  EXPECT_EQ(waiting.size(), 2U);
  EXPECT_TRUE(waiting.contains(first_client) && waiting.contains(second_client));
  const auto again = in_.take_waiting_clients();
  EXPECT_EQ(again.size(), 1U);
  EXPECT_TRUE(again.contains(first_client));
}

class Numbers : public InboundRouteTest {
 protected:
  void arrive(const dds::Gid& writer, std::int64_t number) {
    auto sample = received(writer, 'x');
    sample.marks.sequence = number;
    in_.publish(std::move(sample));
  }
  /// It is beyond the bound.
  bool is_refused(const dds::Gid& writer, std::int64_t number) {
    dds::Marks marks;
    marks.writer = writer;
    marks.sequence = number;
    return in_.receive(2000, marks) == nullptr;
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

/// A second reader is sent a history longer than any window of timestamps.
TEST_F(Numbers, AHistoryThatComesAgainIsKnownWhole) {
  await_match();
  in_.set_ready(first_client);
  for (int again = 0; again < 2; ++again) {
    for (std::int64_t number = 1; number <= 1000; ++number) {
      arrive(first_client, number);
    }
  }
  EXPECT_EQ(in_.figures().received, 1000U);
  EXPECT_EQ(in_.figures().repeated, 1000U);
}

/// Nobody who hears it now has heard it before.
TEST_F(Numbers, AHistoryComesAgainOnceTheRouteWasClosed) {
  await_match();
  in_.set_ready(first_client);
  for (int life = 1; life <= 2; ++life) {
    for (std::int64_t number = 1; number <= 3; ++number) {
      arrive(first_client, number);
    }
    in_.set_writer(nullptr);
    open();
    await_match();
  }
  EXPECT_EQ(in_.figures().received, 6U);
  EXPECT_EQ(in_.figures().repeated, 0U);
}

/// Writers that send no time, which RTPS leaves to them.
TEST_F(Numbers, EqualTimestampsAreNoRepetition) {
  await_match();
  in_.set_ready(first_client);
  for (const std::int64_t number : {1, 2, 3}) {
    auto sample = received(first_client, 'x');
    sample.source_timestamp_ns = 0;
    sample.marks.sequence = number;
    in_.publish(std::move(sample));
  }
  EXPECT_EQ(in_.figures().received, 3U);
}

/// As by a second reader that is sent what the first, which has no history, was not.
TEST_F(Numbers, OlderOnesThatDidNotComeBeforeAreNew) {
  await_match();
  in_.set_ready(first_client);
  for (const std::int64_t number : {7, 8, 3, 4, 6, 5, 4, 7, 9}) {
    arrive(first_client, number);
  }
  EXPECT_EQ(in_.figures().received, 7U);
  EXPECT_EQ(in_.figures().repeated, 2U);
  EXPECT_EQ(missing(), 0U);
}

TEST(SeenNumbers, KeepTheNewestGaps) {
  SeenNumbers seen;
  constexpr auto gaps = static_cast<std::int64_t>(SeenNumbers::most_gaps) + 10;
  for (std::int64_t i = 0; i <= gaps; ++i) {
    EXPECT_TRUE(seen.add(2 * i).is_new);
  }
  EXPECT_TRUE(seen.add(2 * gaps - 1).is_new);
  EXPECT_FALSE(seen.add(2 * gaps - 1).is_new);
  EXPECT_FALSE(seen.add(1).is_new);  // of the oldest it is taken for granted
}

TEST_F(Numbers, WhatWasRefusedBeforeIsNotMissingToo) {
  arrive(first_client, 1);
  EXPECT_TRUE(is_refused(first_client, 2));
  arrive(first_client, 4);
  EXPECT_EQ(in_.figures().too_large, 1U);
  EXPECT_EQ(missing(), 1U);
}

/// And is counted once, for however many readers here it comes.
TEST_F(Numbers, WhatWasRefusedOfOneWriterHidesNoGapOfAnother) {
  arrive(first_client, 1);
  arrive(second_client, 1);
  for (int reader = 0; reader < 2; ++reader) {
    EXPECT_TRUE(is_refused(first_client, 2));
  }
  arrive(second_client, 3);
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
