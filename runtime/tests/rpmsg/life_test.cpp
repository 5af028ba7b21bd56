// SPDX-License-Identifier: Apache-2.0
// Starts, stops, crashes and restarts of either side, with both in one process.
#include "rpmsg/fault.hpp"
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

using Texts = std::vector<std::string>;

/// The core's memory stays, its program begins again.
void restart(Pair& pair) {
  auto bell = std::move(pair.core->bell);
  pair.core = std::make_unique<Core>(pair.memory, std::move(bell));
  ASSERT_EQ(pair.core->start(), 0);
}

void expect_echo(Pair& pair) {
  pair.host->got.clear();
  pair.core->got.clear();
  ASSERT_EQ(pair.host->send("ping"), SendStatus::ok);
  pair.settle();
  ASSERT_EQ(pair.core->got, Texts{"ping"});
  ASSERT_EQ(pair.core->send("pong"), 0);
  pair.settle();
  EXPECT_EQ(pair.host->got, Texts{"pong"});
}

TEST(RpmsgLife, ACoreThatStartsAnewIsFoundAnew) {
  Pair pair;
  pair.up();
  ASSERT_EQ(pair.core->send("lost on the way"), 0);
  restart(pair);
  pair.settle();
  EXPECT_EQ(pair.host->downs, Texts{"the core has started anew"});
  EXPECT_EQ(pair.host->ups, 2);
  EXPECT_EQ(pair.host->link.channels().size(), 1U);
  EXPECT_TRUE(pair.host->got.empty()) << "of a core that is gone";
  expect_echo(pair);
}

TEST(RpmsgLife, StartsOfTheCoreAtEachStep) {
  for (int steps = 0; steps < 8; ++steps) {
    Pair pair;
    ASSERT_EQ(pair.core->start(), 0);
    for (int step = 0; step < steps; ++step) {
      step % 2 == 0 ? pair.host->link.work() : void(ligament_rpmsg_poll(&pair.core->link));
    }
    restart(pair);
    pair.settle();
    ASSERT_TRUE(pair.host->link.running()) << steps;
    expect_echo(pair);
    EXPECT_EQ(pair.core->link.figures.breaches, 0U) << steps;
    EXPECT_EQ(pair.host->link.figures().breaches, 0U) << steps;
  }
}

/// The host may look between any two of the words that a core writes when it starts.
TEST(RpmsgLife, ACoreThatHasItsBootButIsNotWaitingYetIsAwaited) {
  for (const bool is_first : {true, false}) {
    Pair pair;
    if (!is_first) {
      pair.up();
    }
    pair.host->link.work();
    restart(pair);
    auto& state = pair.memory.host().control().core.state;
    store(state, LIGAMENT_RPMSG_OFFLINE);
    pair.host->link.work();
    store(state, LIGAMENT_RPMSG_WAITING);
    pair.settle();
    ASSERT_TRUE(pair.host->link.running()) << is_first;
    expect_echo(pair);
  }
}

TEST(RpmsgLife, StartsOfTheHostAtEachStep) {
  for (int steps = 0; steps < 8; ++steps) {
    Pair pair;
    ASSERT_EQ(pair.core->start(), 0);
    for (int step = 0; step < steps; ++step) {
      step % 2 == 0 ? pair.host->link.work() : void(ligament_rpmsg_poll(&pair.core->link));
    }
    // Killed: it does nothing in order. Only its bell is taken over.
    auto bells = EventBell::pair();
    const auto killed = std::move(pair.host);  // it ends after the test
    pair.core->bell = std::move(bells.first);
    pair.host = std::make_unique<Host>(pair.memory.host(), std::move(bells.second));
    pair.settle();
    ASSERT_TRUE(pair.host->link.running()) << steps;
    expect_echo(pair);
    EXPECT_EQ(pair.core->link.figures.breaches, 0U) << steps;
  }
}

TEST(RpmsgLife, RingsForAnEarlierStartAreNotTaken) {
  Pair pair;
  pair.up();
  restart(pair);
  // The host was slow: it says that its rings are ready, and means those of the first start.
  auto& table = *reinterpret_cast<ligament_rpmsg_table_t*>(pair.memory.area.get());
  table.device.status = LIGAMENT_VIRTIO_DRIVER_OK;
  table.device.accepted = LIGAMENT_RPMSG_F_NAME_SERVICE;
  (void)ligament_rpmsg_poll(&pair.core->link);
  EXPECT_EQ(pair.core->states.back(), LIGAMENT_RPMSG_WAITING);
  pair.settle();
  expect_echo(pair);
}

TEST(RpmsgLife, AHostThatEndsInOrderIsGoneForTheCore) {
  Pair pair;
  pair.up();
  pair.host.reset();
  pair.core->poll();
  EXPECT_EQ(pair.core->send("x"), LIGAMENT_RPMSG_DOWN);
  EXPECT_EQ(pair.core->states.back(), LIGAMENT_RPMSG_WAITING);
  auto bells = EventBell::pair();
  pair.core->bell = std::move(bells.first);
  pair.host = std::make_unique<Host>(pair.memory.host(), std::move(bells.second));
  pair.settle();
  expect_echo(pair);
}

TEST(RpmsgLife, StopAndCrashAreTold) {
  for (const bool crashed : {false, true}) {
    Pair pair;
    pair.up();
    ligament_rpmsg_stop(&pair.core->link, crashed ? 1 : 0);
    pair.settle();
    EXPECT_EQ(pair.host->downs, Texts{crashed ? "the core has crashed" : "the core has stopped"});
    EXPECT_EQ(pair.host->send("x"), SendStatus::down);
    EXPECT_EQ(pair.core->send("x"), LIGAMENT_RPMSG_DOWN);
    restart(pair);
    pair.settle();
    expect_echo(pair);
  }
}

