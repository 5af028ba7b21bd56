// SPDX-License-Identifier: Apache-2.0
/// The host's side of what a core leaves behind RPMsg's area, against a core that scribbles.
#include "mcu/core_trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <ligament/ligament.hpp>
#include <ligament/trace.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mcu/core_counts.hpp"
#include "mcu/member_bus.hpp"

namespace ligament::mcu {
namespace {

constexpr rpmsg::Map map = LIGAMENT_RPMSG_MAP(0x21000000);
constexpr off_t memory_bytes = off_t{16} << 20U;

class CoreTraceTest : public testing::Test {
 protected:
  CoreTraceTest() : memory_(::memfd_create("core-trace-test", MFD_CLOEXEC)) {
    EXPECT_EQ(::ftruncate(memory_, memory_bytes), 0);
    const auto offset = ligament_rpmsg_aligned(ligament_rpmsg_layout(&map).size);
    core_ = static_cast<ligament_trace_ring_t*>(::mmap(nullptr, sizeof(ligament_trace_ring_t),
                                                       PROT_READ | PROT_WRITE, MAP_SHARED, memory_,
                                                       static_cast<off_t>(offset)));
  }
  ~CoreTraceTest() override {
    ::munmap(core_, sizeof *core_);
    ::close(memory_);
  }
  CoreTraceTest(const CoreTraceTest&) = delete;
  CoreTraceTest& operator=(const CoreTraceTest&) = delete;

  std::unique_ptr<CoreTrace> begun() {
    auto trace = CoreTrace::make(memory_, 0, map, "mcu0").value();
    trace->reset({{1, "/one", {"image"}, {"step"}, 1}});
    return trace;
  }
  void leave(std::uint8_t kind, std::uint16_t node, std::uint8_t port, std::uint32_t number,
             std::int64_t time_us) {
    core_->events[core_->core.head % LIGAMENT_TRACE_EVENTS] = {time_us, number, node, kind, port};
    ++core_->core.head;
  }
  static bool publishes(CoreTrace& trace, std::uint32_t number) {
    bool is_published = false;
    trace.publish(0, 0, number, [&] { is_published = true; });
    return is_published;
  }

  int memory_;
  ligament_trace_ring_t* core_ = nullptr;
};

TEST_F(CoreTraceTest, RefusalsAreToldOncePerEndAndOnlyIfTheyCanBe) {
  core_->refused[1] = 0xFFFF'FFFF;  // of a life before
  CoreCounts counts(map_ring(memory_, 0, map).value());
  EXPECT_EQ(core_->host.is_on, 0U) << "no event is recorded for that";
  EXPECT_EQ(counts.more(1, 9), 0U);
  core_->refused[1] += 2;
  core_->refused[LIGAMENT_TRACE_ENDS - 1] += 1;
  EXPECT_EQ(counts.more(1, 2), 2U) << "over the end of 32 bits";
  EXPECT_EQ(counts.more(1, 2), 0U);
  EXPECT_EQ(counts.more(LIGAMENT_TRACE_ENDS - 1, 9), 1U);
  EXPECT_EQ(counts.more(LIGAMENT_TRACE_ENDS, 9), 0U) << "it has no count";
  EXPECT_EQ(counts.wrong(), 0U);
  core_->refused[0] = 3;
  EXPECT_EQ(counts.more(0, 2), 0U) << "it got no more than two";
  core_->refused[0] = 2;
  EXPECT_EQ(counts.more(0, 2), 0U) << "it went back";
  EXPECT_EQ(counts.wrong(), 2U);
  core_->refused[0] = 3;
  EXPECT_EQ(counts.more(0, 1), 1U) << "what comes next is believed again";
  core_->refused[0] = 5;
  counts.reset();
  EXPECT_EQ(counts.more(0, 9), 0U);
}

TEST_F(CoreTraceTest, TellsTheCoreThatItListensAndHowFarItIs) {
  const auto trace = begun();
  EXPECT_EQ(core_->host.is_on, 1U);
  leave(LIGAMENT_TRACE_TAKE, 0, 0, 1, 9);
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, 1, 10);
  leave(LIGAMENT_TRACE_PUBLISH, 0, 0, 1, 11);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 12);
  trace->read(1);
  EXPECT_EQ(core_->host.tail, 4U);
  EXPECT_EQ(trace->dropped(), 0U);
  EXPECT_TRUE(publishes(*trace, 1));
}

