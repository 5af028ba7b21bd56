// SPDX-License-Identifier: Apache-2.0
/// Back-pressure at its steps B1 to B4 (spec/wire/pool.md, section 11): no wake-up of a waiting
/// publish is lost, whoever is stopped or dies where. The bounds that would hide a loss are gone.
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "steps.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr std::int64_t longer_than_the_watchdog = 120'000'000'000;

/// A keep-all publisher here, whose ring is full.
class BackPressureSteps : public testing::Test {
 protected:
  void SetUp() override {
    crash_hook = nullptr;
    take_the_safety_nets_away();
    side_ = std::make_unique<Side>(name_);
    writer_ = side_->writer(bytes_on("/t", QoS(2).keep_all()),
                            {.max_blocking_ns = longer_than_the_watchdog});
  }
  void TearDown() override {
    Step::let_go();
    if (publishing_.joinable()) {
      publishing_.join();
    }
    crash_hook = nullptr;
  }

  void fill() {
    publish_stamped(*writer_, 1, 64);
    publish_stamped(*writer_, 2, 64);
  }
  /// The subscription's side is here, too.
  void subscribe_here() {
    reader_ = side_->reader(bytes_on("/t", QoS(1).keep_all()));
    ASSERT_TRUE(eventually([&] { return reader_->matched_writers() == 1; }));
    fill();
  }
  std::unique_ptr<OtherProcess> subscribe_there() {
    auto other = std::make_unique<OtherProcess>(name_);
    EXPECT_EQ(other->ask("reader /t all=1"), "ok");
    EXPECT_TRUE(eventually([&] { return other->ask("matched /t") == "ok 1"; }));
    fill();
    return other;
  }
  void start_publishing() {
    publishing_ = std::thread([this] {
      publish_stamped(*writer_, 3, 64);
      done_ = true;
    });
  }
  /// The publishing thread waits at a step.
  void publish_up_to(const char* step) {
    Step::arm(step, AtStep::hold);
    start_publishing();
    ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  }
  void publish_until_asleep() {
    // Unlike `waits`, this is counted when it goes to sleep.
    const auto before = system_calls().futex_waits;
    start_publishing();
    ASSERT_TRUE(eventually([&] { return system_calls().futex_waits > before; }));
  }
  [[nodiscard]] bool becomes_done() {
    return eventually([this] { return done_.load(); });
  }

  const std::string name_ = unique_name();
  std::unique_ptr<Side> side_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
  std::atomic<bool> done_{false};
  std::thread publishing_;
};

TEST_F(BackPressureSteps, ATakeBetweenB1AndB2IsSeenByB2) {
  subscribe_here();
  publish_up_to("publish.waiting");
  ASSERT_TRUE(reader_->take().value());
  Step::let_go();
  EXPECT_TRUE(becomes_done());
}

TEST_F(BackPressureSteps, ATakeBetweenB2AndTheSleepIsSeenByTheKernel) {
  subscribe_here();
  publish_up_to("publish.before_futex");
  const auto wakes = system_calls().futex_wakes;
  ASSERT_TRUE(reader_->take().value());
  EXPECT_GT(system_calls().futex_wakes, wakes) << "B4 saw that somebody waits";
  Step::let_go();
  EXPECT_TRUE(becomes_done());
}

TEST_F(BackPressureSteps, AWriterThatWaitsBetweenB3AndB4SeesTheCursor) {
  subscribe_here();
  Step::arm("take.cursor_written", AtStep::hold);
  std::thread taking([&] { ASSERT_TRUE(reader_->take().value()); });
  ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  start_publishing();
  EXPECT_TRUE(becomes_done()) << "the cursor has moved: nobody has to wake it";
  Step::let_go();
  taking.join();
}

TEST_F(BackPressureSteps, ASleepingPublishIsWokenByB4) {
  subscribe_here();
  publish_until_asleep();
  Step::arm("take.before_wake", AtStep::hold);
  std::thread taking([&] { ASSERT_TRUE(reader_->take().value()); });
  ASSERT_TRUE(eventually([] { return Step::is_reached(); })) << "B4 did not see that it waits";
  Step::let_go();
  taking.join();
  EXPECT_TRUE(becomes_done());
}

TEST_F(BackPressureSteps, ADeathBetweenB3AndB4WakesThePublish) {
  for (const char* step : {"take.cursor_written", "take.before_wake", "take.read"}) {
    SCOPED_TRACE(step);
    done_ = false;
    const auto other = subscribe_there();
    publish_until_asleep();
    ASSERT_EQ(other->ask(fmt::format("at {} die", step)), "ok");
    other->send("take /t 1");
    EXPECT_TRUE(becomes_done());
    publishing_.join();
    ASSERT_TRUE(eventually([&] { return writer_->matched_readers() == 0; }));
  }
}

