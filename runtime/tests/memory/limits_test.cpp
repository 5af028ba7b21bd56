// SPDX-License-Identifier: Apache-2.0
/// What runs out: blocks, memory, descriptors. Each shortage has a name, and passes.
#include <fmt/format.h>

#include <iostream>
#include <vector>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

using Holders = std::vector<std::unique_ptr<OtherProcess>>;

/// Other processes with a reader each, which may hold that many samples.
void let_hold(Holders& holders, const std::string& domain, std::uint64_t held) {
  for (int i = 0; i < 3; ++i) {
    holders.push_back(std::make_unique<OtherProcess>(domain));
    ASSERT_EQ(holders.back()->ask(fmt::format("reader /t depth=4 held={}", held)), "ok");
    ASSERT_TRUE(eventually([&] { return holders.back()->ask("matched /t") == "ok 1"; }));
  }
}

/// Samples that nobody else holds.
template <typename PublishNext>
void hold_own(const OtherProcess& holder, std::uint64_t count, const PublishNext& publish_next) {
  for (std::uint64_t i = 0; i < count; ++i) {
    publish_next();
    while (holder.ask("hold /t 1").rfind("ok 1", 0) != 0) {
    }
  }
}

void borrow(Writer& writer, std::uint32_t loans, std::size_t size, std::vector<Loan>& out) {
  for (std::uint32_t i = 0; i < loans; ++i) {
    auto loan = writer.loan(size);
    ASSERT_TRUE(loan) << to_string(loan.error());
    out.push_back(std::move(*loan));
  }
}

/// Every block is published, held or lent.
TEST(FullPool, RefusesTheNextLoanByNameAndRecovers) {
  constexpr std::uint64_t ring = 4;
  constexpr std::uint32_t loans = 3;
  constexpr std::uint64_t each = 6;
  const auto name = unique_name();
  const Side side(name);
  // Blocks beyond 16 kB: none are spare.
  constexpr std::size_t size = 100'000;
  auto writer = side.writer(bytes_on("/t", QoS(ring)), {.max_loans = loans, .max_bytes = size});
  Holders holders;
  ASSERT_NO_FATAL_FAILURE(let_hold(holders, name, each));
  std::uint64_t number = 0;
  for (const auto& holder : holders) {
    const auto publish_next = [&] { publish_stamped(*writer, ++number, size); };
    hold_own(*holder, each, publish_next);
    for (std::uint64_t i = 0; i < ring; ++i) {
      publish_next();
    }
  }
  std::vector<Loan> out;
  ASSERT_NO_FATAL_FAILURE(borrow(*writer, loans, size, out));
  const WriterStats full = writer->stats();
  EXPECT_EQ(full.blocks, ring + loans + 1 + 3 * each);
  EXPECT_EQ(full.blocks_free, 1U) << "for the block between a loan and the ring";
  EXPECT_EQ(writer->loan(size).error(), LoanError::too_many_loans);
  EXPECT_EQ(writer->stats().loans_failed, full.loans_failed + 1);
  for (const auto& holder : holders) {
    EXPECT_EQ(holder->ask("held").find(" 0"), std::string::npos) << "a held sample was overwritten";
  }
  // It goes on publishing for as long as it likes with everything held.
  for (Loan& loan : out) {
    stamp(loan.payload(), ++number);
    ASSERT_TRUE(writer->publish(std::move(loan)));
  }
  for (int i = 0; i < 1000; ++i) {
    publish_stamped(*writer, ++number, size);
  }
  EXPECT_EQ(writer->stats().blocks, full.blocks);
  for (const auto& holder : holders) {
    ASSERT_EQ(holder->ask("release"), "ok");
  }
  const WriterStats idle = writer->stats();
  EXPECT_EQ(idle.blocks_free + idle.in_ring, idle.blocks);
  EXPECT_LE(idle.in_ring, ring);
  std::cout << fmt::format("{} blocks in use of {}, {} published meanwhile, {} loans refused\n",
                           full.blocks - full.blocks_free, full.blocks, number, idle.loans_failed);
}