TEST_F(CoreTraceTest, CountsWhatCannotBe) {
  const auto trace = begun();
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1);            // nothing runs
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 7, 0, 1, 2);    // no such node
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 9, 1, 3);    // no such input
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, -4);   // before its clock began
  leave(99, 0, 0, 0, 5);                            // no such event
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, 1, 6);    // nothing was taken
  leave(LIGAMENT_TRACE_TAKE, 0, 3, 1, 7);           // no such input
  leave(LIGAMENT_TRACE_TASK, 0, 8, 0, 8);           // no such task
  leave(LIGAMENT_TRACE_INTERRUPT_END, 0, 4, 0, 9);  // no such interrupt
  trace->read(1);
  EXPECT_EQ(trace->dropped(), 9U);
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, 9);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 8);  // before its begin
  trace->read(2);
  EXPECT_EQ(trace->dropped(), 10U);
}

/// What is told while it lives.
class Listening {
 public:
  Listening() {
    lines.clear();
    hooks_.span_name = [](std::uint64_t, std::uint64_t, const char* name,
                          const char* kind) noexcept {
      lines.push_back(std::string(kind) + " " + name);
    };
    hooks_.device_name = [](std::uint64_t, const char*, const char*) noexcept {};
    hooks_.device_span = [](std::uint64_t, std::uint64_t publisher, std::uint64_t,
                            std::int64_t begin, std::int64_t end, std::int64_t) noexcept {
      lines.push_back(fmt::format("{} for {}", (end - begin + 500) / 1000, publisher));
    };
    hooks_.device_interval = [](std::uint64_t, std::int64_t interval) noexcept {
      lines.push_back("after " + std::to_string(interval));
    };
    hooks_.track_name = [](std::uint64_t, const char*, const char* name,
                           const char* kind) noexcept {
      lines.push_back(std::string(kind) + " " + name);
    };
    hooks_.track_span = [](std::uint64_t, std::int64_t begin, std::int64_t end,
                           std::int64_t) noexcept {
      lines.push_back(std::to_string((end - begin + 500) / 1000));
    };
    hooks_.device_lost = [](std::uint64_t, std::uint64_t count) noexcept {
      lines.push_back("lost " + std::to_string(count));
    };
    hooks_.timer_init = [](std::uint64_t, std::uint64_t, std::int64_t) noexcept {};
    trace::detail::active_hooks.store(&hooks_);
  }
  ~Listening() { trace::detail::active_hooks.store(nullptr); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  static std::vector<std::string> lines;

 private:
  trace::detail::Hooks hooks_{};
};
std::vector<std::string> Listening::lines;
using Lines = std::vector<std::string>;

class CoreTraceToldTest : public CoreTraceTest {
 protected:
  /// Names are told once in a process: each test has its own device.
  /// `rate`: how fast its clock runs.
  void begin(const std::string& device, std::uint64_t node, double rate = 1) {
    trace_ = CoreTrace::make(memory_, 0, map, device).value();
    trace_->reset({{node, "/one", {"image"}, {"step"}, 1}});
    for (std::int64_t now : {1'000'000'000, 2'000'000'000}) {
      ASSERT_TRUE(trace_->ask(now));
      core_->core.answer_us = std::llround(static_cast<double>(now / 1000) * rate);
      core_->core.answered = core_->host.asked;
      trace_->read(now + 2);
    }
    Listening::lines.clear();
  }
  Lines told() {
    trace_->read(2'100'000'000);
    return Listening::lines;
  }
  Listening listening_;
  std::unique_ptr<CoreTrace> trace_;
};

TEST_F(CoreTraceToldTest, ATakeIsTheReadingOfAMessageAndTheCallbackComesBehind) {
  begin("take", 11);
  trace_->handed(0, 0, 1, {77, 5});
  leave(LIGAMENT_TRACE_TAKE, 0, 0, 1, 1'500'000);
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, 1, 1'500'030);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1'500'230);
  EXPECT_EQ(told(), (Lines{"serialise take image", "30 for 77", "compute on_image", "200 for 77"}));
}

