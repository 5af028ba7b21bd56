// SPDX-License-Identifier: Apache-2.0
/// What the agent answers: byte by byte, for clients that are unlike ours.
#include "agent/agent.hpp"

#include <gtest/gtest.h>

#include "fake_bus.hpp"
#include "requests.hpp"

namespace ligament::xrce::test {
namespace {

constexpr Key key{1, 2, 3, 4};
constexpr std::uint8_t session = 0x81;
const std::uint16_t node = object(1, Kind::participant);
const std::uint16_t topic = object(1, Kind::topic);
const std::uint16_t publisher = object(1, Kind::publisher);
const std::uint16_t subscriber = object(1, Kind::subscriber);
const std::uint16_t writer = object(1, Kind::writer);
const std::uint16_t reader = object(1, Kind::reader);

constexpr const char* profiles_text = R"(<?xml version="1.0"?>
<!-- what clients refer to -->
<dds><profiles>
  <participant profile_name="board"><rtps><name>board</name></rtps></participant>
  <topic profile_name="chatter"><name>rt/chatter</name>
    <dataType>std_msgs::msg::dds_::String_</dataType></topic>
  <publisher profile_name="p"/>
  <data_writer profile_name="w"><topic><name>rt/chatter</name>
    <dataType>std_msgs::msg::dds_::String_</dataType>
    <historyQos><kind>KEEP_LAST</kind><depth>12</depth></historyQos></topic>
    <qos><reliability><kind>RELIABLE</kind></reliability>
    <durability><kind>TRANSIENT_LOCAL</kind></durability></qos></data_writer>
</profiles></dds>)";

/// A link that keeps what the agent sends.
struct Client : Link {
  FakeBus bus;
  Profiles profiles = *Profiles::parse(profiles_text);
  std::vector<std::string> said;
  Agent agent{{.log = [this](const std::string& text) { said.push_back(text); }}, bus, profiles};
  std::vector<std::pair<Address, Message>> sent;
  Address address{std::byte{1}};
  std::int64_t now = 1'000'000'000;
  std::uint16_t next = 0;

  void send(const Address& to, std::span<const Bytes> pieces) override {
    Message message;
    for (const Bytes& piece : pieces) {
      message.insert(message.end(), piece.begin(), piece.end());
    }
    sent.emplace_back(to, message);
  }
  void say(const Message& message) {
    agent.receive(*this, address, message, now, now);
    agent.flush(now);
  }
  /// On the reliable stream.
  void ask(const Message& submessages) {
    say(with_header({session, first_reliable, next++, {}}, submessages));
  }
  /// The first submessage of that kind that was sent since the last call.
  std::optional<std::vector<std::byte>> answer(Submessage id) {
    std::optional<std::vector<std::byte>> found;
    for (const auto& [to, message] : std::exchange(sent, {})) {
      Header header;
      EXPECT_TRUE(read_header(message, header));
      Parts parts(Bytes(message).subspan(header.size()));
      while (const auto part = parts.next()) {
        if (part->id == id && !found) {
          found.emplace(part->payload.begin(), part->payload.end());
        }
      }
    }
    return found;
  }
  Status status_of(const Message& submessages) {
    sent.clear();
    ask(submessages);
    const auto payload = answer(Submessage::status);
    return payload ? static_cast<Status>((*payload)[4]) : static_cast<Status>(0xEE);
  }
  void log_in() {
    say(login(key, session));
    next = 0;
    sent.clear();
  }
  void make_writer(std::uint16_t flags = qos_flag::reliable | qos_flag::keep_last) {
    log_in();
    EXPECT_EQ(status_of(create({node, 0, Form::binary, participant_value("board")})), Status::ok);
    EXPECT_EQ(status_of(create({topic, node, Form::binary,
                                topic_value("rt/chatter", "std_msgs::msg::dds_::String_")})),
              Status::ok);
    EXPECT_EQ(status_of(create({publisher, node, Form::binary, group_value()})), Status::ok);
    EXPECT_EQ(status_of(create({writer, publisher, Form::binary, end_value(topic, flags)})),
              Status::ok);
  }
  void make_reader() {
    make_writer();
    EXPECT_EQ(status_of(create({subscriber, node, Form::binary, group_value()})), Status::ok);
    EXPECT_EQ(status_of(create({reader, subscriber, Form::binary,
                                end_value(topic, qos_flag::reliable | qos_flag::keep_last)})),
              Status::ok);
  }
};

const Message body{std::byte{4}, std::byte{5}, std::byte{6}};
const std::vector<std::byte> stored{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0},
                                    std::byte{4}, std::byte{5}, std::byte{6}};