TEST_F(BackPressureSteps, ADeathBeforeTheSleepIsNotSleptThrough) {
  const auto other = subscribe_there();
  publish_up_to("publish.before_futex");
  other->die();
  // It is unlinked, and its wake-up found nobody asleep yet.
  ASSERT_TRUE(eventually([&] { return writer_->matched_readers() == 0; }));
  Step::let_go();
  EXPECT_TRUE(becomes_done());
}

TEST_F(BackPressureSteps, ACloseBeforeTheSleepIsNotSleptThrough) {
  const auto other = subscribe_there();
  publish_up_to("publish.before_futex");
  ASSERT_EQ(other->ask("close /t"), "ok");
  ASSERT_TRUE(eventually([&] { return writer_->matched_readers() == 0; }));
  Step::let_go();
  EXPECT_TRUE(becomes_done());
}

TEST_F(BackPressureSteps, AWriterThatDiesWaitingLeavesItsSamples) {
  for (const char* step : {"publish.waiting", "publish.before_futex"}) {
    SCOPED_TRACE(step);
    const auto name = unique_name();
    const Side side(name);
    OtherProcess publisher(name);
    auto reader = side.reader(bytes_on("/u", QoS(1).keep_all()));
    ASSERT_EQ(publisher.ask("writer /u all=1 depth=2 blocking=100000"), "ok");
    ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
    ASSERT_EQ(publisher.ask("publish /u 1 64"), "ok 1");
    EXPECT_EQ(number_of(reader->take().value()->payload()), 1U);  // and it is mapped
    ASSERT_EQ(publisher.ask("publish /u 2 64"), "ok 3");
    ASSERT_EQ(publisher.ask(fmt::format("at {} die", step)), "ok");
    publisher.send("publish /u 1 64");
    ASSERT_TRUE(eventually([&] { return side.domain->peers().empty(); }));
    EXPECT_EQ(number_of(reader->take().value()->payload()), 2U);
    EXPECT_EQ(number_of(reader->take().value()->payload()), 3U);
    EXPECT_FALSE(reader->take().value());
    EXPECT_EQ(reader->stats().lost, 0U);
  }
}

/// Mostly goes on; sometimes lets the others run for a while.
void dawdle(const char*) {
  thread_local std::uint64_t random = std::hash<std::thread::id>()(std::this_thread::get_id());
  random = mix(random + 0x9E3779B97F4A7C15ULL);
  if (random % 16 == 0) {
    std::this_thread::yield();
  }
}

TEST_F(BackPressureSteps, NothingIsLostWhereverThreadsDawdle) {
  constexpr std::uint64_t samples = 3000;
  const Side other(name_);
  auto waiter = other.domain->create_waiter().value();
  std::vector<std::unique_ptr<Reader>> readers;
  readers.push_back(side_->reader(bytes_on("/t", QoS(1).keep_all())));
  readers.push_back(
      side_->domain->create_reader(bytes_on("/t", QoS(1).keep_all()), *waiter).value());
  ASSERT_TRUE(eventually(
      [&] { return readers[0]->matched_writers() == 1 && readers[1]->matched_writers() == 1; }));
  crash_hook = dawdle;
  const auto publish = [&] {
    for (std::uint64_t i = 1; i <= samples; ++i) {
      publish_stamped(*writer_, i, 64);
    }
  };
  const auto take = [](Reader& reader, Waiter& sleeper) {
    for (std::uint64_t next = 1; next <= 2 * samples;) {
      if (const auto sample = reader.take().value()) {
        ASSERT_EQ(sample->info().sequence, next++);
        ASSERT_NE(number_of(sample->payload()), 0U);
      } else {
        (void)sleeper.wait(WaitStrategy::sleep());
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back(publish);
  threads.emplace_back(publish);
  threads.emplace_back(take, std::ref(*readers[0]), std::ref(*side_->waiter));
  threads.emplace_back(take, std::ref(*readers[1]), std::ref(*waiter));
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_GT(writer_->stats().waits, 0U);
  EXPECT_EQ(writer_->stats().overrun, 0U);
}

/// Of copies that go together, more than the ring has room for.
TEST_F(BackPressureSteps, CopiesThatMustWaitWakeTheSubscriptionFirst) {
  const OtherProcess other(name_);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(other, "/t", " all=1"));
  ASSERT_TRUE(eventually([&] { return writer_->matched_readers() == 1; }));
  const std::uint64_t number = 1;
  const std::vector<std::span<const std::byte>> bodies(30, std::as_bytes(std::span(&number, 1)));
  for (int i = 0; i < 5; ++i) {
    other.send("take /t 30");
    ASSERT_TRUE(eventually([&] { return sleeps_in_futex(other.pid()); }));
    ASSERT_EQ(writer_->publish_copies({}, bodies).count, bodies.size());
    ASSERT_EQ(other.answer(), "ok 30 lost 0");
  }
}

}  // namespace
}  // namespace ligament::pool::test
