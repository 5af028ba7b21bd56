// SPDX-License-Identifier: Apache-2.0
/// The host's side of a core's ring of events, against a core that scribbles.
#include "mcu/core_trace.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

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

TEST_F(CoreTraceTest, TellsTheCoreThatItListensAndHowFarItIs) {
  const auto trace = begun();
  EXPECT_EQ(core_->host.is_on, 1U);
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 0, 1, 10);
  leave(LIGAMENT_TRACE_PUBLISH, 0, 0, 1, 11);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 12);
  trace->read(1);
  EXPECT_EQ(core_->host.tail, 3U);
  EXPECT_EQ(trace->dropped(), 0U);
  EXPECT_TRUE(publishes(*trace, 1));
}

TEST_F(CoreTraceTest, CountsWhatCannotBe) {
  const auto trace = begun();
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 1);           // nothing runs
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 7, 0, 1, 2);   // no such node
  leave(LIGAMENT_TRACE_BEGIN_INPUT, 0, 9, 1, 3);   // no such input
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, -4);  // before its clock began
  leave(99, 0, 0, 0, 5);                           // no such event
  trace->read(1);
  EXPECT_EQ(trace->dropped(), 5U);
  leave(LIGAMENT_TRACE_BEGIN_TIMER, 0, 0, 0, 9);
  leave(LIGAMENT_TRACE_END, 0, 0, 0, 8);  // before its begin
  trace->read(2);
  EXPECT_EQ(trace->dropped(), 6U);
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
