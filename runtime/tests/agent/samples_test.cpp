// SPDX-License-Identifier: Apache-2.0
/// What clients write and read, byte by byte: order, pace, fragments.
#include "fake_client.hpp"

namespace ligament::xrce::test {
namespace {

TEST(Samples, WhatIsWrittenIsPublishedAsItIs) {
  Client client;
  client.make_writer();
  client.ask(write(writer, body));
  ASSERT_EQ(client.bus.published["/chatter"].size(), 1U);
  EXPECT_EQ(client.bus.published["/chatter"][0].stored, stored);
  const auto& what = client.bus.writers.at(0);
  EXPECT_EQ(what.type_name, "std_msgs/msg/String");
  EXPECT_EQ(what.node, "/board");
  EXPECT_EQ(what.type_hash[0], 7);
}

/// One behind the other, each from a multiple of 4.
Message joined(const std::vector<Message>& parts) {
  Message all;
  for (const Message& part : parts) {
    all.resize((all.size() + 3) / 4 * 4);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Samples that are gathered are published before what comes after them.
TEST(Samples, SamplesOfOneMessageKeepTheirOrder) {
  Client client;
  client.make_writer();
  const auto second = object(2, Kind::topic);
  const auto other = object(2, Kind::writer);
  EXPECT_EQ(client.status_of(create({second, node, Form::binary,
                                     topic_value("rt/other", "std_msgs::msg::dds_::String_")})),
            Status::ok);
  EXPECT_EQ(client.status_of(create({other, publisher, Form::binary, end_value(second, 1)})),
            Status::ok);
  const auto numbered = [](std::uint8_t number) { return Message(5, std::byte{number}); };
  client.sent.clear();
  client.ask(joined({write(writer, numbered(1)), write(writer, numbered(2)),
                     write(other, numbered(3)), write(writer, Message(2000, std::byte{4})),
                     write(writer, numbered(5)), removal(writer), write(writer, numbered(6))}));
  const std::vector<std::string> order{"/chatter", "/chatter", "/other", "/chatter", "/chatter"};
  EXPECT_EQ(client.bus.order, order);
  const auto& published = client.bus.published["/chatter"];
  ASSERT_EQ(published.size(), 4U);
  for (const auto& [place, number] : {std::pair{0, 1}, {1, 2}, {2, 4}, {3, 5}}) {
    EXPECT_EQ(std::to_integer<int>(published[static_cast<std::size_t>(place)].stored.back()),
              number);
  }
  EXPECT_EQ(client.agent.clients()[0].session.received, 5U);
  EXPECT_EQ(client.agent.clients()[0].session.dropped, 1U);
}

/// More than are gathered at once.
TEST(Samples, ManySamplesOfOneMessageAllArrive) {
  Client client;
  client.make_writer();
  std::vector<Message> parts;
  for (std::uint8_t number = 0; number < 100; ++number) {
    parts.push_back(write(writer, Message(1 + number % 7, std::byte{number})));
  }
  client.ask(joined(parts));
  const auto& published = client.bus.published["/chatter"];
  ASSERT_EQ(published.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(published[i].stored.size(), 4 + 1 + i % 7);
    EXPECT_EQ(std::to_integer<std::size_t>(published[i].stored.back()), i);
  }
  client.bus.is_full = true;
  client.ask(joined(parts));
  EXPECT_EQ(client.agent.clients()[0].session.dropped, parts.size());
}

TEST(Samples, SamplesComeWhenTheyAreAskedForAndNoMore) {
  Client client;
  client.make_reader();
  for (int i = 0; i < 4; ++i) {
    client.bus.publish("/chatter", {stored, {}});
  }
  client.sent.clear();
  client.agent.flush(client.now);
  EXPECT_TRUE(client.sent.empty());
  client.ask(read(reader, first_best_effort, 2));
  const auto count = [&client] {
    return std::count_if(client.sent.begin(), client.sent.end(), [](const auto& sent) {
      return static_cast<Submessage>(sent.second[4]) == Submessage::data;
    });
  };
  EXPECT_EQ(count(), 2);
  const auto data = client.answer(Submessage::data);
  ASSERT_TRUE(data);
  CdrReader payload(*data, true);
  EXPECT_EQ(read_request(payload), (Request{31, reader}));
  EXPECT_EQ(Message(payload.rest().begin(), payload.rest().end()), body);
  client.ask(read(reader, first_best_effort, Reading::endless));
  EXPECT_EQ(count(), 2);
  for (const std::uint8_t stream : {first_best_effort, no_stream}) {  // the reference client: none
    client.ask(read(reader, first_best_effort, Reading::endless));
    EXPECT_EQ(client.status_of(read(reader, stream, 0)), Status::ok);
    client.bus.publish("/chatter", {stored, {}});
    client.sent.clear();
    client.agent.flush(client.now);
    EXPECT_EQ(count(), 0);
    (*client.bus.open_readers.begin())->waiting.clear();
  }
}

TEST(Samples, SamplesThatHadToWaitForTheirPaceComeByThemselves) {
  Client client;
  client.make_reader();
  for (int i = 0; i < 3; ++i) {
    client.bus.publish("/chatter", {stored, {}});
  }
  client.ask(read(reader, first_best_effort, Reading::endless, 300));
  const auto delivered = [&client] { return client.agent.clients().at(0).session.delivered; };
  EXPECT_EQ(delivered(), 1U);
  const std::int64_t begin = client.now;
  std::vector<std::int64_t> times;
  while (delivered() < 3 && client.now < begin + 1'000'000'000) {  // heartbeats are due, too
    const std::uint64_t before = delivered();
    client.now = client.agent.tick(client.now);
    (void)client.agent.tick(client.now);
    if (delivered() > before) {
      times.push_back(client.now - begin);
    }
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{300'000'000, 600'000'000}));
}

TEST(Samples, ASampleThatBestEffortCannotCarryIsDroppedAndNotDelivered) {
  Client client;
  client.make_reader();
  client.ask(read(reader, first_best_effort, Reading::endless));
  client.bus.publish("/chatter", {Message(5000), {}});
  client.agent.flush(client.now);
  EXPECT_EQ(client.agent.clients().at(0).session.delivered, 0U);
  EXPECT_EQ(client.agent.clients().at(0).session.dropped, 1U);
}

/// A sample that goes in more fragments than the window holds.
class LongSample : public testing::Test {
 protected:
  void SetUp() override {
    client_.make_reader();
    acknowledge();
    client_.ask(read(reader, first_reliable, Reading::endless));
    acknowledge();
    Message sample(size, std::byte{1});
    std::copy(stored.begin(), stored.begin() + 4, sample.begin());
    client_.bus.publish("/chatter", {sample, {}});
    client_.agent.flush(client_.now);
    take();
    ASSERT_LT(got_.size(), size - 4) << "it goes at once: nothing is tested";
  }
  /// Puts together what was sent since.
  void take() {
    for (const auto& [to, message] : std::exchange(client_.sent, {})) {
      Header header;
      EXPECT_TRUE(read_header(message, header));
      if (header.stream == first_reliable) {
        newest_ = header.sequence;
        const auto part = Parts(Bytes(message).subspan(header.size())).next();
        if (part && part->id == Submessage::fragment) {
          got_.insert(got_.end(), part->payload.begin(), part->payload.end());
        }
      }
    }
  }
  void acknowledge() {
    take();
    Message acknack;
    write_acknack(acknack, {advanced(newest_, 1), 0, first_reliable});
    client_.say(with_header({session, no_stream, 0, {}}, acknack));
    take();
  }
  void take_all() {
    for (int i = 0; i < 10; ++i) {
      acknowledge();
    }
  }
  static constexpr std::size_t size = 30'000;
  static constexpr std::size_t heads = 8;  // of the submessage, and its request
  Client client_;
  std::uint16_t newest_ = 5;  ///< of six statuses
  Message got_;
};

TEST_F(LongSample, IsReadWhereTheReaderHasIt) {
  auto& held = (*client_.bus.open_readers.begin())->held.stored;
  ASSERT_EQ(held.size(), size);
  std::fill(held.end() - 100, held.end(), std::byte{2});
  take_all();
  ASSERT_EQ(got_.size(), heads + size - 4);
  EXPECT_EQ(std::count(got_.end() - 100, got_.end(), std::byte{2}), 100);
  EXPECT_EQ(std::count(got_.begin() + heads, got_.end(), std::byte{1}), size - 4 - 100);
}

TEST_F(LongSample, ArrivesWholeThoughItsReaderEnds) {
  client_.ask(removal(reader));
  EXPECT_TRUE(client_.bus.open_readers.empty());
  take_all();
  EXPECT_EQ(std::count(got_.begin() + heads, got_.end(), std::byte{1}), size - 4);
}

TEST_F(LongSample, ArrivesWholeThoughItsReaderIsAskedAnew) {
  client_.bus.publish("/chatter", {stored, {}});
  client_.ask(read(reader, first_best_effort, Reading::endless));
  take_all();
  EXPECT_EQ(std::count(got_.begin() + heads, got_.end(), std::byte{1}), size - 4);
}

TEST(Samples, AClientThatAcknowledgesNothingGetsAWindowAndNoMore) {
  Client client;
  client.make_reader();
  client.ask(read(reader, first_reliable, Reading::endless));
  Message acknack;
  write_acknack(acknack, {6, 0, first_reliable});  // all statuses
  client.say(with_header({session, no_stream, 0, {}}, acknack));
  for (int i = 0; i < 100; ++i) {
    client.bus.publish("/chatter", {stored, {}});
  }
  client.sent.clear();
  client.agent.flush(client.now);
  EXPECT_EQ(client.sent.size(), window);
  // A heartbeat, as long as nothing is acknowledged.
  client.sent.clear();
  client.now += 1'000'000'000;
  (void)client.agent.tick(client.now);
  const auto heartbeat = client.answer(Submessage::heartbeat);
  ASSERT_TRUE(heartbeat);
  EXPECT_EQ(std::to_integer<int>((*heartbeat)[0]), 6);
  EXPECT_EQ(std::to_integer<int>((*heartbeat)[2]), 6 + window - 1);
  // Only what is missing is sent again.
  acknack.clear();
  write_acknack(acknack, {8, 0b101, first_reliable});
  client.sent.clear();
  client.say(with_header({session, no_stream, 0, {}}, acknack));
  EXPECT_EQ(client.sent.size(), 2U + 2U);  // 8 and 10 again, and two new ones
}

Message fragment(std::span<const std::byte> piece, bool is_last) {
  Message part;
  PartWriter fragments(part, Submessage::fragment, is_last ? flag::last_fragment : 0);
  fragments.payload().bytes(piece);
  fragments.finish();
  return part;
}

TEST(Samples, AWriterThatIsReplacedBetweenFragmentsGetsNoneOfThem) {
  Client client;
  client.make_writer();
  const Message whole = write(writer, Message(40, std::byte{9}));
  const std::span<const std::byte> bytes(whole);
  client.ask(fragment(bytes.first(20), false));
  EXPECT_EQ(client.bus.long_loans, 1);
  EXPECT_EQ(client.status_of(create({writer, publisher, Form::binary,
                                     end_value(topic, qos_flag::keep_last), flag::replace})),
            Status::ok);
  client.ask(fragment(bytes.subspan(20), true));
  EXPECT_TRUE(client.bus.published["/chatter"].empty());
  client.ask(fragment(bytes.first(20), false));
  client.ask(fragment(bytes.subspan(20), true));
  EXPECT_EQ(client.bus.published["/chatter"].size(), 1U);
}

/// The reference client fills its last fragment up, or sends its whole buffer as the last one.
TEST(Samples, WhatFollowsTheBodyInFragmentsIsPassedOver) {
  Client client;
  client.make_writer();
  const Message content(41, std::byte{9});
  Message whole = write(writer, content);
  whole.resize(whole.size() + 3, std::byte{0xA5});
  const std::span<const std::byte> bytes(whole);
  client.ask(fragment(bytes.first(20), false));
  client.ask(fragment(bytes.subspan(20), true));
  whole.resize(496, std::byte{0xA5});
  client.ask(fragment(whole, true));
  client.ask(fragment(whole, false));
  client.ask(fragment(whole, true));
  const auto& published = client.bus.published["/chatter"];
  ASSERT_EQ(published.size(), 3U);
  for (const auto& one : published) {
    EXPECT_EQ(Message(one.stored.begin() + 4, one.stored.end()), content);
  }
}

TEST(Samples, FragmentsThatAreLessThanTheySayAreNoMessage) {
  Client client;
  client.make_writer();
  const Message whole = write(writer, Message(40, std::byte{9}));
  const std::span<const std::byte> bytes(whole);
  client.ask(fragment(bytes.first(20), false));
  client.ask(fragment(bytes.subspan(20, 4), true));
  client.ask(fragment({}, true));
  EXPECT_TRUE(client.bus.published["/chatter"].empty());
  client.ask(fragment(bytes, true));
  EXPECT_EQ(client.bus.published["/chatter"].size(), 1U);
}

}  // namespace
}  // namespace ligament::xrce::test