TEST(Agent, AnswersAPingOfAnybody) {
  Client client;
  Message ping;
  PartWriter part(ping, Submessage::get_info);
  write_request(part.payload(), {9, 0xFFFD});
  part.payload().u32(2);
  part.finish();
  client.say(with_header({no_session, no_stream, 0, {}}, ping));
  ASSERT_EQ(client.sent.size(), 1U);
  EXPECT_EQ(std::to_integer<int>(client.sent[0].second[0]), no_session);
  auto info = client.answer(Submessage::info);
  ASSERT_TRUE(info);
  EXPECT_EQ(std::to_integer<int>((*info)[5]), 0);  // it has no session
  client.log_in();
  client.say(with_header({session, no_stream, 0, {}}, ping));
  info = client.answer(Submessage::info);
  ASSERT_TRUE(info);
  EXPECT_EQ(std::to_integer<int>((*info)[5]), 1);
}

TEST(Agent, RefusesAnotherVersion) {
  Client client;
  client.say(login(key, session, 2));
  const auto status = client.answer(Submessage::status_agent);
  ASSERT_TRUE(status);
  EXPECT_EQ(static_cast<Status>((*status)[0]), Status::incompatible);
  EXPECT_TRUE(client.agent.clients().empty());
}

TEST(Agent, SaysNothingToStrangers) {
  Client client;
  client.say(with_header({session, first_reliable, 0, {}}, create({node, 0, Form::binary, {}})));
  client.say({std::byte{1}});
  client.say(Message(3));
  EXPECT_TRUE(client.sent.empty());
  EXPECT_EQ(client.agent.ignored(), 3U);
}

