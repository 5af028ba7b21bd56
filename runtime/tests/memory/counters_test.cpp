// SPDX-License-Identifier: Apache-2.0
/// "No heap allocation and no needless system call between loan and take in steady state", counted.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "support.hpp"

namespace {
thread_local std::uint64_t allocations = 0;  // of this thread: the data path is this thread
}

// These replace the program's, libligament's included. Not inlined: the compiler would see malloc
// behind new and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ligament::pool::test {
namespace {

TEST(Counters, TheAllocationCounterCounts) {
  const auto before = allocations;
  std::string long_enough_for_the_heap(100, 'x');
  EXPECT_GT(allocations, before);
}

TEST(Counters, SteadyStateAllocatesNothingAndCallsNothing) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t", QoS(5)));
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(side.reader(bytes_on("/t", QoS(5))));
  }
  ASSERT_TRUE(eventually([&] {
    return writer->matched_readers() == 3 && readers[0]->matched_writers() == 1 &&
           readers[1]->matched_writers() == 1 && readers[2]->matched_writers() == 1;
  }));
  const auto round = [&] {
    auto loan = writer->loan(1000, 24);
    std::memset(loan->payload().data(), 1, 1000);
    (void)writer->publish(std::move(*loan));
    for (auto& reader : readers) {
      (void)side.waiter->wait(WaitStrategy::poll(), no_deadline);
      auto sample = reader->take();
      if (!*sample) {
        std::abort();
      }
    }
  };
  round();  // the first loan of a size allocates its blocks, the first take maps them
  // The lock's sleeps are left out: they happen when the housekeeping is in a critical section.
  const SystemCalls calls = system_calls();
  const auto heap = allocations;
  for (int i = 0; i < 10'000; ++i) {
    round();
  }
  EXPECT_EQ(allocations, heap);
  EXPECT_EQ(system_calls().futex_waits, calls.futex_waits);
  EXPECT_EQ(system_calls().futex_wakes, calls.futex_wakes);
  EXPECT_EQ(system_calls().growths, calls.growths);
  EXPECT_EQ(readers[2]->stats().taken, 10'001U);
}

TEST(Counters, OneWakePerSleepingExecutorAndNoneOtherwise) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/t"));
  const OtherProcess sleeper(name);
  ASSERT_NO_FATAL_FAILURE(subscribe_in(sleeper, "/t"));
  for (std::uint64_t i = 1; i <= 5; ++i) {  // it does not sleep: it waits for commands
    publish_stamped(*writer, i, 64);
  }
  EXPECT_EQ(writer->stats().wakes, 0U);
  ASSERT_EQ(sleeper.ask("take /t 5"), "ok 5 lost 0");
  sleeper.send("take /t 1");
  // Asleep in its futex (see /proc/PID/wchan), then published to: exactly one wake.
  ASSERT_TRUE(eventually([&] { return sleeps_in_futex(sleeper.pid()); }));
  publish_stamped(*writer, 6, 64);
  EXPECT_EQ(sleeper.answer(), "ok 1 lost 0");
  EXPECT_EQ(writer->stats().wakes, 1U);
  publish_stamped(*writer, 7, 64);
  EXPECT_EQ(writer->stats().wakes, 1U);
}

}  // namespace
}  // namespace ligament::pool::test
