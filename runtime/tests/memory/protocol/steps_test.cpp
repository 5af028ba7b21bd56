// SPDX-License-Identifier: Apache-2.0
/// Processes and threads stopped or killed at a chosen step. Each test is one interleaving that
/// the models (spec/models) found to matter. The time bounds that would hide a mistake are gone.
#include "steps.hpp"

#include <sys/syscall.h>

#include <memory>
#include <thread>

#include "memory/waiter.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

class Steps : public testing::Test {
 protected:
  void SetUp() override {
    crash_hook = nullptr;
    take_the_safety_nets_away();
  }
  void TearDown() override {
    Step::let_go();
    crash_hook = nullptr;
  }
};

/// An executor's thread in one `wait()`.
class Sleeper {
 public:
  explicit Sleeper(Waiter& waiter)
      : thread_([this, &waiter] {
          id_ = static_cast<pid_t>(::syscall(SYS_gettid));
          result_ = waiter.wait(WaitStrategy::sleep(), no_deadline);
          done_ = true;
        }) {}
  ~Sleeper() { thread_.join(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  [[nodiscard]] bool sleeps() const { return id_ != 0 && sleeps_in_futex(id_); }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] WaitResult result() const { return result_; }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> done_{false};
  std::atomic<WaitResult> result_{WaitResult::timeout};
  std::thread thread_;
};

/// A reader here, a publisher there; a new sample of it makes it stop or die at a step.
struct Watched {
  Watched() : side(name), publisher(name), reader(side.reader(bytes_on("/t"))) {
    EXPECT_EQ(publisher.ask("writer /t"), "ok");
    EXPECT_TRUE(eventually([this] { return reader->matched_writers() == 1; }));
    EXPECT_EQ(publisher.ask("publish /t 1 64"), "ok 1");
    EXPECT_TRUE(reader->take().value());
    // The event that they have matched, which nobody takes here, wakes once.
    EXPECT_EQ(side.waiter->wait(WaitStrategy::poll(), 0), WaitResult::woken);
  }
  const std::string name = unique_name();
  Side side;
  OtherProcess publisher;
  std::unique_ptr<Reader> reader;
};

TEST_F(Steps, AWriterThatDiesBeforeItsWakeLeavesNobodyAsleep) {
  Watched watched;
  ASSERT_EQ(watched.publisher.ask("at publish.before_wake die"), "ok");
  const Sleeper sleeper(*watched.side.waiter);
  ASSERT_TRUE(eventually([&] { return sleeper.sleeps(); }));
  watched.publisher.send("publish /t 1 64");
  EXPECT_TRUE(eventually([&] { return sleeper.done(); })) << "it took bit 0 along into its grave";
  EXPECT_EQ(sleeper.result(), WaitResult::data);
}

TEST_F(Steps, AWriterThatDiesAmidItsWakesLeavesNobodyAsleep) {
  Watched watched;
  const OtherProcess other(watched.name);
  ASSERT_EQ(other.ask("reader /t"), "ok");
  ASSERT_TRUE(eventually([&] { return watched.publisher.ask("matched /t") == "ok 2"; }));
  ASSERT_TRUE(eventually([&] { return other.ask("matched /t") == "ok 1"; }));
  ASSERT_EQ(watched.publisher.ask("at publish.gathered die"), "ok");
  other.send("take /t 1");
  const Sleeper sleeper(*watched.side.waiter);
  ASSERT_TRUE(eventually([&] { return sleeper.sleeps() && sleeps_in_futex(other.pid()); }));
  watched.publisher.send("publish /t 1 64");
  EXPECT_TRUE(eventually([&] { return sleeper.done(); })) << "one of the two was moved";
  EXPECT_EQ(sleeper.result(), WaitResult::data);
  EXPECT_EQ(other.answer(), "ok 1 lost 0");
}

TEST_F(Steps, ADeathBetweenTheLastLookAndTheSleepIsNoticed) {
  Watched watched;
  ASSERT_EQ(watched.publisher.ask("at publish.exchanged die"), "ok");
  Step::arm("wait.looked", AtStep::hold);
  const Sleeper sleeper(*watched.side.waiter);
  ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  watched.publisher.send("publish /t 1 64");
  ASSERT_TRUE(eventually([&] { return watched.side.domain->peers().empty(); }));
  Step::let_go();
  EXPECT_TRUE(eventually([&] { return sleeper.done(); })) << "woken before it slept";
  EXPECT_EQ(sleeper.result(), WaitResult::data);
}

TEST_F(Steps, WakeReachesASleeperWhoseBitAStoppedWriterTook) {
  Watched watched;
  ASSERT_EQ(watched.publisher.ask("at publish.before_wake stop"), "ok");
  const Sleeper sleeper(*watched.side.waiter);
  ASSERT_TRUE(eventually([&] { return sleeper.sleeps(); }));
  watched.publisher.send("publish /t 1 64");
  ASSERT_TRUE(eventually([&] { return watched.reader->has_data(); }));
  watched.publisher.wait_until_stopped();
  EXPECT_FALSE(sleeper.done());
  watched.side.waiter->wake();
  EXPECT_TRUE(eventually([&] { return sleeper.done(); }));
  EXPECT_EQ(sleeper.result(), WaitResult::woken);
}

TEST_F(Steps, HousekeepingFindsASleeperWhoseBitAStoppedWriterTook) {
  rescan_ms = 200;  // it alone: who sleeps looks in two minutes
  Watched watched;
  ASSERT_EQ(watched.publisher.ask("at publish.before_wake stop"), "ok");
  const Sleeper sleeper(*watched.side.waiter);
  ASSERT_TRUE(eventually([&] { return sleeper.sleeps(); }));
  watched.publisher.send("publish /t 1 64");
  EXPECT_TRUE(eventually([&] { return sleeper.done(); }));
  EXPECT_EQ(sleeper.result(), WaitResult::data);
}

TEST_F(Steps, ANewcomerLearnsWhatChangedBeforeItWasMet) {
  const auto name = unique_name();
  const OtherProcess first(name);
  ASSERT_EQ(first.ask("at housekeeping.woken hold"), "ok");
  const Side side(name);  // its connection waits: the first one's housekeeping is held
  ASSERT_TRUE(eventually([&] { return first.ask("reached") == "ok yes"; }));
  auto writer = side.writer(bytes_on("/t"));
  auto own = side.reader(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return own->matched_writers() == 1; }));  // we have looked
  ASSERT_EQ(first.ask("reader /t"), "ok");
  ASSERT_EQ(first.ask("go"), "ok");
  EXPECT_TRUE(eventually([&] { return writer->matched_readers() == 2; }));
  EXPECT_TRUE(eventually([&] { return first.ask("matched /t") == "ok 1"; }));
}

