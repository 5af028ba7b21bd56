// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-floor: what the machine itself charges for waking another process.
///
/// Two processes share one page. At each period one writes the time and wakes the other by futex;
/// the other sleeps in between and notes when it runs. Nothing else is done, so no middleware that
/// sleeps can be faster. Paced as the graph is paced: the price depends on the idle time before.
///
///   ligament-bench-floor --rate-hz 30 --wakes 150
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

namespace {

constexpr std::size_t max_wakes = 100'000;

/// The page. `turn` counts wakes; the sleeper writes `woke_ns[turn - 1]`.
struct Shared {
  std::atomic<std::uint32_t> turn;
  std::atomic<std::uint32_t> seen;
  std::atomic<std::int64_t> sent_ns;
  std::int64_t latency_ns[max_wakes];
};

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr,
            0);
}

void sleep_until(std::int64_t time_ns) {
  const timespec until{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

/// The process that is woken.
void take_wakes(Shared& shared, std::uint32_t wakes) {
  for (std::uint32_t turn = 1; turn <= wakes; ++turn) {
    // Acquire: pairs with the waker's release of `turn`, which publishes `sent_ns`.
    while (shared.turn.load(std::memory_order_acquire) < turn) {
      futex(shared.turn, FUTEX_WAIT, turn - 1);
    }
    shared.latency_ns[turn - 1] = now_ns() - shared.sent_ns.load(std::memory_order_relaxed);
    shared.seen.store(turn, std::memory_order_release);
  }
}

/// The process that wakes, once per period.
void send_wakes(Shared& shared, std::uint32_t wakes, std::int64_t period_ns) {
  std::int64_t next = now_ns() + period_ns;
  for (std::uint32_t turn = 1; turn <= wakes; ++turn, next += period_ns) {
    sleep_until(next);
    shared.sent_ns.store(now_ns(), std::memory_order_relaxed);
    shared.turn.store(turn, std::memory_order_release);
    futex(shared.turn, FUTEX_WAKE, 1);
    // The next wake must find a sleeper; a machine that is far too slow is waited for.
    while (shared.seen.load(std::memory_order_acquire) < turn) {
      sleep_until(now_ns() + 50'000);
    }
  }
}

double nearest_rank(const std::vector<std::int64_t>& ordered, double fraction) {
  const auto rank = std::ceil(fraction * static_cast<double>(ordered.size()));
  return static_cast<double>(ordered[static_cast<std::size_t>(std::max(1.0, rank)) - 1]);
}

nlohmann::json row_of(std::vector<std::int64_t> values, double rate_hz) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const auto value : values) {
    mean += static_cast<double>(value) / count;
  }
  double squares = 0;
  for (const auto value : values) {
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  return {{"bench", "floor"},
          {"params", {{"pacing_us", 1e6 / rate_hz}, {"wait", "futex"}}},
          {"peer", "futex"},
          {"metric", "one_way"},
          {"unit", "ns"},
          {"n", values.size()},
          {"p50", nearest_rank(values, 0.5)},
          {"p99", nearest_rank(values, 0.99)},
          {"mean", mean},
          {"sd", values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0.0}};
}

}  // namespace

int main(int argc, char** argv) {
  double rate_hz = 30;
  std::uint32_t wakes = 150;
  CLI::App app("what waking another process costs here, without any middleware");
  app.add_option("--rate-hz", rate_hz, "wakes per second")->check(CLI::PositiveNumber);
  app.add_option("--wakes", wakes, "how many")->check(CLI::Range(2U, unsigned{max_wakes}));
  CLI11_PARSE(app, argc, argv);

  void* page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (page == MAP_FAILED) {
    std::perror("ligament-bench-floor: mmap");
    return 1;
  }
  auto& shared = *new (page) Shared;
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("ligament-bench-floor: fork");
    return 1;
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    take_wakes(shared, wakes);
    ::_exit(0);
  }
  send_wakes(shared, wakes, static_cast<std::int64_t>(1e9 / rate_hz));
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) {
    std::fputs("ligament-bench-floor: the woken process died\n", stderr);
    return 1;
  }
  std::printf("%s\n",
              row_of({shared.latency_ns, shared.latency_ns + wakes}, rate_hz).dump().c_str());
  return 0;
}