TEST(Agent, WhatIsWrittenIsPublishedAsItIs) {
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
TEST(Agent, SamplesOfOneMessageKeepTheirOrder) {
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
TEST(Agent, ManySamplesOfOneMessageAllArrive) {
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

TEST(Agent, ThreeFormsAreTheSame) {
  Client binary;
  binary.make_writer(qos_flag::reliable | qos_flag::keep_last | qos_flag::transient_local);
  Client xml;
  xml.log_in();
  EXPECT_EQ(xml.status_of(create({node, 0, Form::xml,
                                  text_value("<dds><participant><rtps><name>board</name></rtps>"
                                             "</participant></dds>")})),
            Status::ok);
  EXPECT_EQ(xml.status_of(create({publisher, node, Form::xml, text_value("")})), Status::ok);
  EXPECT_EQ(xml.status_of(create(
                {writer, publisher, Form::xml,
                 text_value("<dds><data_writer><topic><kind>NO_KEY</kind><name>rt/chatter</name>"
                            "<dataType>std_msgs::msg::dds_::String_</dataType><historyQos>"
                            "<kind>KEEP_LAST</kind><depth>12</depth></historyQos></topic><qos>"
                            "<durability><kind>TRANSIENT_LOCAL</kind></durability></qos>"
                            "</data_writer></dds>")})),
            Status::ok);
  Client reference;
  reference.log_in();
  EXPECT_EQ(reference.status_of(create({node, 0, Form::reference, text_value("board")})),
            Status::ok);
  EXPECT_EQ(reference.status_of(create({publisher, node, Form::reference, text_value("p")})),
            Status::ok);
  EXPECT_EQ(reference.status_of(create({writer, publisher, Form::reference, text_value("w")})),
            Status::ok);
  EXPECT_EQ(xml.bus.nodes, binary.bus.nodes);
  EXPECT_EQ(reference.bus.nodes, binary.bus.nodes);
  auto wanted = binary.bus.writers.at(0);
  wanted.qos.depth = 12;
  for (const Client* other : {&xml, &reference}) {
    const auto& made = other->bus.writers.at(0);
    EXPECT_EQ(made.topic, wanted.topic);
    EXPECT_EQ(made.type_name, wanted.type_name);
    EXPECT_EQ(made.node, wanted.node);
    EXPECT_EQ(made.qos, wanted.qos);
  }
}

TEST(Agent, AttributesWithoutSpaceBetweenThemAreRead) {
  Client client;
  client.log_in();
  EXPECT_EQ(client.status_of(create({node, 0, Form::binary, participant_value("a")})), Status::ok);
  const auto requester = object(1, Kind::requester);
  EXPECT_EQ(client.status_of(create(
                {requester, node, Form::xml,
                 text_value("<dds><requester profile_name=\"x\"service_name=\"/add\""
                            "request_type=\"a::srv::dds_::B_Request_\"reply_type=\"r\"/></dds>")})),
            Status::ok);
  EXPECT_EQ(client.bus.writers.at(0).topic, "rq/addRequest");
  EXPECT_EQ(client.bus.writers.at(0).type_name, "a/srv/B_Request");
  EXPECT_EQ(client.bus.readers.at(0).topic, "rr/addReply");
}

TEST(Agent, AnIdIsUsedAgainAsTheFlagsSay) {
  Client client;
  client.make_writer();
  const auto same = end_value(topic, qos_flag::reliable | qos_flag::keep_last);
  const auto other = end_value(topic, qos_flag::keep_last);
  const auto with = [&](const Message& value, std::uint8_t flags, std::uint16_t request = 20) {
    return client.status_of(create({writer, publisher, Form::binary, value, flags, request}));
  };
  EXPECT_EQ(with(same, 0), Status::already_exists);
  EXPECT_EQ(with(same, flag::reuse, 77), Status::ok_matched);  // another request, the same object
  EXPECT_EQ(client.bus.writers.size(), 1U);
  Message padded = same;
  padded.at(3) = std::byte{0x5A};  // between the bool and the flags: what was in the memory before
  EXPECT_EQ(with(padded, flag::reuse), Status::ok_matched);
  EXPECT_EQ(with(other, flag::reuse), Status::mismatch);
  EXPECT_EQ(with(other, flag::reuse | flag::replace), Status::ok);
  EXPECT_EQ(client.bus.writers.size(), 2U);
  EXPECT_EQ(client.bus.open_writers.size(), 1U);
  EXPECT_EQ(with(other, flag::replace), Status::ok);
  EXPECT_EQ(client.bus.writers.size(), 3U);
}

TEST(Agent, WhatThePoolLacksIsRefused) {
  Client client;
  client.make_writer();
  std::uint16_t number = 2;
  for (const std::uint16_t flags :
       {qos_flag::exclusive, qos_flag::transient, qos_flag::persistent}) {
    EXPECT_EQ(client.status_of(create({object(number++, Kind::writer), publisher, Form::binary,
                                       end_value(topic, flags)})),
              Status::incompatible);
  }
  EXPECT_EQ(client.bus.writers.size(), 1U);
}

/// The value of a publisher, subscriber, or of an end, with what follows its flags and depth.
template <typename Write>
Message value_with(const Write& write) {
  Message value;
  CdrWriter to(value);
  write(to);
  return value;
}
Message end_with(const std::vector<bool>& before, const std::function<void(CdrWriter&)>& write) {
  return value_with([&](CdrWriter& to) {
    to.id(topic);
    to.boolean(true);
    to.u16(qos_flag::reliable | qos_flag::keep_last);
    for (const bool is_there : before) {
      to.boolean(is_there);
    }
    write(to);
  });
}

TEST(Agent, PoliciesThatThePoolLacksAreRefusedInBinary) {
  Client client;
  client.make_reader();
  const auto status = [&](unsigned number, Kind kind, const Message& value) {
    const std::uint16_t parent = kind == Kind::writer   ? publisher
                                 : kind == Kind::reader ? subscriber
                                                        : node;
    return client.status_of(create({object(number, kind), parent, Form::binary, value}));
  };
  const Message partition = value_with([](CdrWriter& to) {
    to.boolean(false);
    to.boolean(true);
    to.boolean(true);
    to.u32(1);
    to.string("left");
    to.boolean(false);
  });
  const Message group_data = value_with([](CdrWriter& to) {
    to.boolean(false);
    to.boolean(true);
    to.boolean(false);
    to.boolean(true);
    to.u32(1);
    to.u8(7);
  });
  for (const Message& value : {partition, group_data}) {
    EXPECT_EQ(status(2, Kind::publisher, value), Status::incompatible);
    EXPECT_EQ(status(2, Kind::subscriber, value), Status::incompatible);
  }
  // Neither depth nor deadline nor lifespan; then data of the user's.
  const Message user_data = end_with({false, false, false, true}, [](CdrWriter& to) {
    to.u32(1);
    to.u8(7);
    to.boolean(false);
    to.boolean(false);
  });
  EXPECT_EQ(status(2, Kind::writer, user_data), Status::incompatible);
  EXPECT_EQ(status(2, Kind::reader, user_data), Status::incompatible);
  const Message least_time = end_with({false, false, false, false, true}, [](CdrWriter& to) {
    to.u32(10);
    to.boolean(false);
  });
  const Message filter = end_with({false, false, false, false, false, true},
                                  [](CdrWriter& to) { to.string("data > 1"); });
  EXPECT_EQ(status(2, Kind::reader, least_time), Status::incompatible);
  EXPECT_EQ(status(2, Kind::reader, filter), Status::incompatible);
  EXPECT_EQ(client.bus.writers.size(), 1U);
  EXPECT_EQ(client.bus.readers.size(), 1U);
}

TEST(Agent, DeadlineAndLifespanAreMillisecondsInBinary) {
  Client client;
  client.make_writer();
  const Message value = end_with({false, true}, [](CdrWriter& to) {
    to.u32(20);
    to.boolean(true);
    to.u32(3000);
    to.boolean(false);
    to.boolean(false);
  });
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary, value})),
            Status::ok);
  EXPECT_EQ(client.bus.writers.back().qos.deadline_ns, 20'000'000);
  EXPECT_EQ(client.bus.writers.back().qos.lifespan_ns, 3'000'000'000);
}

