// SPDX-License-Identifier: Apache-2.0
/// A process that may open no more descriptors, at each point from joining to matching; and one
/// that forks while it publishes and holds samples.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <set>

#include "faults/crew.hpp"

namespace ligament::pool::test {
namespace {

std::string domain_of(const char* what) { return fmt::format("faults-{}-{}", what, ::getpid()); }

void allow_descriptors(rlim_t count) {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(count, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// What a process with `allowed` descriptors more than now gets to; then the limit goes away, and
/// it must get everything.
void live_in_want(Figures& figures, const std::string& name, rlim_t allowed) {
  allow_descriptors(3 + allowed);  // nobody but the standard streams needs more
  auto domain = Domain::join({name, "run"});
  const auto need_text = [&figures](const std::string& text) {
    ++figures.refusals;
    if (text.find(':') == std::string::npos) {
      complain(figures, figures.violations.refused, "an error without a cause: " + text);
    }
  };
  if (!domain) {
    need_text(domain.error().text);
    allow_descriptors(1000);
    domain = Domain::join({name, "run"});
  }
  if (!domain) {
    complain(figures, figures.violations.refused, "no recovery: " + domain.error().text);
    return;
  }
  auto waiter = (*domain)->create_waiter().value();
  const EndpointDescription main{
      topic(topic_main).name, "test/msg/Bytes", "/poor", {}, topic(topic_main).qos.profile()};
  auto reader = (*domain)->create_reader(main, *waiter);
  if (!reader) {
    need_text(reader.error().text);
  }
  auto writer = (*domain)->create_writer(main);
  if (!writer) {
    need_text(writer.error().text);
  } else if (const auto loan = (*writer)->loan(100); !loan) {
    ++figures.refusals;
  }
  allow_descriptors(1000);
  if (!reader) {
    reader = (*domain)->create_reader(main, *waiter);
  }
  const bool taken = reader && within(std::chrono::seconds(30), [&] {
                       const auto sample = (*reader)->take();
                       return sample && *sample;
                     });
  if (!taken) {
    complain(figures, figures.violations.refused, "takes nothing once there are descriptors again");
  }
}

TEST(Shortage, OfDescriptorsIsNamedAndPasses) {
  const std::string domain = domain_of("descriptors");
  std::uint64_t refusals = 0;
  {
    Crew crew(domain, Crew::Passer::no);
    ASSERT_EQ(crew.await_start(), "");
    for (rlim_t allowed = 0; allowed < 32; ++allowed) {
      Worker poor([&](Figures& figures) { live_in_want(figures, domain, allowed); });
      ASSERT_TRUE(within(std::chrono::seconds(90), [&] { return poor.has_ended(); })) << allowed;
      EXPECT_TRUE(WIFEXITED(poor.status())) << allowed << ": status " << poor.status();
      EXPECT_EQ(fault_of("the poor one", poor.figures()), "") << allowed << " descriptors";
      refusals += poor.figures().refusals;
    }
    EXPECT_GT(refusals, 8U);
    EXPECT_EQ(crew.await_progress(), "");
    EXPECT_EQ(crew.await_idle_fill(), "");
    EXPECT_EQ(crew.fault(), "");
    EXPECT_EQ(crew.leave(), "");
  }
  EXPECT_EQ(leftovers(domain), "");
}

/// Forks while it holds samples; the child keeps every descriptor until the test ends it.
void live_and_fork(Figures& figures, const std::string& name, bool child_ends) {
  auto domain = Domain::join({name, "run"}).value();
  auto waiter = domain->create_waiter().value();
  Sink sink(*domain, *waiter, topic_main, figures);
  Source source(*domain, topic_up, figures);
  while (figures.held < 2) {
    sink.take_all();
    source.publish();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (child_ends) {
      std::_Exit(0);
    }
    ::prctl(PR_SET_PDEATHSIG, 0);
    while (figures.command != Command::end) {
      ::usleep(1000);
    }
    figures.paused = true;
    std::_Exit(0);
  }
  if (child_ends) {
    ::waitpid(child, nullptr, 0);
  }
  while (figures.command == Command::run) {
    sink.take_all();
    source.publish();
    ++figures.rounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Fork, DisturbsNobodyAndHidesNoDeath) {
  const std::string domain = domain_of("fork");
  {
    Crew crew(domain, Crew::Passer::no);
    ASSERT_EQ(crew.await_start(), "");
    for (const bool child_ends : {true, false}) {
      Worker parent([&](Figures& figures) { live_and_fork(figures, domain, child_ends); });
      Figures& figures = parent.figures();
      ASSERT_TRUE(within(std::chrono::seconds(60), [&] { return figures.rounds > 50; }));
      EXPECT_EQ(fault_of("the parent", figures), "");
      parent.kill();
      // The child still has every descriptor: death is noticed, and what was held comes back.
      EXPECT_EQ(crew.await_idle_fill(), "") << child_ends;
      EXPECT_EQ(crew.await_progress(), "");
      figures.command = Command::end;
      if (!child_ends) {
        EXPECT_TRUE(within(std::chrono::seconds(60), [&] { return figures.paused.load(); }));
      }
    }
    EXPECT_EQ(crew.fault(), "");
    EXPECT_EQ(crew.leave(), "");
  }
  EXPECT_TRUE(within(std::chrono::seconds(20), [&] { return leftovers(domain).empty(); }))
      << leftovers(domain);
}

}  // namespace
}  // namespace ligament::pool::test