TEST_F(Steps, AProcessWhoseQueueIsFullIsMetLater) {
  const auto name = unique_name();
  const OtherProcess first;
  ASSERT_EQ(first.ask("backlog 0"), "ok");
  ASSERT_EQ(first.ask("join " + name + " run"), "ok");
  ASSERT_EQ(first.ask("at housekeeping.woken hold"), "ok");
  ASSERT_EQ(first.ask("writer /t"), "ok");  // wakes it: it is held before anybody comes
  ASSERT_TRUE(eventually([&] { return first.ask("reached") == "ok yes"; }));
  const OtherProcess fills_the_queue(name);
  const Side side(name);
  EXPECT_EQ(side.domain->peers(), (std::vector<std::int32_t>{fills_the_queue.pid()}));
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_EQ(first.ask("go"), "ok");
  EXPECT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
}

TEST_F(Steps, OfThreeRunsAndADeathOneWins) {
  const auto name = unique_name();
  OtherProcess first;
  const OtherProcess second;
  const OtherProcess third;
  const auto start = [&name](const OtherProcess& process, const char* run, const char* step) {
    ASSERT_EQ(process.ask(fmt::format("at {} hold", step)), "ok");
    ASSERT_EQ(process.ask("join_aside " + name + " " + run), "ok");
    ASSERT_TRUE(eventually([&] { return process.ask("reached") == "ok yes"; }));
  };
  start(first, "run-1", "join.announced");
  start(second, "run-2", "join.slot_taken");
  start(third, "run-3", "join.undecided");  // has seen the first only, and gives way to it
  // The second sees both and gives way to the first, too.
  ASSERT_EQ(second.ask("at join.undecided hold"), "ok");
  ASSERT_TRUE(eventually([&] { return second.ask("reached") == "ok yes"; }));
  first.die();
  // Now the second looks at the third, whose word still says that it gives way (to the dead one).
  ASSERT_EQ(second.ask("at join.looked hold"), "ok");
  ASSERT_TRUE(eventually([&] { return second.ask("reached") == "ok yes"; }));
  ASSERT_EQ(third.ask("go"), "ok");
  ASSERT_EQ(second.ask("go"), "ok");
  const std::string answers[] = {second.ask("joined"), third.ask("joined")};
  EXPECT_EQ((answers[0] == "ok" ? 1 : 0) + (answers[1] == "ok" ? 1 : 0), 1)
      << answers[0] << " / " << answers[1];
}