TEST_F(CoreTraceToldTest, AMessageThatCannotBeReadIsNoCallback) {
  begin("unread", 12);
  leave(LIGAMENT_TRACE_TAKE, 0, 0, 1, 1'500'000);
  leave(LIGAMENT_TRACE_TAKE, 0, 0, 2, 1'500'100);
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, 2, 1'500'110);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1'500'120);
  EXPECT_EQ(told(), (Lines{"serialise take image", "10 for 0", "compute on_image", "10 for 0"}));
  EXPECT_EQ(trace_->dropped(), 0U);
}

TEST_F(CoreTraceToldTest, ATimersPeriodIsByTheCoresClockAndNotOverALoss) {
  begin("timer", 13);
  for (const std::int64_t time_us : {1'500'000, 1'501'003, 1'502'001}) {
    leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, time_us);
    leave(LIGAMENT_TRACE_END, 0, 0, 0, time_us + 50);
  }
  leave(LIGAMENT_TRACE_LOST, 0, 0, 7, 1'509'000);
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, 1'510'000);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1'510'050);
  EXPECT_EQ(told(), (Lines{"compute on_step", "50 for 0", "50 for 0", "after 1003000", "50 for 0",
                           "after 998000", "50 for 0", "device timer", "lost 7"}));
  EXPECT_EQ(trace_->dropped(), 7U);
}

TEST_F(CoreTraceToldTest, TasksFollowEachOtherAndInterruptsNest) {
  begin("tracks", 14);
  std::memcpy(core_->tasks[1], "session", 8);
  std::memcpy(core_->tasks[2],
              "a\x07"
              "bell\xff"
              "0123456789",
              LIGAMENT_TRACE_NAME);                                           // no end
  leave(LIGAMENT_TRACE_INTERRUPT_END, 0, LIGAMENT_TRACE_BELL, 0, 1'499'999);  // nobody listened
  leave(LIGAMENT_TRACE_TASK, 0, 1, 0, 1'500'000);
  leave(LIGAMENT_TRACE_INTERRUPT_BEGIN, 0, LIGAMENT_TRACE_TICK, 0, 1'500'010);
  leave(LIGAMENT_TRACE_INTERRUPT_BEGIN, 0, LIGAMENT_TRACE_BELL, 0, 1'500'012);
  leave(LIGAMENT_TRACE_INTERRUPT_END, 0, LIGAMENT_TRACE_BELL, 0, 1'500'015);
  leave(LIGAMENT_TRACE_INTERRUPT_END, 0, LIGAMENT_TRACE_TICK, 0, 1'500'019);
  leave(LIGAMENT_TRACE_TASK, 0, 2, 0, 1'500'100);
  leave(LIGAMENT_TRACE_TASK, 0, 3, 0, 1'500'107);
  leave(LIGAMENT_TRACE_TASK, 0, 1, 0, 1'500'109);
  EXPECT_EQ(told(), (Lines{"interrupt bell", "3", "interrupt tick", "9", "task session", "100",
                           "task a?bell?012345678", "7", "task task 3", "2"}));
  EXPECT_EQ(trace_->dropped(), 0U);
}

TEST_F(CoreTraceToldTest, AClockThatRunsTooFastIsMappedToTheHosts) {
  begin("fast", 16, 1.01);
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, 1'515'000);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1'616'000);
  EXPECT_EQ(told(), (Lines{"compute on_step", "100000 for 0"}));
}

TEST_F(CoreTraceToldTest, WhatALossHidesIsNotInvented) {
  begin("loss", 15);
  leave(LIGAMENT_TRACE_TASK, 0, 1, 0, 1'500'000);
  leave(LIGAMENT_TRACE_INTERRUPT_BEGIN, 0, LIGAMENT_TRACE_BELL, 0, 1'500'010);
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, 1'500'020);
  leave(LIGAMENT_TRACE_LOST, 0, 0, 3, 1'600'000);
  leave(LIGAMENT_TRACE_INTERRUPT_END, 0, LIGAMENT_TRACE_BELL, 0, 1'600'001);
  leave(LIGAMENT_TRACE_TASK, 0, 2, 0, 1'600'002);
  EXPECT_EQ(told(), (Lines{"device loss", "lost 3"}));
}

