// SPDX-License-Identifier: Apache-2.0
/// What the agent answers to clients that are unlike ours: who comes, goes, and is hostile.
#include "fake_client.hpp"

namespace ligament::xrce::test {
namespace {

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

}  // namespace
}  // namespace ligament::xrce::test
