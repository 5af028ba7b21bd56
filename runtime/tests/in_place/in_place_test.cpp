// SPDX-License-Identifier: Apache-2.0
#include "ligament/in_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace ligament {
namespace {

using Checked = InPlace<std::uint32_t, true>;
constexpr std::size_t half = 4096;

/// As a forked child has to: the memory of its parent is not mapped in it.
Checked opened(const InPlaceTicket& ticket) { return Checked::open(ticket).value(); }
Checked made() { return Checked::create("in-place-test", 2 * half).value(); }

/// The exit status of a process that does this.
int in_a_process(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(InPlace, two_processes_change_their_parts_at_the_same_time) {
  const auto memory = made();
  const InPlaceTicket ticket = memory.ticket();
  const auto mine = memory.change(0, half);
  const int status = in_a_process([&] {
    const auto same = Checked::open({ticket.numbers});
    if (!same || same->size() != 2 * half) {
      return 1;
    }
    const auto theirs = same->change(half, half);  // mine is still there
    for (std::uint32_t& word : theirs.span()) {
      word = 7;
    }
    return 0;
  });
  ASSERT_EQ(status, 0);
  mine[0] = 5;
  const auto seen = memory.look(half, half);
  EXPECT_EQ(seen[0], 7U);
  EXPECT_EQ(seen[half - 1], 7U);
  EXPECT_EQ(seen.size(), half);
}

TEST(InPlace, readers_share_and_neighbours_do_not_touch) {
  const auto memory = made();
  const auto one = memory.look(0, half);
  const auto other = memory.look(half / 2, half);
  const auto behind = memory.change(half + half / 2, half / 2);
  EXPECT_EQ(one[0] + other[0] + behind[0], 0U);
}

TEST(InPlace, a_part_is_free_again_when_it_is_let_go) {
  const auto memory = made();
  for (int time = 0; time < 1000; ++time) {
    auto part = memory.change(0, half);
    ++part[0];
    const auto moved = std::move(part);
    EXPECT_EQ(moved[0], static_cast<std::uint32_t>(time + 1));
  }
}

TEST(InPlaceDeathTest, overlapping_changes_end_the_program_with_both_parties) {
  const auto memory = made();
  const InPlaceTicket ticket = memory.ticket();
  const auto mine = memory.change(0, half);
  const std::string self = "process [0-9]+, thread [0-9]+ ";
  EXPECT_DEATH((void)opened(ticket).change(half - 1, 2),
               self +
                   "wants to change bytes 16380 to 16388, "
                   "while " +
                   self + "changes bytes 0 to 16384");
  EXPECT_DEATH((void)opened(ticket).look(0, 1), "wants to read bytes 0 to 4, while");
  const auto seen = memory.look(half, half);
  EXPECT_DEATH((void)opened(ticket).change(half, 1), "reads bytes 16384 to 32768");
}

TEST(InPlaceDeathTest, parts_beyond_the_memory_end_the_program) {
  const auto memory = made();
  const InPlaceTicket ticket = memory.ticket();
  EXPECT_DEATH((void)opened(ticket).look(half, half + 1),
               "bytes 16384 to 32772 were asked for, of 32768");
}

TEST(InPlace, who_was_killed_has_no_part_any_more) {
  const auto memory = made();
  const InPlaceTicket ticket = memory.ticket();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto part = opened(ticket).change(0, half);
    part[0] = 1;
    ::pause();
    ::_exit(part[0] == 1 ? 0 : 1);
  }
  const auto unchecked = InPlace<std::uint32_t, false>::open(ticket).value().look(0, 1);
  const volatile std::uint32_t& first = unchecked[0];
  while (first == 0) {
    std::this_thread::yield();
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto mine = memory.change(0, 2 * half);
  EXPECT_EQ(mine[0], 1U);
}

TEST(InPlace, without_checks_nothing_is_looked_at) {
  const auto memory = InPlace<std::uint32_t, false>::create("in-place-test", 2).value();
  const auto one = memory.change(0, 2);
  const auto other = memory.change(0, 2);
  one[0] = 3;
  EXPECT_EQ(other[0], 3U);
}

TEST(InPlace, threads_that_keep_to_their_parts_are_never_stopped) {
  const auto memory = made();
  std::vector<std::thread> threads;
  constexpr std::size_t parties = 4;
  for (std::size_t party = 0; party < parties; ++party) {
    threads.emplace_back([&, party] {
      for (int time = 0; time < 2000; ++time) {
        const auto own = memory.change(party * half / parties, half / parties);
        ++own[0];
        const auto common = memory.look(half, half);
        EXPECT_EQ(common[0], 0U);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t party = 0; party < parties; ++party) {
    EXPECT_EQ(memory.look(party * half / parties, 1)[0], 2000U);
  }
}

TEST(InPlace, what_is_no_such_memory_is_refused) {
  const auto memory = made();
  InPlaceTicket wrong = memory.ticket();
  ++wrong.numbers[2];
  const auto other = Checked::open(wrong);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), InPlaceError::not_there);
  EXPECT_FALSE(Checked::open({}));
  InPlaceTicket ticket;
  {
    const auto gone = made();
    ticket = gone.ticket();
  }
  EXPECT_FALSE(Checked::open(ticket));
  EXPECT_THAT(to_string(InPlaceError::not_there), testing::HasSubstr("has ended"));
}

}  // namespace
}  // namespace ligament