TEST(Agent, WhatDoesNotExistIsRefused) {
  Client client;
  client.make_writer();
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), object(9, Kind::publisher),
                                     Form::binary, end_value(topic, 0)})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary,
                                     end_value(object(9, Kind::topic), 0)})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(
                create({object(2, Kind::participant), 0, Form::reference, text_value("nobody")})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(
                create({object(2, Kind::topic), node, Form::xml, text_value("<dds><topic>")})),
            Status::invalid_data);
  EXPECT_EQ(client.status_of(create({object(2, Kind::topic), node, Form::binary, {}})),
            Status::invalid_data);
  client.bus.unknown_types.insert("a/msg/B");
  EXPECT_EQ(client.status_of(create({object(2, Kind::topic), node, Form::binary,
                                     topic_value("rt/b", "a::msg::dds_::B_")})),
            Status::ok);
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary,
                                     end_value(object(2, Kind::topic), 0)})),
            Status::unknown_reference);
}

TEST(Agent, WhatBelongsToADeletedObjectIsDeleted) {
  Client client;
  client.make_reader();
  EXPECT_EQ(client.status_of(removal(node)), Status::ok);
  EXPECT_TRUE(client.bus.nodes.empty());
  EXPECT_TRUE(client.bus.open_writers.empty());
  EXPECT_TRUE(client.bus.open_readers.empty());
  EXPECT_EQ(client.status_of(removal(node)), Status::unknown_reference);
}

