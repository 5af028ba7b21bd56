// SPDX-License-Identifier: Apache-2.0
/// 1,000 processes die by SIGKILL at random moments under load: publishers, subscribers, both, and
/// some that are just joining. Each costs the survivors nothing, and its blocks come back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "faults/storm.hpp"

namespace ligament::pool::test {
namespace {

class RandomKills : public testing::TestWithParam<Prey> {};

TEST_P(RandomKills, CostTheSurvivorsNothing) {
  constexpr unsigned kills = 250;
  const std::string domain = fmt::format("faults-kills-{}", ::getpid());
  {
    Crew crew(domain, Crew::Passer::no);
    ASSERT_EQ(crew.await_start(), "");
    Storm storm(crew, 1);
    for (unsigned i = 0; i < kills; ++i) {
      ASSERT_EQ(storm.kill_one(GetParam()), "") << "kill " << i;
      if (i % 16 == 15) {
        ASSERT_EQ(crew.await_progress(), "") << "after kill " << i;
        ASSERT_EQ(crew.await_idle_fill(), "") << "after kill " << i;
      }
    }
    ASSERT_EQ(crew.await_idle_fill(), "");
    EXPECT_EQ(crew.fault(), "");
    Times& times = storm.times();
    std::cout << kills << " kills\n";
    if (times.size() != 0) {
      std::cout << fmt::format(
          "blocks back after p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms; without the system's "
          "part {:.2f}, {:.2f}, {:.2f} ms\n",
          times.ms(0.5), times.ms(0.99), times.ms(1), times.own_ms(0.5), times.own_ms(0.99),
          times.own_ms(1));
    }
    EXPECT_EQ(crew.leave(), "");
  }
  EXPECT_EQ(leftovers(domain), "");
}

INSTANTIATE_TEST_SUITE_P(Of, RandomKills,
                         testing::Values(Prey::publisher, Prey::subscriber, Prey::both,
                                         Prey::joining),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace ligament::pool::test
