// SPDX-License-Identifier: Apache-2.0
#include "faults/roles.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "faults/steps_of_victim.hpp"

namespace ligament::pool::test {

namespace {

constexpr std::array<std::size_t, 5> main_sizes{64, 2000, 64, 9000, 300};
constexpr std::array<std::size_t, 6> up_sizes{64, 64, 64, 3000, 20'000, 100'000};
constexpr std::array<std::size_t, 1> aside_sizes{64};
constexpr std::array<std::size_t, 3> grow_sizes{64, 6000, 50'000};
constexpr std::array<std::size_t, 2> late_sizes{100, 1000};
constexpr std::array<std::size_t, 2> big_sizes{1'000'000, 300'000};

void nap(unsigned microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

bool is_over(const Figures& figures) { return figures.command.load() == Command::end; }

/// Joins; without a domain, `refusals` has gone up or a violation is noted.
std::shared_ptr<Domain> join(Figures& figures, const std::string& name, const std::string& run) {
  auto domain = Domain::join({name, run});
  if (domain) {
    ++figures.joined;
    return std::move(*domain);
  }
  if (domain.error().code == DomainErrorCode::name_in_use) {
    ++figures.refusals;
  } else {
    complain(figures, figures.violations.refused, domain.error().text);
  }
  return nullptr;
}

/// The main topic's writer says when a dead subscriber costs it nothing any more.
void measure(Figures& figures, Source& source) {
  const std::uint64_t readers = figures.expected_readers.load();
  if (readers == 0 || figures.back_ns.load() != 0) {
    return;
  }
  source.report();
  const WriterFigures& now = figures.writer[topic_main];
  const std::uint64_t others = readers * topic(topic_main).qos.profile().max_held;
  if (now.readers <= readers && now.blocks_free + now.ring + others >= now.blocks) {
    figures.back_ns = monotonic_now_ns();
  }
}

}  // namespace

const TopicSpec& topic(std::size_t index) {
  static const std::array<TopicSpec, topic_count> topics{{
      {"/main", QoS(8).max_held(4), main_sizes},
      {"/up", QoS(4).max_held(4), up_sizes},
      {"/aside", QoS(16'384).max_held(4), aside_sizes, 100'000'000, true},
      {"/grow", QoS(4).max_held(4), grow_sizes},
      {"/late", QoS(5).transient_local().max_held(4), late_sizes},
      {"/all", QoS(8).keep_all().max_held(4), late_sizes},
      {"/kept", QoS(32).keep_all().max_held(4), late_sizes, 30'000'000'000, true},
      {"/big", QoS(2).max_held(2), big_sizes},
  }};
  return topics[index];
}

// --- those that stay ---------------------------------------------------------------------------

void steady_publisher(Figures& figures, const std::string& name) {
  auto domain = join(figures, name, "run");
  if (domain == nullptr) {
    return;
  }
  Source main(*domain, topic_main, figures);
  Source aside(*domain, topic_aside, figures);
  Source late(*domain, topic_late, figures);
  Source all(*domain, topic_all, figures);
  Source kept(*domain, topic_kept, figures);
  Source big(*domain, topic_big, figures);
  std::unique_ptr<Source> grow;
  for (std::uint64_t step = 0; !is_over(figures); ++step) {
    const bool pause = figures.command.load() == Command::pause;
    if (pause) {
      grow.reset();
      for (Source* source : {&main, &aside, &late, &all, &kept, &big}) {
        source->report();
      }
    } else {
      for (Source* source : {&main, &aside, &all, &kept}) {
        source->publish();
      }
      if (step % 128 == 0) {
        late.publish();
        big.publish();
        grow = std::make_unique<Source>(*domain, topic_grow, figures);
      } else if (step % 16 == 0 && grow != nullptr) {
        grow->publish();
      }
      measure(figures, main);
      if (step % 64 == 0) {
        main.report();
      }
    }
    figures.paused = pause;
    nap(figures.expected_readers.load() != 0 ? 50 : 200);
  }
}

void steady_subscriber(Figures& figures, const std::string& name) {
  auto domain = join(figures, name, "run");
  if (domain == nullptr) {
    return;
  }
  auto waiter = domain->create_waiter().value();
  std::vector<std::unique_ptr<Sink>> sinks;
  for (std::size_t i = 0; i < topic_count; ++i) {
    sinks.push_back(std::make_unique<Sink>(*domain, *waiter, i, figures));
  }
  while (!is_over(figures)) {
    std::size_t taken = 0;
    for (const auto& sink : sinks) {
      taken += sink->take_all();
    }
    if (taken != 0) {
      continue;
    }
    for (const auto& sink : sinks) {
      sink->release_all();
    }
    if (waiter->wait(WaitStrategy::sleep(), monotonic_now_ns() + 2'000'000'000) ==
        WaitResult::timeout) {
      for (const auto& sink : sinks) {
        sink->expect_no_old_sample();
      }
    }
    ++figures.rounds;
  }
}

// --- those that come and go --------------------------------------------------------------------

namespace {

struct Ends {
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<Sink>> sinks;
};

Ends open_ends(Figures& figures, Domain& domain, Waiter& waiter, const Life& life) {
  Ends ends;
  if (life.writes) {
    for (const std::size_t index : {topic_main, topic_all, topic_up}) {
      ends.sources.push_back(std::make_unique<Source>(domain, index, figures, &waiter));
    }
  }
  if (life.reads) {
    for (const std::size_t index : {topic_main, topic_all, topic_up, topic_grow, topic_late}) {
      ends.sinks.push_back(std::make_unique<Sink>(domain, waiter, index, figures));
    }
  }
  return ends;
}

void await_matches(const Figures& figures, Ends& ends) {
  const auto is_matched = [&ends] {
    return (ends.sources.empty() || ends.sources[0]->writer().matched_readers() != 0) &&
           (ends.sinks.empty() || ends.sinks[0]->reader().matched_writers() != 0);
  };
  for (int i = 0; i < 2000 && !is_matched() && !is_over(figures); ++i) {
    nap(100);
  }
}

void work(Waiter& waiter, Ends& ends, const Life& life) {
  for (unsigned step = 0; step < life.steps; ++step) {
    for (const auto& source : ends.sources) {
      // Now and then more at once than a ring holds: a keep-all writer has to wait.
      for (int burst = step % 8 == 1 ? 12 : 1; burst > 0; --burst) {
        source->publish();
      }
      if (step % 8 == 0) {
        source->borrow();
      }
    }
    for (const auto& sink : ends.sinks) {
      sink->take_all();
    }
    (void)waiter.wait(WaitStrategy::sleep(), monotonic_now_ns() + 500'000);
  }
}

void one_life(Figures& figures, const std::string& name, const Life& life) {
  auto domain = join(figures, name, life.run);
  if (domain == nullptr) {
    return;
  }
  auto waiter = domain->create_waiter().value();
  Ends ends = open_ends(figures, *domain, *waiter, life);
  await_matches(figures, ends);
  work(*waiter, ends, life);
  // One end is closed while it holds or has just grown, then opened again.
  if (!ends.sinks.empty()) {
    ends.sinks.back() = nullptr;
    ends.sinks.pop_back();
  }
  if (!ends.sources.empty()) {
    ends.sources.back()->publish();
    ends.sources.pop_back();
    ends.sources.push_back(std::make_unique<Source>(*domain, topic_up, figures, waiter.get()));
  }
  work(*waiter, ends, {life.writes, life.reads, life.steps / 4 + 1, 0, life.run});
}

}  // namespace

void many_lives(Figures& figures, const std::string& name, const Life& life) {
  arm_this_process(figures);
  while (!is_over(figures)) {
    figures.paused = figures.command.load() == Command::pause;
    if (figures.paused) {
      nap(100);
      continue;
    }
    one_life(figures, name, life);
    ++figures.rounds;
    nap(life.pause_us);
  }
}

void contender(Figures& figures, const std::string& name, const std::string& run) {
  arm_this_process(figures);
  while (!is_over(figures)) {
    (void)join(figures, name, run);  // and leaves at once
    ++figures.rounds;
    nap(200);
  }
}

}  // namespace ligament::pool::test