TEST(Agent, SamplesComeWhenTheyAreAskedForAndNoMore) {
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

TEST(Agent, SamplesThatHadToWaitForTheirPaceComeByThemselves) {
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

TEST(Agent, ASampleThatBestEffortCannotCarryIsDroppedAndNotDelivered) {
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

TEST(Agent, AClientThatAcknowledgesNothingGetsAWindowAndNoMore) {
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

TEST(Agent, AnotherSessionOfTheSameClientBeginsWithNothing) {
  Client client;
  client.make_writer();
  client.say(login(key, session));  // the same: its objects stay
  EXPECT_EQ(client.bus.open_writers.size(), 1U);
  client.say(login(key, session + 1));
  EXPECT_TRUE(client.bus.open_writers.empty());
  EXPECT_EQ(client.agent.clients().size(), 1U);
}

TEST(Agent, ASessionWithKeyMayChangeItsAddress) {
  Client client;
  client.say(login(key, 1));
  client.address = {std::byte{2}};
  client.sent.clear();
  client.say(with_header({1, first_reliable, 0, key},
                         create({node, 0, Form::binary, participant_value("board")})));
  EXPECT_EQ(client.bus.nodes.size(), 1U);
  ASSERT_FALSE(client.sent.empty());
  EXPECT_EQ(client.sent[0].first, client.address);
  client.say(with_header({1, first_reliable, 1, Key{9}}, create({node, 0, Form::binary, {}})));
  EXPECT_EQ(client.agent.ignored(), 1U);
}

TEST(Agent, ThereIsALimitToClients) {
  Client client;
  for (unsigned i = 0; i < 70; ++i) {
    client.address = {static_cast<std::byte>(i)};
    client.say(login({static_cast<std::uint8_t>(i), 0, 0, 0}, session));
  }
  EXPECT_EQ(client.agent.clients().size(), 64U);
  const auto last = std::exchange(client.sent, {}).back().second;
  EXPECT_EQ(static_cast<Status>(last[8]), Status::resources);
}

TEST(Agent, ABigEndianBodyIsDropped) {
  Client client;
  client.make_writer();
  Message part = write(writer, body);
  part[1] = std::byte{0};
  client.ask(part);
  EXPECT_TRUE(client.bus.published["/chatter"].empty());
  EXPECT_EQ(client.agent.clients().at(0).session.dropped, 1U);
}

Message fragment(std::span<const std::byte> piece, bool is_last) {
  Message part;
  PartWriter fragments(part, Submessage::fragment, is_last ? flag::last_fragment : 0);
  fragments.payload().bytes(piece);
  fragments.finish();
  return part;
}

TEST(Agent, AWriterThatIsReplacedBetweenFragmentsGetsNoneOfThem) {
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
TEST(Agent, WhatFollowsTheBodyInFragmentsIsPassedOver) {
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

TEST(Agent, FragmentsThatAreLessThanTheySayAreNoMessage) {
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

TEST(Agent, ThePoolWithoutMemoryCosts) {
  Client client;
  client.make_writer();
  client.bus.is_full = true;
  client.ask(write(writer, body));
  EXPECT_EQ(client.agent.clients().at(0).session.dropped, 1U);
}

TEST(Agent, EveryMessageCutAnywhereIsHarmless) {
  Client client;
  client.make_reader();
  const std::vector<Message> messages{
      login(key, session), create({writer, publisher, Form::binary, end_value(topic, 1), 4}),
      create({object(2, Kind::topic), node, Form::xml, text_value("<dds><topic/></dds>")}),
      write(writer, body), read(reader, 1, 9)};
  for (const Message& whole : messages) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      client.say(with_header({session, first_best_effort, client.next++, {}},
                             Message(whole.begin(), whole.begin() + static_cast<long>(size))));
    }
  }
  EXPECT_EQ(client.agent.clients().size(), 1U);
  client.ask(write(writer, body));
}

TEST(Agent, NamesBecomeThoseOfRos) {
  Client client;
  client.log_in();
  const std::vector<std::pair<std::string, std::string>> names{{"/ns/imu", "/ns/imu"},
                                                               {"imu node", "/imu_node"},
                                                               {"//a///b/", "/a/b"},
                                                               {"2nd", "/_2nd"},
                                                               {"", "/xrce_client_01020304"}};
  for (std::uint16_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(client.status_of(create({object(i + 1U, Kind::participant), 0, Form::binary,
                                       participant_value(names[i].first)})),
              Status::ok);
    EXPECT_TRUE(client.bus.nodes.contains(names[i].second)) << names[i].first;
  }
}

}  // namespace
}  // namespace ligament::xrce::test