TEST(RpmsgLife, ACrashSaysWhyAndANewStartForgetsIt) {
  Pair pair;
  pair.up();
  const ligament_fault_t fault{LIGAMENT_FAULT_DATA, 0x1234, 0xE0000000};
  ligament_rpmsg_crash(&pair.core->link, &fault);
  pair.settle();
  const std::string why =
      "the core has crashed: access to 0xe0000000, where no memory is, at 0x00001234";
  EXPECT_EQ(pair.host->downs, Texts{why});
  EXPECT_EQ(pair.host->link.why_dead(), why);
  restart(pair);
  EXPECT_EQ(pair.memory.host().control().core.fault.kind, 0U);
  pair.settle();
  EXPECT_EQ(pair.host->link.why_dead(), "");
  expect_echo(pair);
}

TEST(RpmsgLife, ACrashBeforeTheHostIsKnownIsSeen) {
  Pair pair;
  ASSERT_EQ(pair.core->start(), 0);
  const ligament_fault_t fault{LIGAMENT_FAULT_END, 0, static_cast<std::uint32_t>(-7)};
  ligament_rpmsg_crash(&pair.core->link, &fault);
  pair.settle();
  EXPECT_EQ(pair.host->link.why_dead(), "the core has crashed: its program has ended with -7");
}

TEST(RpmsgLife, AnyNumbersAreAReason) {
  EXPECT_EQ(why_crashed({0, 0, 9}), "the core has crashed");
  EXPECT_EQ(why_crashed({0, 16, 0}), "the core has crashed: fault 0, at 0x00000010");
  EXPECT_EQ(why_crashed({4'000'000'000, 0, 0}), "the core has crashed: fault 4000000000");
  EXPECT_EQ(why_crashed({LIGAMENT_FAULT_INTERRUPT, 4, 15}),
            "the core has crashed: exception 15, which nobody handles, at 0x00000004");
}

TEST(RpmsgLife, LoansOfAnEarlierHostAreNobodys) {
  Pair pair;
  pair.up();
  pair.core->hold = true;
  ASSERT_EQ(pair.host->send(std::string(600, 'x')), SendStatus::ok);
  pair.core->poll();
  auto loan = ligament_rpmsg_loan(&pair.core->link, 600);
  pair.host.reset();
  auto bells = EventBell::pair();
  pair.core->bell = std::move(bells.first);
  pair.host = std::make_unique<Host>(pair.memory.host(), std::move(bells.second));
  pair.settle();
  EXPECT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &loan, 600),
            LIGAMENT_RPMSG_INVALID)
      << "the endpoint knows no peer";
  pair.core->hold = false;
  expect_echo(pair);
  EXPECT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &loan, 600),
            LIGAMENT_RPMSG_DOWN);
  ligament_rpmsg_release(&pair.core->link, pair.core->held.front());
  ligament_rpmsg_return_loan(&pair.core->link, &loan);
  EXPECT_EQ(pair.core->link.own.busy, 0U);
  expect_echo(pair);
}

TEST(RpmsgLife, AnotherMapOrVersionIsRefusedWithItsField) {
  struct Case {
    std::uint32_t ligament_rpmsg_map_t::*field;
    std::uint32_t value;
    const char* says;
  };
  for (const Case& wrong : {Case{&Map::base, 0x22000000, "the map's base is 0x22000000"},
                            Case{&Map::count, 2, "the map's count of buffers is 0x2"},
                            Case{&Map::block_size, 512, "the map's block size is 0x200"}}) {
    Pair pair(small_map);
    pair.core->config.map.*wrong.field = wrong.value;
    ASSERT_EQ(pair.core->start(), 0);
    pair.settle();
    EXPECT_FALSE(pair.host->link.running());
    ASSERT_EQ(pair.host->downs.size(), 1U);
    EXPECT_NE(pair.host->downs[0].find(wrong.says), std::string::npos) << pair.host->downs[0];
  }
  Pair pair;
  ASSERT_EQ(pair.core->start(), 0);
  reinterpret_cast<ligament_rpmsg_table_t*>(pair.memory.area.get())->own.version = 2;
  pair.settle();
  ASSERT_EQ(pair.host->downs.size(), 1U);
  EXPECT_NE(pair.host->downs[0].find("the link's version is 0x2, expected 0x1"), std::string::npos);
  restart(pair);  // with the right firmware
  pair.settle();
  expect_echo(pair);
}

TEST(RpmsgLife, InvalidMapsAreRefusedByBoth) {
  std::vector<std::uint8_t> none(16);
  for (const Map& map : {Map{1, 4, 512, 0, 0}, Map{0, 3, 512, 0, 0}, Map{0, 2048, 512, 0, 0},
                         Map{0, 4, 48, 0, 0}, Map{0, 4, 512, 100, 1}, Map{0, 4, 512, 64, 33}}) {
    EXPECT_FALSE(Area::of(reinterpret_cast<std::byte*>(none.data()), map));
    ligament_rpmsg_t link;
    ligament_rpmsg_config_t config{};
    config.memory = none.data();
    config.map = map;
    config.kick = [](void*) {};
    EXPECT_EQ(ligament_rpmsg_start(&link, &config), LIGAMENT_RPMSG_INVALID);
  }
  const auto missing = Area::open("/nonexistent", 0, usual_map);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), "/nonexistent: cannot open it: No such file or directory");
}

}  // namespace
}  // namespace ligament::rpmsg::twin
