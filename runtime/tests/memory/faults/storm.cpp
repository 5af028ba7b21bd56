// SPDX-License-Identifier: Apache-2.0
#include "faults/storm.hpp"

#include <chrono>
#include <thread>

namespace ligament::pool::test {

namespace {

void sleep_us(std::int64_t us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

}  // namespace

std::unique_ptr<Worker> Storm::start(Prey prey) {
  const Life life{.writes = prey != Prey::subscriber,
                  .reads = prey != Prey::publisher,
                  .steps = prey == Prey::joining ? 1U : 1'000'000'000U};
  return std::make_unique<Worker>(
      [this, life](Figures& figures) { many_lives(figures, crew_.domain(), life); });
}

/// A victim that joins dies anywhere on the way; others only once they are at work.
void Storm::let_live(const Worker& victim, Prey prey) {
  if (prey != Prey::joining) {
    const Figures& figures = victim.figures();
    (void)within(std::chrono::seconds(20), [&] {
      return figures.writer[topic_main].published + figures.reader[topic_main].taken > 2;
    });
  }
  sleep_us(up_to(prey == Prey::joining ? 6000 : 4000));
}

/// From the kill until the steady publisher has all blocks back that only the victim held. Others
/// that come and go have their own holds, so they pause.
std::string Storm::kill_and_measure(Worker& victim, Prey prey) {
  Figures& publisher = crew_.publisher();
  const CoreWait before = crew_.waited_for_core();
  Return one{monotonic_now_ns()};
  // In this order: what is measured before the kill would count as its end.
  victim.signal(SIGKILL);
  publisher.back_ns = 0;
  publisher.expected_readers = Crew::steady_readers;
  victim.kill();
  one.buried_ns = monotonic_now_ns() - one.at_ns;
  const bool back = within(std::chrono::seconds(20), [&] { return publisher.back_ns.load() != 0; });
  publisher.expected_readers = 0;
  if (!back) {
    return "the blocks of a dead process do not come back";
  }
  // One that only published held nothing, and one that was joining perhaps not yet.
  if (prey == Prey::subscriber || prey == Prey::both) {
    const CoreWait after = crew_.waited_for_core();
    one.back_ns = publisher.back_ns - one.at_ns;
    one.publisher_waited_ns = after.publisher_ns - before.publisher_ns;
    one.subscribers_waited_ns = after.subscribers_ns - before.subscribers_ns;
    times_.add(one);
  }
  auto fault = fault_of("the victim", victim.figures());
  return fault.empty() ? crew_.fault() : fault;
}

std::string Storm::kill_one(Prey prey) {
  const auto victim = start(prey);
  let_live(*victim, prey);
  return kill_and_measure(*victim, prey);
}

std::string Storm::stop_and_kill_one(Prey prey) {
  const auto victim = start(prey);
  let_live(*victim, prey);
  victim->signal(SIGSTOP);
  sleep_us(up_to(30'000));
  if (up_to(2) == 0) {
    victim->signal(SIGCONT);
    sleep_us(up_to(5000));
  }
  return kill_and_measure(*victim, prey);
}

}  // namespace ligament::pool::test
