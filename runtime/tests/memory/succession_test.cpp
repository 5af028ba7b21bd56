// SPDX-License-Identifier: Apache-2.0
/// What a node that moves needs of the pool (spec/run/moving.md): subscriptions that begin where
/// another one is, and publishers that follow another one's.
#include <vector>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::int64_t never_in_a_test = 120'000'000'000;

std::unique_ptr<Reader> resting(const Side& side, const EndpointDescription& description) {
  return side.domain->create_reader(description, *side.waiter, {.resting = true}).value();
}

/// Of the node whose name the other process's ends have.
EndpointDescription of_the_same_node() {
  auto description = bytes_on("/t");
  description.node = "/peer";
  return description;
}

std::vector<std::uint64_t> take_all(Reader& reader) {
  std::vector<std::uint64_t> numbers;
  while (auto sample = reader.take().value()) {
    numbers.push_back(number_of(sample->payload()));
  }
  return numbers;
}

TEST(Succession, ASuccessorsSamplesComeAfterThoseThatItsPredecessorLeft) {
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess other(name);
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_NO_FATAL_FAILURE(publish_in(other, "/t", *reader));
  const auto follows = side.writer(of_the_same_node(), {.successor = true});
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 2; }));
  ASSERT_EQ(other.ask("publish /t 4 64"), "ok 4");
  for (std::uint64_t number = 101; number <= 104; ++number) {
    publish_stamped(*follows, number, 64);
  }
  EXPECT_TRUE(reader->has_data() && reader->is_ready());
  EXPECT_EQ(take_all(*reader), (std::vector<std::uint64_t>{1, 2, 3, 4, 101, 102, 103, 104}));
}

TEST(Succession, ItComesAfterThemWhenThePredecessorIsDead) {
  const auto name = unique_name();
  const Side side(name);
  OtherProcess other(name);
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_NO_FATAL_FAILURE(publish_in(other, "/t", *reader));
  const auto follows = side.writer(of_the_same_node(), {.successor = true});
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 2; }));
  ASSERT_EQ(other.ask("publish /t 1 64"), "ok 1");
  ASSERT_EQ(take_all(*reader).size(), 1U);  // its memory is mapped now
  ASSERT_EQ(other.ask("publish /t 3 64"), "ok 4");
  publish_stamped(*follows, 101, 64);
  other.die();
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  publish_stamped(*follows, 102, 64);
  EXPECT_EQ(take_all(*reader), (std::vector<std::uint64_t>{2, 3, 4, 101, 102}));
  publish_stamped(*follows, 103, 64);
  EXPECT_EQ(take_all(*reader), std::vector<std::uint64_t>{103});
}

TEST(Succession, OthersStillTakeTurns) {
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess other(name);
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_NO_FATAL_FAILURE(publish_in(other, "/t", *reader));
  const auto writer = side.writer(bytes_on("/t"), {.successor = true});
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 2; }));
  ASSERT_EQ(other.ask("publish /t 2 64"), "ok 2");
  publish_stamped(*writer, 101, 64);
  publish_stamped(*writer, 102, 64);
  EXPECT_NE(take_all(*reader), (std::vector<std::uint64_t>{1, 2, 101, 102}));
}

/// A keep-all publisher, whose one subscription goes on in another one.
struct Handing {
  Handing()
      : writer(side.writer(description, {.max_blocking_ns = never_in_a_test})),
        old_one(side.reader(description)),
        new_one(resting(side, description)) {
    EXPECT_TRUE(eventually([this] {
      return writer->matched_readers() == 2 && old_one->matched_writers() == 1 &&
             new_one->matched_writers() == 1;
    }));
  }
  void publish(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      publish_stamped(*writer, ++published, 64);
    }
  }
  void take(std::uint64_t count) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(old_one->take().value());
    }
  }
  const Side side{unique_name()};
  const EndpointDescription description = bytes_on("/t", QoS(4).keep_all());
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Reader> old_one;
  std::unique_ptr<Reader> new_one;
  std::uint64_t published = 0;
};

TEST(Succession, APlaceIsTheNumberBehindTheLastSampleThatWasTaken) {
  Handing topic;
  topic.publish(3);
  topic.take(2);
  const auto places = topic.old_one->places();
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].writer, topic.writer->id());
  EXPECT_EQ(places[0].next, 3U);
  EXPECT_TRUE(places[0].is_live && places[0].has_data);
}

TEST(Succession, TheNewSubscriptionBeginsBehindWhatTheOldOneTook) {
  Handing topic;
  topic.publish(4);
  topic.take(2);
  topic.new_one->resume_at(topic.old_one->places());
  topic.take(1);  // it went on for a while
  topic.new_one->resume_at(topic.old_one->places());
  EXPECT_EQ(take_all(*topic.new_one), std::vector<std::uint64_t>{4});
  EXPECT_EQ(topic.new_one->stats().lost, 0U);
}

TEST(Succession, TheNewSubscriptionNeverGoesBack) {
  Handing topic;
  topic.publish(2);
  topic.take(2);
  topic.new_one->resume_at(topic.old_one->places());
  const std::vector<ReaderPlace> earlier{{topic.writer->id(), 1, true, true}};
  topic.new_one->resume_at(earlier);
  EXPECT_EQ(take_all(*topic.new_one), std::vector<std::uint64_t>{});
}

/// While it rested the publisher had looked at it, and counted it as one that has all.
TEST(Succession, AKeepAllPublisherWaitsForItFromThePlaceWhereItWakes) {
  Handing topic;
  topic.publish(4);
  topic.take(4);
  topic.publish(4);
  topic.take(2);
  topic.publish(2);  // looks at the cursors, when 8 are there
  topic.new_one->resume_at(topic.old_one->places());
  topic.old_one.reset();
  ASSERT_TRUE(eventually([&] { return topic.writer->matched_readers() == 1; }));
  std::atomic<bool> done{false};
  std::thread publishing([&] {
    topic.publish(1);
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return topic.writer->stats().waits == 1; }));
  EXPECT_FALSE(done);
  EXPECT_TRUE(eventually([&] {
    const auto taken = topic.new_one->take().value();
    EXPECT_TRUE(!taken || number_of(taken->payload()) >= 7);
    return done.load();
  }));
  publishing.join();
  EXPECT_EQ(topic.new_one->stats().lost, 0U);
  EXPECT_EQ(topic.writer->stats().overrun, 0U);
}

}  // namespace
}  // namespace ligament::pool::test
