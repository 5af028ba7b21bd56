// SPDX-License-Identifier: Apache-2.0
// The firmware's client and the agent over RPMsg, all in one process, and between the client and
// the link a shim that harms packets in both directions: what is reliable arrives, all, in order,
// once, and what lies in the slab is not copied.
extern "C" {
#include <ligament/xrce.h>
}
#include <rpmsg_port.h>

#include <deque>
#include <functional>
#include <optional>
#include <random>

#include "../agent/fake_bus.hpp"
#include "agent/agent.hpp"
#include "agent/rpmsg.hpp"
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

constexpr const char* string_type = "std_msgs::msg::dds_::String_";
using Body = std::vector<std::uint8_t>;

Body body_of(unsigned number, std::size_t size) {
  Body body(size);
  for (std::size_t i = 0; i < size; ++i) {
    body[i] = static_cast<std::uint8_t>(number * 31 + i * 7 + i / 251);
  }
  std::memcpy(body.data(), &number, sizeof number);
  return body;
}

/// Around what changes: a buffer, a block, the client's messages, 16 bits.
std::size_t size_of(unsigned number) {
  constexpr std::array<std::size_t, 8> sizes{4, 484, 485, 1000, 4084, 4085, 20'001, 66'000};
  return sizes[number % sizes.size()];
}