TEST_F(Steps, ATakeThatMeetsAnUnfinishedReleaseSleepsInsteadOfSpinning) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t", QoS(10).max_held(1)));
  auto writer = side.writer(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  publish_stamped(*writer, 1, 64);
  publish_stamped(*writer, 2, 64);
  auto held = reader->take().value();
  Step::arm("release.word_cleared", AtStep::hold);
  std::thread releasing([&held] { held.reset(); });
  ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  const auto sleeps = system_calls().lock_sleeps;
  std::uint64_t number = 0;
  std::thread taking([&] { number = number_of(reader->take().value()->payload()); });
  EXPECT_TRUE(eventually([&] { return system_calls().lock_sleeps > sleeps; }));
  Step::let_go();
  taking.join();
  releasing.join();
  EXPECT_EQ(number, 2U);
}

TEST_F(Steps, AReleaseWakesWhoSleepsBecauseAllIsHeld) {
  const Side side(unique_name());
  auto reader = side.reader(bytes_on("/t", QoS(10).max_held(1)));
  auto writer = side.writer(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  publish_stamped(*writer, 1, 64);
  publish_stamped(*writer, 2, 64);
  auto held = reader->take().value();
  EXPECT_EQ(side.waiter->wait(WaitStrategy::poll(), 0), WaitResult::woken) << "matched";
  const Sleeper sleeper(*side.waiter);
  ASSERT_TRUE(eventually([&] { return sleeper.sleeps(); }));
  held.reset();
  EXPECT_TRUE(eventually([&] { return sleeper.done(); }));
  EXPECT_EQ(sleeper.result(), WaitResult::data);
  side.waiter->wake();  // should it sleep on
}

// The memory that it lies in is new, and can be mapped only while the publisher is there.
TEST_F(Steps, WhoLeavesWaitsAMomentUntilWhatItPublishedLastIsMapped) {
  Watched watched;
  Step::arm("housekeeping.woken", AtStep::hold);
  watched.publisher.send("publish /t 1 100000");
  std::thread leaving([&] { EXPECT_EQ(watched.publisher.leave(), 0); });
  ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  Step::let_go();
  leaving.join();
  const auto sample = watched.reader->take().value();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->payload().size(), 100'000U);
}

TEST_F(Steps, AWriterThatIsFirstSeenClosingIsTakenFrom) {
  const auto name = unique_name();
  const Side side(name);
  auto reader = side.reader(bytes_on("/t"));
  const OtherProcess publisher(name);
  ASSERT_TRUE(eventually([&] { return side.domain->peers().size() == 1; }));
  // We do not look from now on; it links our subscription, which it finds in our rows.
  Step::arm("housekeeping.woken", AtStep::hold);
  ASSERT_EQ(publisher.ask("writer /t"), "ok");
  ASSERT_TRUE(eventually([&] { return publisher.ask("matched /t") == "ok 1"; }));
  ASSERT_TRUE(eventually([] { return Step::is_reached(); }));
  ASSERT_EQ(publisher.ask("publish /t 3 64"), "ok 3");
  // Stopped there: its row would go after a second, whether we have come or not.
  ASSERT_EQ(publisher.ask("at close.row_closing stop"), "ok");
  publisher.send("close /t");
  publisher.wait_until_stopped();
  EXPECT_FALSE(reader->take().value());
  Step::let_go();
  for (std::uint64_t expected = 1; expected <= 3; ++expected) {
    std::uint64_t number = 0;
    ASSERT_TRUE(eventually([&] {
      const auto sample = reader->take().value();
      number = sample ? number_of(sample->payload()) : 0;
      return number != 0;
    })) << expected;
    EXPECT_EQ(number, expected);
  }
  EXPECT_EQ(reader->matched_writers(), 0U) << "it is closing";
  EXPECT_EQ(reader->stats().lost, 0U);
  publisher.resume();
  EXPECT_EQ(publisher.answer(), "ok");
}

}  // namespace
}  // namespace ligament::pool::test
