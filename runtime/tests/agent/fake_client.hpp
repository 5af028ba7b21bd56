// SPDX-License-Identifier: Apache-2.0
/// \file A client that says to the agent what a test says, byte by byte, and keeps what comes back.
#pragma once

#include <gtest/gtest.h>

#include "agent/agent.hpp"
#include "fake_bus.hpp"
#include "requests.hpp"

namespace ligament::xrce::test {

inline constexpr Key key{1, 2, 3, 4};
inline constexpr std::uint8_t session = 0x81;
inline const std::uint16_t node = object(1, Kind::participant);
inline const std::uint16_t topic = object(1, Kind::topic);
inline const std::uint16_t publisher = object(1, Kind::publisher);
inline const std::uint16_t subscriber = object(1, Kind::subscriber);
inline const std::uint16_t writer = object(1, Kind::writer);
inline const std::uint16_t reader = object(1, Kind::reader);

inline constexpr const char* profiles_text = R"(<?xml version="1.0"?>
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

inline const Message body{std::byte{4}, std::byte{5}, std::byte{6}};
inline const std::vector<std::byte> stored{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0},
                                           std::byte{4}, std::byte{5}, std::byte{6}};

}  // namespace ligament::xrce::test
