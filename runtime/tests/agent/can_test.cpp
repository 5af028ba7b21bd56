// SPDX-License-Identifier: Apache-2.0
/// CAN: what a frame is, and the client's port against the agent's transport. A pair of sockets
/// that carry frames stands for the bus; a bus of the kernel's where this machine can make one.
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" {
#include "can_port.h"
}

#include <cstdlib>
#include <cstring>

#include "agent/can.hpp"
#include "fake_wire.hpp"

namespace ligament::xrce::test {
namespace {

constexpr const char* string_type = "std_msgs::msg::dds_::String_";
constexpr std::uint32_t id = 0x1ABCDEF0;

std::vector<std::byte> bytes_of(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + size);
  }
  return bytes;
}

TEST(CanFrame, HasALengthThenTheMessageAndOneOfTheSizesOfFrames) {
  for (const auto& [size, length] : {std::pair<std::size_t, int>{0, 1},
                                     {1, 2},
                                     {7, 8},
                                     {8, 12},
                                     {11, 12},
                                     {12, 16},
                                     {31, 32},
                                     {32, 48},
                                     {47, 48},
                                     {63, 64}}) {
    const auto message = bytes_of(size);
    const Bytes piece(message);
    const std::array<Bytes, 2> pieces{piece.first(size / 2), piece.subspan(size / 2)};
    const auto frame = to_frame(id, pieces);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->len, length) << size;
    EXPECT_EQ(frame->data[0], size);
    EXPECT_EQ(frame->can_id, id | CAN_EFF_FLAG);
    const auto back = from_frame(*frame, sizeof *frame);
    ASSERT_TRUE(back);
    EXPECT_TRUE(std::equal(back->begin(), back->end(), message.begin(), message.end()));
  }
  const auto message = bytes_of(64);
  const Bytes piece(message);
  EXPECT_FALSE(to_frame(id, std::span(&piece, 1)));
}

TEST(CanFrame, WhatLiesIsNone) {
  const auto message = bytes_of(20);
  const Bytes piece(message);
  const canfd_frame good = *to_frame(id, std::span(&piece, 1));
  EXPECT_FALSE(from_frame(good, sizeof good - 1));
  EXPECT_FALSE(from_frame(good, 0));
  EXPECT_FALSE(from_frame(good, CAN_MTU)) << "longer than a frame of classic CAN";
  const auto refused = [&](const std::function<void(canfd_frame&)>& change) {
    canfd_frame frame = good;
    change(frame);
    EXPECT_FALSE(from_frame(frame, sizeof frame));
  };
  refused([](canfd_frame& frame) { frame.data[0] = frame.len; });
  refused([](canfd_frame& frame) { frame.data[0] = 255; });
  refused([](canfd_frame& frame) { frame.len = 0; });
  refused([](canfd_frame& frame) { frame.len = 65; });
  refused([](canfd_frame& frame) { frame.can_id = id; });
  refused([](canfd_frame& frame) { frame.can_id |= CAN_ERR_FLAG; });
  refused([](canfd_frame& frame) { frame.can_id |= CAN_RTR_FLAG; });
}

/// A client on one end and an agent on the other, in one thread: the agent works when the client
/// waits.
struct Bus {
  Bus(int of_agent, ligament_can_t of_client)
      : transport(of_agent, "can9"), agent({}, bus, profiles), client(of_client) {
    inner = ligament_can_port(&client);
  }
  ~Bus() { ligament_can_close(&client); }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  void turn() {
    now_us += 100;
    const std::int64_t now = now_us * 1000;
    (void)transport.work([&](const Address& from, Bytes data) {
      agent.receive(transport, from, data, now, now + 5'000'000);
    });
    agent.flush(now);
    (void)agent.tick(now);
  }
  ligament_port_t port() {
    return {this,
            &send,
            [](void* self, std::uint8_t* to, std::size_t most, std::uint32_t) {
              of(self).turn();
              return of(self).inner.receive(of(self).inner.context, to, most, 0);
            },
            &now_of,
            nullptr,
            nullptr,
            nullptr,
            nullptr,
            nullptr};
  }
  int open() {
    auto options = ligament_session_defaults(port(), 0xC0FFEE02);
    options.memory = memory.data();
    options.mtu = LIGAMENT_CAN_MTU;
    options.out_slots = 16;
    options.in_slots = 16;
    options.assembly = assembly.data();
    options.assembly_size = assembly.size();
    options.answer_ms = 20'000;
    options.block_ms = 20'000;
    const int opened = ligament_session_open(&session, &options);
    return opened < 0 ? opened : ligament_node_create(&node, &session, "/on_the_bus");
  }