/// Two nodes of a container, which live before and after hooks are set.
class MemberBusTest : public CoreTraceToldTest {
 protected:
  static void SetUpTestSuite() {
    auto made = Context::create(
        {.domain = "member_bus_test_" + std::to_string(::getpid()), .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    for (const char* name : {"one", "two"}) {
      nodes_.push_back(std::make_shared<Node>(name, NodeOptions().context(*made)));
    }
  }
  static void TearDownTestSuite() { nodes_.clear(); }

  /// The core makes a node's subscription, as a session begins.
  static std::unique_ptr<xrce::BusReader> read(MemberBus& bus, const std::string& node) {
    EXPECT_TRUE(bus.make_node(0, node).has_value());
    auto reader = bus.make_reader(0, {.topic = node + "_in", .type_name = "t", .node = node});
    EXPECT_TRUE(reader.has_value());
    return std::move(*reader);
  }

  static std::vector<std::shared_ptr<Node>> nodes_;
};
std::vector<std::shared_ptr<Node>> MemberBusTest::nodes_;

TEST_F(MemberBusTest, NumbersAreTrustedUntilAnEndOfTheSameLifeIsMadeAgain) {
  begin("anew", 21);
  MemberBus bus;
  for (std::size_t number = 0; number < 2; ++number) {
    const std::string name = nodes_[number]->get_fully_qualified_name();
    bus.add(*nodes_[number], number, {{"image", name + "_in", "t", 1, nullptr}}, {});
  }
  bus.set_trace(trace_.get());
  bus.begin_life();
  std::int64_t time_us = 1'500'000;
  const auto hand = [&](xrce::BusReader& reader, std::uint32_t number) {
    EXPECT_TRUE(bus.put(*nodes_[0], 0, {{}, nullptr, {77, number}, {}}));
    EXPECT_TRUE(reader.take().has_value());
    leave(LIGAMENT_TRACE_TAKE, 0, 0, number, time_us += 10'000);
    leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, number, time_us + 30);
    leave(LIGAMENT_TRACE_END, 0, 0, 0, time_us + 230);
    trace_->read(2'100'000'000);
    return Listening::lines.back();
  };
  const auto first = read(bus, "/one");
  EXPECT_EQ(hand(*first, 1), "200 for 77");
  const auto other = read(bus, "/two");  // it begins later
  EXPECT_EQ(hand(*first, 2), "200 for 77");
  const auto again = read(bus, "/one");  // another session of the same life
  EXPECT_EQ(hand(*again, 1), "200 for 0");
}

TEST_F(CoreTraceTest, AHeadThatRunsAheadIsNotFollowed) {
  const auto trace = begun();
  core_->core.head = 5 * LIGAMENT_TRACE_EVENTS;
  trace->read(1);
  EXPECT_EQ(trace->dropped(), 1U);
  EXPECT_EQ(core_->host.tail, core_->core.head);
}

TEST_F(CoreTraceTest, AsksForTheClockAndBelievesOneThatRuns) {
  const auto trace = begun();
  std::int64_t now = 1'000'000'000;
  ASSERT_TRUE(trace->ask(now));
  EXPECT_FALSE(trace->ask(now + 1)) << "one question at a time";
  core_->core.answer_us = 100;
  core_->core.answered = core_->host.asked;
  trace->read(now + 50'000);
  now += 100'000'000;
  ASSERT_TRUE(trace->ask(now));
  core_->core.answer_us = 50;  // it went back
  core_->core.answered = core_->host.asked;
  trace->read(now + 50'000);
  EXPECT_TRUE(publishes(*trace, 1));
}

TEST_F(CoreTraceTest, ACoreThatScribblesHarmsNobody) {
  const auto trace = begun();
  std::mt19937 engine(1);  // NOLINT: the same each time
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::int64_t now = 1;
  for (int round = 0; round < 20'000; ++round) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(core_);
    for (int i = 0; i < 40; ++i) {
      // The head often, so that rings of all lengths are read.
      const std::size_t at = i < 4 ? random() % sizeof core_->core : random() % sizeof *core_;
      bytes[at] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) {
      core_->core.answered = core_->host.asked;
    }
    (void)trace->ask(now += 30'000'000);
    trace->handed(0, 0, random(), {1, static_cast<std::uint64_t>(round)});
    trace->read(now + 1000);
    ASSERT_TRUE(publishes(*trace, random()));
  }
  EXPECT_GT(trace->dropped(), 0U);
}

}  // namespace
}  // namespace ligament::mcu