TEST(FullPool, WithoutMemoryForALargerBlockRefusesThatLoanOnly) {
  const Side side(unique_name());
  auto writer = side.writer(bytes_on("/t"));
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  publish_stamped(*writer, 1, 100);
  EXPECT_EQ(writer->loan(std::size_t{1} << 44).error(), LoanError::out_of_memory);
  EXPECT_EQ(writer->stats().loans_failed, 1U);
  publish_stamped(*writer, 2, 100'000);
  EXPECT_EQ(number_of(reader->take().value()->payload()), 1U);
  EXPECT_EQ(number_of(reader->take().value()->payload()), 2U);
}

/// The n-th match of a process finds no descriptor; those before it go on, it comes later.
TEST(Descriptors, MissingAtTheNthMatchAreNamedAndTheMatchComesLater) {
  constexpr int topics = 6;
  const auto name = unique_name();
  unsigned named = 0;
  for (int poor_from = 1; poor_from <= topics; poor_from += 2) {
    const Side side(name);
    const OtherProcess poor(name);
    std::vector<std::unique_ptr<Writer>> writers;
    const auto topic = [](int i) { return fmt::format("/t{}", i); };
    for (int i = 0; i < topics; ++i) {
      ASSERT_EQ(poor.ask("reader " + topic(i)), "ok");
    }
    for (int i = 0; i < topics; ++i) {
      if (i == poor_from) {
        ASSERT_EQ(poor.ask("descriptors none"), "ok");
      }
      // With a bound, its memory is there before the match.
      writers.push_back(side.writer(bytes_on(topic(i)), {.max_bytes = 64}));
      if (i < poor_from) {
        ASSERT_TRUE(eventually([&] { return poor.ask("matched " + topic(i)) == "ok 1"; }));
      }
    }
    ASSERT_TRUE(eventually([&] {
      const auto problems = poor.ask("problems");
      return problems.find("cannot be reached") != std::string::npos &&
             problems.find("Too many open files (this process may have") != std::string::npos;
    }));
    ++named;
    for (int i = 0; i < poor_from; ++i) {
      publish_stamped(*writers[static_cast<std::size_t>(i)], 7, 64);
      EXPECT_EQ(poor.ask("once " + topic(i)), "ok 7 lost 0 corrupt 0");
    }
    EXPECT_EQ(poor.ask("matched " + topic(poor_from)), "ok 0");
    ASSERT_EQ(poor.ask("descriptors many"), "ok");
    for (int i = poor_from; i < topics; ++i) {
      ASSERT_TRUE(eventually([&] { return poor.ask("matched " + topic(i)) == "ok 1"; })) << i;
    }
    EXPECT_EQ(poor.ask("problems").find("cannot be reached"), std::string::npos);
  }
  std::cout << named << " shortages named, all passed\n";
}

/// Joining fails at any point for lack of them: those who were met already forget it.
TEST(Descriptors, MissingWhileJoiningLeaveNothingWithOthers) {
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess others[] = {OtherProcess(name), OtherProcess(name), OtherProcess(name)};
  ASSERT_TRUE(eventually([&] { return side.domain->peers().size() == 3; }));
  const OtherProcess poor;
  unsigned failures = 0;
  bool joined = false;
  for (int allowed = 3; !joined && allowed < 64; ++allowed) {
    ASSERT_EQ(poor.ask(fmt::format("descriptors {}", allowed)), "ok");
    const auto answer = poor.ask("join " + name + " run");
    joined = answer == "ok";
    failures += joined ? 0 : 1;
    ASSERT_TRUE(joined || answer.find("Too many open files") != std::string::npos) << answer;
    ASSERT_EQ(poor.ask("descriptors many"), "ok");
    ASSERT_TRUE(eventually([&] { return side.domain->peers().size() == (joined ? 4U : 3U); }))
        << allowed;
  }
  EXPECT_TRUE(joined);
  std::cout << failures << " failures to join, all forgotten\n";
}

}  // namespace
}  // namespace ligament::pool::test