  FakeBus bus;
  Profiles profiles;
  CanTransport transport;
  Agent agent;
  ligament_can_t client;
  ligament_port_t inner{};
  std::int64_t now_us = 1'000'000;
  std::vector<std::uint8_t> memory =
      std::vector<std::uint8_t>(LIGAMENT_MEMORY_SIZE(LIGAMENT_CAN_MTU, 16, 16));
  std::vector<std::uint8_t> assembly = std::vector<std::uint8_t>(4096);
  ligament_session_t session{};
  ligament_node_t node{};

 private:
  static Bus& of(void* self) { return *static_cast<Bus*>(self); }
  static int send(void* self, const std::uint8_t* bytes, std::size_t size) {
    return of(self).inner.send(of(self).inner.context, bytes, size);
  }
  static std::int64_t now_of(void* self) { return ++of(self).now_us; }
};

void expect_both_ways(Bus& bus) {
  ASSERT_EQ(bus.open(), 0);
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &bus.node, "/a_topic_with_a_long_name/of_its_own",
                                      string_type, ligament_qos_reliable(10)),
            0);
  std::vector<std::vector<std::uint8_t>> got;
  const auto take = [](void* to, ligament_cdr_t* body) {
    static_cast<std::vector<std::vector<std::uint8_t>>*>(to)->emplace_back(
        body->bytes, body->bytes + body->size);
  };
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &bus.node, "/down", string_type,
                                         ligament_qos_reliable(10), {take, &got}),
            0);
  ASSERT_EQ(ligament_session_flush(&bus.session, 20'000), 0);
  const std::vector<std::size_t> sizes{1, 51, 52, 500, 3000};
  for (const std::size_t size : sizes) {
    const std::vector<std::uint8_t> body(size, static_cast<std::uint8_t>(size));
    ASSERT_EQ(ligament_publish(&publisher, body.data(), body.size()), 0) << size;
    FakeSample sample;
    sample.stored.assign(4 + size, static_cast<std::byte>(size));
    bus.bus.publish("/down", sample);
  }
  for (int i = 0; i < 60'000 && got.size() < sizes.size(); ++i) {
    ASSERT_EQ(ligament_session_run(&bus.session, 1), 0);
  }
  ASSERT_EQ(ligament_session_flush(&bus.session, 20'000), 0);
  const auto& published = bus.bus.published["/a_topic_with_a_long_name/of_its_own"];
  ASSERT_EQ(published.size(), sizes.size());
  ASSERT_EQ(got.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(published[i].stored.size(), 4 + sizes[i]);
    EXPECT_EQ(published[i].stored.back(), static_cast<std::byte>(sizes[i]));
    EXPECT_EQ(got[i], std::vector<std::uint8_t>(sizes[i], static_cast<std::uint8_t>(sizes[i])));
  }
  EXPECT_EQ(bus.transport.lost(), 0U);
}

TEST(Can, ClientAndAgentMeetOnIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  Bus bus(ends[0], {ends[1], id});
  expect_both_ways(bus);
  EXPECT_EQ(bus.transport.foreign(), 0U);
}

TEST(Can, FramesOfOthersAreNone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  Bus bus(ends[0], {ends[1], id});
  canfd_frame frame{};
  frame.can_id = 0x123;
  frame.len = 8;
  ASSERT_EQ(::write(ends[1], &frame, sizeof frame), ssize_t{sizeof frame});
  bus.turn();
  EXPECT_EQ(bus.transport.foreign(), 1U);
  frame.can_id = (id + 1) | CAN_EFF_FLAG;  // the agent speaks to somebody else
  frame.data[0] = 3;
  ASSERT_EQ(::write(ends[0], &frame, sizeof frame), ssize_t{sizeof frame});
  std::uint8_t message[LIGAMENT_CAN_MTU];
  EXPECT_EQ(bus.inner.receive(bus.inner.context, message, sizeof message, 0), 0);
}

TEST(Can, AnInterfaceThatIsNotThereIsTold) {
  const auto opened = CanTransport::open("can_none");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().find("can_none"), std::string::npos);
  ligament_can_t bus;
  EXPECT_LT(ligament_can_open(&bus, "can_none", id), 0);
}

TEST(Can, ABusOfTheKernelCarriesIt) {
  const std::string name = "vlig" + std::to_string(::getpid() % 100000);
  const std::string make = "ip link add dev " + name +
                           " type vcan >/dev/null 2>&1 && ip link set " + name +
                           " mtu 72 up >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) {
    GTEST_SKIP()
        << "SKIPPED: this machine has no such thing: a virtual CAN bus (ip link add ... type "
           "vcan)";
  }
  {
    auto opened = CanTransport::open(name);
    ASSERT_TRUE(opened) << opened.error();
    ligament_can_t client;
    ASSERT_EQ(ligament_can_open(&client, name.c_str(), id), 0);
    Bus bus(::dup((*opened)->fd()), client);
    expect_both_ways(bus);
  }
  (void)std::system(("ip link del " + name).c_str());
}

}  // namespace
}  // namespace ligament::xrce::test
