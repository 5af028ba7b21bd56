// SPDX-License-Identifier: Apache-2.0
/// Somebody sets the clock while samples are published, waited for and watched. The machine's
/// clock is everybody's, so this program has its own: the system calls that say what real time is,
/// and that it was set, are replaced below.
#include <dirent.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "memory/os/system.hpp"
#include "support.hpp"

namespace {

std::atomic<std::int64_t> step_seconds{0};
std::atomic<int> clock_descriptor{-1};  ///< what the kernel would tell that the clock was set
std::atomic<bool> was_set{false};

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME && result == 0) {
    now->tv_sec += step_seconds;
  }
  return result;
}

extern "C" ssize_t read(int fd, void* to, size_t size) {
  if (fd == clock_descriptor && was_set.exchange(false)) {
    errno = ECANCELED;
    return -1;
  }
  return ::syscall(SYS_read, fd, to, size);
}

namespace ligament::pool::test {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t real_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * second + now.tv_nsec;
}

int timer_of_this_process() {
  int found = -1;
  DIR* listing = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(listing)) {
    char target[64] = {};
    const auto path = fmt::format("/proc/self/fd/{}", entry->d_name);
    if (::readlink(path.c_str(), target, sizeof target - 1) > 0 &&
        std::string_view(target) == "anon_inode:[timerfd]") {
      found = std::atoi(entry->d_name);
    }
  }
  ::closedir(listing);
  return found;
}

class ClockSteps : public testing::Test {
 protected:
  void SetUp() override {
    description_.qos.deadline_ns = 60 * second;
    description_.qos.lifespan_ns = 60 * second;
    description_.qos.liveliness_lease_ns = 60 * second;
    writer_ = side_.writer(description_);
    reader_ = side_.reader(description_);
    ASSERT_TRUE(eventually([&] { return reader_->matched_writers() == 1; }));
    clock_descriptor = timer_of_this_process();
    ASSERT_GE(clock_descriptor, 0);
  }
  void TearDown() override {
    clock_descriptor = -1;
    step_seconds = 0;
    os::refresh_realtime_offset();
  }
  /// The kernel would wake the housekeeping; here a new endpoint does.
  void set_clock(std::int64_t seconds) {
    step_seconds = seconds;
    was_set = true;
    nudge_ = side_.reader(bytes_on("/nudge"));
    ASSERT_TRUE(eventually([] { return !was_set; }));
    ASSERT_TRUE(eventually([] {
      return std::abs(monotonic_now_ns() + os::realtime_offset_ns() - real_now()) < second;
    }));
  }
  void publish_and_take(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      publish_stamped(*writer_, ++number_, 64);
      ASSERT_EQ(wait_for_data(*side_.waiter), WaitResult::data);
      const auto sample = reader_->take().value();
      ASSERT_TRUE(sample);
      EXPECT_EQ(number_of(sample->payload()), number_);
      EXPECT_GT(sample->info().source_timestamp_ns, last_source_) << "source times increase";
      EXPECT_GT(sample->info().monotonic_ns, last_monotonic_);
      last_source_ = sample->info().source_timestamp_ns;
      last_monotonic_ = sample->info().monotonic_ns;
    }
  }

  EndpointDescription description_ = bytes_on("/t");
  Side side_{unique_name()};
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Reader> nudge_;
  std::uint64_t number_ = 0;
  std::int64_t last_source_ = 0;
  std::int64_t last_monotonic_ = 0;
};

TEST_F(ClockSteps, ForwardAndBackLoseNothingExpireNothingMissNothing) {
  publish_and_take(20);
  unsigned steps = 0;
  for (const std::int64_t seconds : {3600, -86'400, 0, 7, 100'000'000, 0}) {
    set_clock(seconds);
    ++steps;
    publish_and_take(20);
    // A wait that ends by its time is not longer nor shorter.
    const std::int64_t start = monotonic_now_ns();
    EXPECT_EQ(side_.waiter->wait(WaitStrategy::sleep(), start + second / 100), WaitResult::timeout);
    EXPECT_GE(monotonic_now_ns(), start + second / 100);
  }
  const ReaderStats stats = reader_->stats();
  EXPECT_EQ(stats.taken, number_);
  EXPECT_EQ(stats.lost + stats.expired + stats.deadline_missed, 0U);
  const ReaderEvents events = reader_->take_events();
  EXPECT_EQ(events.liveliness_changed.alive, 1U);
  EXPECT_EQ(events.liveliness_changed.not_alive, 0U);
  EXPECT_EQ(writer_->stats().deadline_missed, 0U);
  std::cout << fmt::format("{} steps of the clock, {} samples taken, 0 lost, 0 expired\n", steps,
                           stats.taken);
}

TEST_F(ClockSteps, AForwardStepIsInTheNextSourceTime) {
  publish_and_take(1);
  set_clock(3600);
  publish_and_take(1);
  EXPECT_LT(std::abs(last_source_ - real_now()), 60 * second);
}

}  // namespace
}  // namespace ligament::pool::test
