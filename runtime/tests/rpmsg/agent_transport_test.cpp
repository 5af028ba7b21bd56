// SPDX-License-Identifier: Apache-2.0
// The agent's transport and the client's port: XRCE messages over RPMsg, with both sides in one
// process. The core's program runs whenever it would sleep no longer: `wait` is the host's turn.
#include <rpmsg_port.h>

#include "agent/rpmsg.hpp"
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

using Texts = std::vector<std::string>;

/// An agent that says each message back, `copies` times.
struct Agent {
  explicit Agent(Memory& memory, std::unique_ptr<Bell> bell)
      : transport({}, memory.host(), std::move(bell)) {}
  void work() {
    const auto came = transport.work([this](const xrce::Address& from, xrce::Bytes data) {
      got.emplace_back(reinterpret_cast<const char*>(data.data()), data.size());
      for (int copy = 0; copy < copies; ++copy) {
        transport.send(from, std::span(&data, 1));
      }
    });
    ends += came == xrce::Transport::Came::end ? 1 : 0;
  }

  Texts got;
  int copies = 1;
  int ends = 0;
  xrce::RpmsgTransport transport;
};

/// A core whose client waits, which is when the agent works.
struct Client {
  Client(Memory& memory, std::unique_ptr<Bell> bell, Agent& agent_in)
      : agent(agent_in), core(memory, std::move(bell)) {
    port.link = &core.link;
    port.context = this;
    port.wait = [](void* client, std::uint32_t /*most_ms*/) {
      auto* self = static_cast<Client*>(client);
      self->now += 1000;
      self->agent.work();
    };
    port.now_us = [](void* client) { return static_cast<Client*>(client)->now; };
    EXPECT_EQ(ligament_rpmsg_start(&core.link, &core.config), 0);
    EXPECT_EQ(ligament_rpmsg_port_open(&port), 0);
    api = ligament_rpmsg_port(&port);
  }
  std::string receive(std::size_t capacity = 65536, std::uint32_t wait_ms = 10) {
    std::vector<std::uint8_t> buffer(capacity);
    const int size = api.receive(api.context, buffer.data(), capacity, wait_ms);
    EXPECT_GE(size, 0);
    return {reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(size)};
  }
  int send(const std::string& text) {
    return api.send(api.context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }

  Agent& agent;
  Core core;
  ligament_rpmsg_port_t port{};
  ligament_port_t api{};
  std::int64_t now = 0;
};

struct Both {
  Both()
      : memory(usual_map),
        bells(EventBell::pair()),
        agent(memory, std::move(bells.second)),
        client(std::make_unique<Client>(memory, std::move(bells.first), agent)) {}

  Memory memory;
  std::pair<std::unique_ptr<Bell>, std::unique_ptr<Bell>> bells;
  Agent agent;
  std::unique_ptr<Client> client;
};

TEST(RpmsgTransport, AMessageIsAMessage) {
  Both both;
  EXPECT_EQ(both.client->receive(), "") << "the agent's hello is no message";
  for (const std::size_t size : {1U, 496U, 508U, 60000U}) {
    const std::string text(size, 'm');
    ASSERT_EQ(both.client->send(text), 0);
    EXPECT_EQ(both.client->receive(), text) << size;
  }
  EXPECT_EQ(both.agent.got.size(), 4U);
  EXPECT_EQ(both.agent.transport.lost(), 0U);
}

TEST(RpmsgTransport, WhatNobodyWaitsForStaysInTheRing) {
  Both both;
  EXPECT_EQ(both.client->receive(), "");
  both.agent.copies = 10;
  ASSERT_EQ(both.client->send("small"), 0);
  ASSERT_EQ(both.client->send(std::string(700, 'L')), 0);
  both.agent.work();
  for (int copy = 0; copy < 20; ++copy) {
    // Other work of the link in between takes nothing away.
    (void)ligament_rpmsg_poll(&both.client->core.link);
    EXPECT_EQ(both.client->receive(), copy < 10 ? "small" : std::string(700, 'L')) << copy;
  }
  EXPECT_EQ(both.client->receive(), "");
  EXPECT_EQ(both.client->core.link.peer.held, 0U);
}

TEST(RpmsgTransport, AMessageInPartsWaitsToo) {
  Both both;
  EXPECT_EQ(both.client->receive(), "");
  both.agent.copies = 2;
  const std::string most(128 * 1024, 'a');  // the first fills the agent's slab
  ASSERT_EQ(both.client->send(most), 0);
  both.agent.work();
  EXPECT_EQ(both.agent.transport.lost(), 1U) << "and is too long for the ring";
  both.agent.copies = 1;
  const std::string parts(20'000, 'p');
  ASSERT_EQ(both.client->send(parts), 0);
  both.agent.work();
  EXPECT_EQ(both.client->receive(most.size()), most);
  for (int look = 0; look < 3; ++look) {
    (void)ligament_rpmsg_poll(&both.client->core.link);
  }
  EXPECT_EQ(both.client->receive(), parts);
  EXPECT_EQ(both.agent.transport.lost(), 1U);
}

TEST(RpmsgTransport, TooSmallABufferDropsTheMessage) {
  Both both;
  EXPECT_EQ(both.client->receive(), "");
  ASSERT_EQ(both.client->send("longer than that"), 0);
  EXPECT_EQ(both.client->receive(4), "");
  ASSERT_EQ(both.client->send("next"), 0);
  EXPECT_EQ(both.client->receive(), "next");
}

TEST(RpmsgTransport, ACoreThatStartsAnewIsAnEndAndABegin) {
  Both both;
  EXPECT_EQ(both.client->receive(), "");
  EXPECT_EQ(both.agent.ends, 0);
  auto bell = std::move(both.client->core.bell);
  both.client = std::make_unique<Client>(both.memory, std::move(bell), both.agent);
  EXPECT_EQ(both.client->send("too early"), 0) << "lost, as on any wire";
  EXPECT_EQ(both.client->receive(), "");
  EXPECT_EQ(both.agent.ends, 1);
  ASSERT_EQ(both.client->send("again"), 0);
  EXPECT_EQ(both.client->receive(), "again");
}

}  // namespace
}  // namespace ligament::rpmsg::twin