std::vector<std::byte> stored(const Body& body) {
  std::vector<std::byte> bytes{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
  for (const std::uint8_t byte : body) {
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return bytes;
}

struct Harm {
  double lost = 0;
  double doubled = 0;
  double delayed = 0;   ///< behind the next one
  double inserted = 0;  ///< bytes by chance, as a packet of their own
  unsigned seed = 1;
};

/// A client's port that is the link's, with harm.
class Shim {
 public:
  /// `turn` is the agent's: also when the client does not wait.
  Shim(ligament_port_t inner, Harm harm, std::function<void()> turn)
      : inner_(inner), harm_(harm), chance_(harm.seed), turn_(std::move(turn)) {}
  ligament_port_t port() {
    return {this,       &send,      &receive,          &now,       &lend,
            &send_lent, &give_back, &receive_in_place, &send_later};
  }
  std::uint64_t lent = 0;  ///< packets that were sent from the slab

 private:
  bool happens(double probability) {
    return std::uniform_real_distribution<>(0, 1)(chance_) < probability;
  }
  Body noise() {
    Body bytes(std::uniform_int_distribution<std::size_t>(1, 600)(chance_));
    for (auto& byte : bytes) {
      byte = static_cast<std::uint8_t>(chance_());
    }
    return bytes;
  }
  int pass(const std::uint8_t* bytes, std::size_t size) {
    return inner_.send(inner_.context, bytes, size);
  }
  /// What is due besides the packet itself; whether that is lost.
  bool harms(const std::uint8_t* bytes, std::size_t size) {
    if (up_) {
      const Body late = *std::exchange(up_, std::nullopt);
      (void)pass(late.data(), late.size());
    }
    if (happens(harm_.inserted)) {
      const Body bad = noise();
      (void)pass(bad.data(), bad.size());
    }
    if (happens(harm_.delayed)) {
      up_ = Body(bytes, bytes + size);
      return true;
    }
    return happens(harm_.lost);
  }
  static Shim& of(void* context) { return *static_cast<Shim*>(context); }
  static int send(void* context, const std::uint8_t* bytes, std::size_t size) {
    Shim& self = of(context);
    if (self.harms(bytes, size)) {
      return 0;
    }
    const int sent = self.pass(bytes, size);
    return self.happens(self.harm_.doubled) ? self.pass(bytes, size) : sent;
  }
  static int send_later(void* context, const std::uint8_t* bytes, std::size_t size) {
    Shim& self = of(context);
    return self.harms(bytes, size) ? 0 : self.inner_.send_later(self.inner_.context, bytes, size);
  }
  static int send_lent(void* context, std::uint8_t* memory, std::size_t size) {
    Shim& self = of(context);
    if (self.harms(memory, size)) {
      return 0;
    }
    ++self.lent;
    if (self.happens(self.harm_.doubled)) {
      (void)self.pass(memory, size);
    }
    return self.inner_.send_lent(self.inner_.context, memory, size);
  }
  static std::uint8_t* lend(void* context, std::size_t size) {
    return of(context).inner_.lend(of(context).inner_.context, size);
  }
  static void give_back(void* context, std::uint8_t* memory) {
    of(context).inner_.give_back(of(context).inner_.context, memory);
  }
  static std::int64_t now(void* context) {
    return of(context).inner_.now_us(of(context).inner_.context);
  }

  /// Exactly as long as the packet, so that a sanitizer sees each byte beyond.
  static int say(Shim& self, Body packet, std::uint8_t** message, std::size_t capacity) {
    self.down_ = std::move(packet);
    *message = self.down_.data();
    return self.down_.size() > capacity ? 0 : static_cast<int>(self.down_.size());
  }
  static int receive_in_place(void* context, std::uint8_t** message, std::size_t capacity,
                              std::uint32_t wait_ms) {
    Shim& self = of(context);
    self.turn_();
    if (!self.waiting_.empty()) {
      Body next = std::move(self.waiting_.front());
      self.waiting_.pop_front();
      return say(self, std::move(next), message, capacity);
    }
    const int size = self.inner_.receive_in_place(self.inner_.context, message, capacity, wait_ms);
    if (size <= 0 || self.happens(self.harm_.lost)) {
      return 0;
    }
    if (self.happens(self.harm_.inserted)) {
      self.waiting_.push_back(self.noise());
    }
    Body packet(*message, *message + size);
    if (self.happens(self.harm_.doubled)) {
      self.waiting_.push_back(packet);
    }
    if (self.happens(self.harm_.delayed)) {
      self.waiting_.push_back(std::move(packet));
      return 0;
    }
    return size;
  }
  static int receive(void* context, std::uint8_t* message, std::size_t capacity,
                     std::uint32_t wait_ms) {
    std::uint8_t* at = message;
    const int size = receive_in_place(context, &at, capacity, wait_ms);
    if (at != message && size > 0) {
      std::memcpy(message, at, static_cast<std::size_t>(size));
    }
    return size;
  }

  ligament_port_t inner_;
  Harm harm_;
  std::mt19937 chance_;
  std::function<void()> turn_;
  std::optional<Body> up_;
  std::deque<Body> waiting_;
  Body down_;
};

/// An agent and a core in one process: the agent works while the core waits.
struct World {
  static constexpr std::uint16_t mtu = 2048;

  explicit World(Harm harm = {})
      : memory(usual_map),
        bells(EventBell::pair()),
        transport({}, memory.host(), std::move(bells.second)),
        agent({}, bus, profiles),
        core(memory, std::move(bells.first)) {
    port.link = &core.link;
    port.context = this;
    port.wait = [](void* world, std::uint32_t /*most_ms*/) { static_cast<World*>(world)->turn(); };
    port.now_us = [](void* world) { return ++static_cast<World*>(world)->now_us; };
    EXPECT_EQ(ligament_rpmsg_start(&core.link, &core.config), 0);
    EXPECT_EQ(ligament_rpmsg_port_open(&port), 0);
    shim.emplace(ligament_rpmsg_port(&port), harm, [this] { turn(); });
  }
  void turn() {
    now_us += 50;
    const std::int64_t now = now_us * 1000;
    (void)transport.work([&](const xrce::Address& from, xrce::Bytes data) {
      agent.receive(transport, from, data, now, now + 5'000'000);
    });
    agent.flush(now);
    (void)agent.tick(now);
  }
  void open() {
    std::uint8_t nothing[1];
    const ligament_port_t inner = ligament_rpmsg_port(&port);
    ASSERT_EQ(inner.receive(inner.context, nothing, sizeof nothing, 1), 0) << "the agent's hello";
    auto options = ligament_session_defaults(shim->port(), 0xC0FFEE01);
    options.memory = slots.data();
    options.mtu = mtu;
    options.assembly = assembly.data();
    options.assembly_size = assembly.size();
    options.answer_ms = 20'000;
    options.block_ms = 20'000;
    ASSERT_EQ(ligament_session_open(&session, &options), 0);
    ASSERT_EQ(ligament_node_create(&node, &session, "/core"), 0);
    ASSERT_EQ(
        ligament_publisher_create(&publisher, &node, "/up", string_type, ligament_qos_reliable(10)),
        0);
  }
  /// In the link's memory, where there is some; else in fragments.
  int publish(const Body& body, ligament_publisher_t& to) {
    ligament_cdr_t cdr;
    const int begun = ligament_publish_loan(&to, body.size(), &cdr);
    if (begun == LIGAMENT_ERROR_TOO_LARGE) {
      ++fragmented;
      return ligament_publish(&to, body.data(), body.size());
    }
    if (begun < 0) {
      return begun;
    }
    ligament_cdr_put_bytes(&cdr, body.data(), body.size());
    return ligament_publish_end(&to, &cdr);
  }

  xrce::test::FakeBus bus;
  xrce::Profiles profiles;
  Memory memory;
  std::pair<std::unique_ptr<Bell>, std::unique_ptr<Bell>> bells;
  xrce::RpmsgTransport transport;
  xrce::Agent agent;
  Core core;
  ligament_rpmsg_port_t port{};
  std::optional<Shim> shim;
  std::int64_t now_us = 1'000'000;
  Body slots = Body(LIGAMENT_MEMORY_SIZE(mtu, 8, 4));
  Body assembly = Body(100'000);
  ligament_session_t session{};
  ligament_node_t node{};
  ligament_publisher_t publisher{};
  int fragmented = 0;
};

class RpmsgClient : public testing::TestWithParam<Harm> {};

INSTANTIATE_TEST_SUITE_P(Shims, RpmsgClient,
                         testing::Values(Harm{}, Harm{0.1, 0, 0, 0, 2}, Harm{0, 0.3, 0, 0, 3},
                                         Harm{0, 0, 0.2, 0, 4}, Harm{0, 0, 0, 0.2, 5},
                                         Harm{0.1, 0.1, 0.1, 0.1, 6}));

TEST_P(RpmsgClient, WhatIsBuiltInTheSlabArrivesAllInOrderOnce) {
  World world(GetParam());
  ASSERT_NO_FATAL_FAILURE(world.open());
  constexpr unsigned count = 64;
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_EQ(world.publish(body_of(i, size_of(i)), world.publisher), 0) << i;
  }
  ASSERT_EQ(ligament_session_flush(&world.session, 60'000), 0);
  const auto& published = world.bus.published["/up"];
  ASSERT_EQ(published.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(published[i].stored, stored(body_of(i, size_of(i)))) << i;
  }
  EXPECT_GT(world.shim->lent, 0U);
  world.turn();
  EXPECT_NE(ligament_rpmsg_lend(&world.core.link, 128 * 1024), nullptr) << "all came back";
}

TEST_P(RpmsgClient, WhatIsPublishedForTheCoreArrivesAllInOrderOnce) {
  World world(GetParam());
  ASSERT_NO_FATAL_FAILURE(world.open());
  std::vector<Body> got;
  const auto take = [](void* to, ligament_cdr_t* body) {
    static_cast<std::vector<Body>*>(to)->emplace_back(body->bytes, body->bytes + body->size);
  };
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &world.node, "/down", string_type,
                                         ligament_qos_reliable(10), {take, &got}),
            0);
  ASSERT_EQ(ligament_session_flush(&world.session, 20'000), 0);
  constexpr unsigned count = 64;
  for (unsigned i = 0; i < count; ++i) {
    world.bus.publish("/down", {stored(body_of(i, size_of(i))), {}});
  }
  for (int i = 0; i < 60'000 && got.size() < count; ++i) {
    ASSERT_EQ(ligament_session_run(&world.session, 5), 0);
  }
  ASSERT_EQ(got.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(got[i], body_of(i, size_of(i))) << i;
  }
  (void)ligament_session_run(&world.session, 0);
  EXPECT_EQ(world.core.link.peer.held, 0U) << "all was given back";
}

/// Who is woken twice for one message has the core's time and its own to lose.
TEST(RpmsgClient, AnAnswerAndTheAcknowledgementBeforeItAreOneRing) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  bool answers = true;
  std::pair<World*, bool*> both{&world, &answers};
  const auto answer = [](void* to, ligament_cdr_t* body) {
    const auto& [here, is_asked] = *static_cast<std::pair<World*, bool*>*>(to);
    if (*is_asked) {
      EXPECT_EQ(ligament_publish(&here->publisher, body->bytes, body->size), 0);
    }
  };
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &world.node, "/down", string_type,
                                         ligament_qos_reliable(10), {answer, &both}),
            0);
  ASSERT_EQ(ligament_session_flush(&world.session, 20'000), 0);
  (void)ligament_session_run(&world.session, 0);  // nothing is on its way
  world.turn();
  for (const bool is_asked : {true, false}) {
    answers = is_asked;
    const std::uint64_t received = world.session.figures.received;
    world.bus.publish("/down", {stored(body_of(1, 16)), {}});
    world.turn();
    const int kicks = world.core.kicks;
    ASSERT_EQ(ligament_session_run(&world.session, 1), 0);
    ASSERT_EQ(world.session.figures.received, received + 1);
    EXPECT_EQ(world.core.kicks - kicks, is_asked ? 1 : 0);
    (void)ligament_session_run(&world.session, 0);
    EXPECT_EQ(world.core.kicks - kicks, 1) << "at the latest when something is received next";
    world.turn();
    EXPECT_EQ(world.bus.published["/up"].size(), 1U);
    (void)ligament_session_run(&world.session, 0);  // what the agent has acknowledged
    world.turn();
  }
}

TEST(RpmsgClient, ALongMessageIsCopiedOnceAndNotByTheCore) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  const std::uint64_t copied = world.agent.clients().at(0).session.copied;
  const std::uint64_t by_client = world.session.figures.copied;
  std::size_t sent = 0;
  for (const std::size_t size : {497U, 4000U, 60'000U, 100'000U}) {
    const std::uint32_t by_link = world.core.link.figures.copied;
    ASSERT_EQ(world.publish(body_of(1, size), world.publisher), 0);
    EXPECT_EQ(world.core.link.figures.copied - by_link, sizeof(ligament_rpmsg_extent_t)) << size;
    ASSERT_EQ(ligament_session_flush(&world.session, 1000), 0);
    sent += size;
  }
  EXPECT_EQ(world.bus.published["/up"].size(), 4U);
  EXPECT_EQ(world.session.figures.copied, by_client);
  EXPECT_EQ(world.agent.clients().at(0).session.copied - copied, sent);
  EXPECT_EQ(world.fragmented, 0);
}

TEST(RpmsgClient, WhatIsPublishedFromOtherMemoryIsCopiedOnce) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  const std::uint64_t by_client = world.session.figures.copied;
  for (const std::size_t size : {1000U, 60'000U}) {
    const std::uint32_t by_link = world.core.link.figures.copied;
    const Body body = body_of(1, size);
    ASSERT_EQ(ligament_publish(&world.publisher, body.data(), body.size()), 0);
    EXPECT_EQ(world.core.link.figures.copied - by_link, sizeof(ligament_rpmsg_extent_t)) << size;
    ASSERT_EQ(ligament_session_flush(&world.session, 1000), 0);
  }
  EXPECT_EQ(world.session.figures.copied - by_client, 61'000U);
  EXPECT_EQ(world.bus.published["/up"].size(), 2U);
}

TEST(RpmsgClient, ASubscriptionReadsWhereTheMessageLies) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  struct Seen {
    const std::byte* begin;
    std::size_t size;
    int inside = 0;
  } seen{world.memory.area.get(), world.memory.size};
  const auto take = [](void* context, ligament_cdr_t* body) {
    auto* all = static_cast<Seen*>(context);
    const auto* at = reinterpret_cast<const std::byte*>(body->bytes);
    all->inside += at > all->begin && at < all->begin + all->size ? 1 : 0;
  };
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &world.node, "/down", string_type,
                                         ligament_qos_reliable(10), {take, &seen}),
            0);
  const std::uint32_t before = world.port.copied;
  const std::uint64_t by_client = world.session.figures.copied;
  for (const std::size_t size : {500U, 2000U}) {
    world.bus.publish("/down", {stored(body_of(1, size)), {}});
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(ligament_session_run(&world.session, 1), 0);
    }
  }
  EXPECT_EQ(seen.inside, 2);
  EXPECT_LT(world.port.copied - before, 500U) << "answers only";
  EXPECT_EQ(world.session.figures.copied, by_client);
}

