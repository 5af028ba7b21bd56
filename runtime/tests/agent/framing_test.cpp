// SPDX-License-Identifier: Apache-2.0
/// Frames of both ends, and the numbers of both ends.
#include "agent/framing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "agent/wire.hpp"

extern "C" {
#include "ligament/framing.h"
#include "wire.h"
}

namespace ligament::xrce::test {
namespace {

using Message = std::vector<std::byte>;

struct Line {
  Message bytes;
  std::size_t at = 0;
  std::int64_t now = 0;
  static int write(void* context, const std::uint8_t* from, std::size_t size) {
    auto& self = *static_cast<Line*>(context);
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    self.bytes.insert(self.bytes.end(), bytes, bytes + size);
    return 0;
  }
  /// In pieces of any size.
  static int read(void* context, std::uint8_t* to, std::size_t capacity, std::uint32_t) {
    auto& self = *static_cast<Line*>(context);
    const std::size_t size =
        std::min({capacity, self.bytes.size() - self.at, std::size_t{1} + self.at % 7});
    std::memcpy(to, self.bytes.data() + self.at, size);
    self.at += size;
    return static_cast<int>(size);
  }
  static std::int64_t clock(void* context) { return ++static_cast<Line*>(context)->now; }
};

ligament_framing_t framing_over(Line& line) {
  ligament_framing_t framing{};
  framing.context = &line;
  framing.write = &Line::write;
  framing.read = &Line::read;
  framing.now_us = &Line::clock;
  return framing;
}

std::vector<Message> some_messages() {
  std::mt19937 chance(3);
  std::vector<Message> messages;
  for (unsigned i = 0; i < 200; ++i) {
    Message message(1 + chance() % 600);
    for (std::byte& byte : message) {
      byte = static_cast<std::byte>(i % 2 == 0 ? chance() : 0x7D + chance() % 2);
    }
    messages.push_back(message);
  }
  return messages;
}

TEST(Framing, TheSumIsTheOneThatIsMeant) {
  const char* digits = "123456789";
  EXPECT_EQ(crc16(0, std::as_bytes(std::span(digits, 9))), 0xBB3D);
  std::uint16_t sum = 0;
  for (int i = 0; i < 9; ++i) {
    sum = ligament_crc16(sum, static_cast<std::uint8_t>(digits[i]));
  }
  EXPECT_EQ(sum, 0xBB3D);
}

TEST(Framing, WhatTheClientSendsTheAgentReads) {
  Line line;
  auto framing = framing_over(line);
  const auto port = ligament_framing_port(&framing);
  const auto messages = some_messages();
  for (const Message& message : messages) {
    ASSERT_EQ(port.send(port.context, reinterpret_cast<const std::uint8_t*>(message.data()),
                        message.size()),
              0);
  }
  Deframer deframer;
  std::vector<Message> got;
  deframer.add(line.bytes, [&got](std::uint8_t source, Bytes message) {
    EXPECT_EQ(source, 1);
    got.emplace_back(message.begin(), message.end());
  });
  EXPECT_EQ(got, messages);
  EXPECT_EQ(deframer.broken(), 0U);
}

TEST(Framing, WhatTheAgentSendsTheClientReads) {
  Line line;
  const auto messages = some_messages();
  for (const Message& message : messages) {
    const Bytes whole(message);
    append_frame(line.bytes, 1,
                 std::array{whole.first(message.size() / 2), whole.subspan(message.size() / 2)});
  }
  auto framing = framing_over(line);
  const auto port = ligament_framing_port(&framing);
  std::vector<Message> got;
  std::array<std::uint8_t, 600> memory{};
  while (got.size() < messages.size()) {
    const int size = port.receive(port.context, memory.data(), memory.size(), 1);
    ASSERT_GT(size, 0);
    const auto* bytes = reinterpret_cast<const std::byte*>(memory.data());
    got.emplace_back(bytes, bytes + size);
  }
  EXPECT_EQ(got, messages);
}

TEST(Framing, ABrokenFrameCostsItselfOnly) {
  const auto messages = some_messages();
  for (std::size_t hurt = 0; hurt < 300; ++hurt) {
    Line line;
    for (std::size_t i = 0; i < 3; ++i) {
      const Bytes whole(messages[i]);
      append_frame(line.bytes, 1, std::span(&whole, 1));
    }
    line.bytes[hurt % line.bytes.size()] ^= std::byte{0x10};
    Deframer deframer;
    std::size_t got = 0;
    deframer.add(line.bytes, [&](std::uint8_t, Bytes message) {
      const Message copy(message.begin(), message.end());
      EXPECT_TRUE(std::find(messages.begin(), messages.end(), copy) != messages.end());
      ++got;
    });
    EXPECT_LE(got, 3U);
    EXPECT_GE(got, hurt < messages[0].size() ? 0U : 1U);
  }
}

TEST(Numbers, AreTheSameOnBothEnds) {
  EXPECT_EQ(LIG_CREATE_CLIENT, static_cast<int>(Submessage::create_client));
  EXPECT_EQ(LIG_CREATE, static_cast<int>(Submessage::create));
  EXPECT_EQ(LIG_GET_INFO, static_cast<int>(Submessage::get_info));
  EXPECT_EQ(LIG_DELETE, static_cast<int>(Submessage::remove));
  EXPECT_EQ(LIG_STATUS_AGENT, static_cast<int>(Submessage::status_agent));
  EXPECT_EQ(LIG_STATUS, static_cast<int>(Submessage::status));
  EXPECT_EQ(LIG_INFO, static_cast<int>(Submessage::info));
  EXPECT_EQ(LIG_WRITE_DATA, static_cast<int>(Submessage::write_data));
  EXPECT_EQ(LIG_READ_DATA, static_cast<int>(Submessage::read_data));
  EXPECT_EQ(LIG_DATA, static_cast<int>(Submessage::data));
  EXPECT_EQ(LIG_ACKNACK, static_cast<int>(Submessage::acknack));
  EXPECT_EQ(LIG_HEARTBEAT, static_cast<int>(Submessage::heartbeat));
  EXPECT_EQ(LIG_FRAGMENT, static_cast<int>(Submessage::fragment));
  EXPECT_EQ(LIG_TIMESTAMP, static_cast<int>(Submessage::timestamp));
  EXPECT_EQ(LIG_TIMESTAMP_REPLY, static_cast<int>(Submessage::timestamp_reply));
  EXPECT_EQ(LIG_PARTICIPANT, static_cast<int>(Kind::participant));
  EXPECT_EQ(LIG_TOPIC, static_cast<int>(Kind::topic));
  EXPECT_EQ(LIG_PUBLISHER, static_cast<int>(Kind::publisher));
  EXPECT_EQ(LIG_SUBSCRIBER, static_cast<int>(Kind::subscriber));
  EXPECT_EQ(LIG_WRITER, static_cast<int>(Kind::writer));
  EXPECT_EQ(LIG_READER, static_cast<int>(Kind::reader));
  EXPECT_EQ(LIG_REQUESTER, static_cast<int>(Kind::requester));
  EXPECT_EQ(LIG_REPLIER, static_cast<int>(Kind::replier));
  EXPECT_EQ(LIG_WINDOW, window);
  EXPECT_EQ(LIG_IDENTITY, static_cast<int>(identity_size));
  EXPECT_EQ(LIG_REUSE, flag::reuse);
  EXPECT_EQ(LIG_REPLACE, flag::replace);
  EXPECT_EQ(LIG_LAST_FRAGMENT, flag::last_fragment);
  EXPECT_EQ(LIG_OBJECT_CLIENT, object_client);
}

}  // namespace
}  // namespace ligament::xrce::test