TEST(RpmsgClient, ALongMessageForTheCoreIsKeptWhereItIsSentFrom) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  int got = 0;
  const auto take = [](void* count, ligament_cdr_t* /*body*/) { ++*static_cast<int*>(count); };
  ligament_subscription_t subscription;
  ASSERT_EQ(ligament_subscription_create(&subscription, &world.node, "/down", string_type,
                                         ligament_qos_reliable(10), {take, &got}),
            0);
  ASSERT_EQ(ligament_session_flush(&world.session, 20'000), 0);
  const std::uint64_t before = world.transport.figures().copied;
  constexpr int count = 40;  // more than the slab has blocks
  for (int i = 0; i < count; ++i) {
    world.bus.publish("/down", {stored(body_of(1, 2000)), {}});
    for (int turn = 0; turn < 60'000 && got <= i; ++turn) {
      ASSERT_EQ(ligament_session_run(&world.session, 1), 0);
    }
  }
  EXPECT_EQ(got, count);
  EXPECT_LT(world.transport.figures().copied - before, count * 100U) << "extents, acknowledgements";
}

TEST(RpmsgClient, WhatWaitsForACoreThatIsGoneIsNobodys) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  std::vector<std::unique_ptr<xrce::LinkMemory>> kept;
  const std::uint32_t address = world.port.endpoint.address;
  xrce::Address to(sizeof address);
  std::memcpy(to.data(), &address, sizeof address);
  EXPECT_EQ(world.transport.lend(to, 100), nullptr) << "a copy is cheaper";
  EXPECT_EQ(world.transport.lend(to, 70'000), nullptr) << "more than half of the slab";
  while (auto memory = world.transport.lend(to, 20'000)) {
    kept.push_back(std::move(memory));
  }
  EXPECT_EQ(kept.size(), 3U) << "of five blocks each, in half of 32";
  ASSERT_EQ(ligament_rpmsg_start(&world.core.link, &world.core.config), 0);
  ASSERT_EQ(ligament_rpmsg_port_open(&world.port), 0);
  for (int turn = 0; turn < 4; ++turn) {
    (void)ligament_rpmsg_poll(&world.core.link);
    world.turn();
  }
  for (const auto& memory : kept) {
    memory->send();
  }
  EXPECT_EQ(world.transport.lost(), 3U);
  kept.resize(1);
  for (int i = 0; i < 3; ++i) {
    kept.push_back(world.transport.lend(to, 20'000));
    EXPECT_NE(kept.back(), nullptr);
  }
}

TEST(RpmsgClient, WithoutRoomInTheSlabMessagesGoInFragments) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  std::uint8_t* all = ligament_rpmsg_lend(&world.core.link, 128 * 1024);
  ASSERT_NE(all, nullptr);
  ASSERT_EQ(world.publish(body_of(1, 1000), world.publisher), 0) << "in a slot, then in parts";
  ASSERT_EQ(world.publish(body_of(2, 9000), world.publisher), 0);
  EXPECT_EQ(world.fragmented, 1);
  ASSERT_EQ(ligament_session_flush(&world.session, 5000), 0);
  ligament_rpmsg_give_back(&world.core.link, all);
  ASSERT_EQ(world.publish(body_of(3, 9000), world.publisher), 0);
  EXPECT_EQ(world.fragmented, 1);
  ASSERT_EQ(ligament_session_flush(&world.session, 5000), 0);
  const auto& published = world.bus.published["/up"];
  ASSERT_EQ(published.size(), 3U);
  EXPECT_EQ(published[1].stored, stored(body_of(2, 9000)));
  EXPECT_EQ(published[2].stored, stored(body_of(3, 9000)));
}

TEST(RpmsgClient, ALoanThatIsNotSentIsGivenBack) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  ligament_cdr_t body;
  ASSERT_EQ(ligament_publish_loan(&world.publisher, 9000, &body), 0);
  EXPECT_NE(world.core.link.own.busy, 0U);
  body.has_failed = true;
  EXPECT_EQ(ligament_publish_end(&world.publisher, &body), LIGAMENT_ERROR_TOO_LARGE);
  EXPECT_EQ(world.core.link.own.busy, 0U);
  ASSERT_EQ(ligament_publish_loan(&world.publisher, 9000, &body), 0) << "and forgotten";
  ASSERT_EQ(ligament_publish_loan(&world.publisher, 100'000, &body), 0);
  ligament_cdr_put_u32(&body, 7);
  ASSERT_EQ(ligament_publish_end(&world.publisher, &body), 0);
  ASSERT_EQ(ligament_session_flush(&world.session, 1000), 0);
  EXPECT_EQ(world.bus.published["/up"].size(), 1U);
  world.turn();
  EXPECT_NE(ligament_rpmsg_lend(&world.core.link, 128 * 1024), nullptr);
}

TEST(RpmsgClient, BestEffortLoansGoOnceAndComeBack) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  ligament_publisher_t publisher;
  ASSERT_EQ(ligament_publisher_create(&publisher, &world.node, "/fast", string_type,
                                      ligament_qos_best_effort(1)),
            0);
  for (unsigned i = 0; i < 20; ++i) {
    ASSERT_EQ(world.publish(body_of(i, 30'000), publisher), 0) << i;
    world.turn();
  }
  EXPECT_EQ(world.bus.published["/fast"].size(), 20U);
  EXPECT_NE(ligament_rpmsg_lend(&world.core.link, 128 * 1024), nullptr);
}

TEST(RpmsgClient, AnAgentThatIsLostTakesNoMemoryWithIt) {
  World world;
  ASSERT_NO_FATAL_FAILURE(world.open());
  world.session.options.block_ms = 0;
  world.bus.is_full = false;
  ASSERT_EQ(world.publish(body_of(1, 9000), world.publisher), 0);
  ASSERT_EQ(world.publish(body_of(2, 9000), world.publisher), 0);
  EXPECT_NE(world.core.link.own.lent, 0U);
  ASSERT_EQ(ligament_session_restore(&world.session), 0);
  EXPECT_EQ(world.core.link.own.lent, 0U);
  ASSERT_EQ(world.publish(body_of(3, 9000), world.publisher), 0);
  ASSERT_EQ(ligament_session_flush(&world.session, 1000), 0);
  EXPECT_EQ(world.bus.published["/up"].back().stored, stored(body_of(3, 9000)));
}

}  // namespace
}  // namespace ligament::rpmsg::twin
