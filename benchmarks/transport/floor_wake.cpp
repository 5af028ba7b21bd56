// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <nlohmann/json.hpp>

#include "clock.hpp"
#include "ends.hpp"
#include "floor.hpp"
#include "record.hpp"

namespace ligament::bench {

namespace {

int sleepers_of(const Options& options) { return options.floor == Floor::broadcast ? INT_MAX : 1; }

/// Beside the word that publishes it, or in another line.
template <typename AnyCall>
auto& stamp_of(AnyCall& call, const Options& options) {
  return options.floor == Floor::lines ? call.apart_ns : call.sent_ns;
}

/// One message: the stamp, the word that publishes it, and the wake where somebody sleeps.
std::int64_t send(FloorPage::Call& call, std::uint32_t turn, const Options& options) {
  const std::int64_t sent = now_ns();
  stamp_of(call, options).store(sent, std::memory_order_relaxed);
  call.turn.store(turn, std::memory_order_release);
  if (options.wait == Wait::sleep) {
    wake_sleepers(call.turn, sleepers_of(options));
  }
  return sent;
}

/// A process that receives; with `ping` it answers each message.
void receive_all(const FloorPage& page, std::size_t index, const Options& options) {
  const auto latencies = page.latencies(index);
  auto& own = page.child(index);
  Span span;
  for (std::uint32_t turn = 1; turn <= options.total(); ++turn) {
    await_word(page.call().turn, turn, options.wait);
    // Before the clock: a message is received once it has been read.
    const std::int64_t sent = stamp_of(page.call(), options).load(std::memory_order_relaxed);
    const std::int64_t now = now_ns();
    if (options.role == Role::ping) {
      (void)send(page.answer(), turn, options);
    }
    if (turn > options.warmup) {
      latencies[turn - options.warmup - 1] = now - sent;
    }
    if (turn == options.warmup + 1) {
      span.begin(now);
    }
    if (turn == options.total()) {
      span.end(now);
    }
    own.seen.store(turn, std::memory_order_release);
  }
  own.cpu_ns = span.cpu_ns();
  own.wall_ns = span.wall_ns();
}

std::vector<pid_t> start_receivers(const FloorPage& page, const Options& options) {
  std::vector<pid_t> children;
  const pid_t parent = ::getpid();
  for (std::size_t index = 0; index < options.subscribers; ++index) {
    const pid_t child = ::fork();
    if (child < 0) {
      fail("fork failed");
    }
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) {
        ::_exit(1);  // it died before it could be asked for
      }
      receive_all(page, index, options);
      ::_exit(0);
    }
    children.push_back(child);
  }
  return children;
}

/// The next message must find everybody done with the last one, or it overwrites its stamp.
void await_receivers(const FloorPage& page, std::uint32_t turn) {
  for (auto& child : page.children()) {
    while (child.seen.load(std::memory_order_acquire) < turn) {
      sleep_until(now_ns() + 20'000);
    }
  }
}

struct Sent {
  std::vector<std::int64_t> publish_ns;
  std::vector<std::int64_t> round_trip_ns;
  Span span;
};

void send_all(const FloorPage& page, const Options& options, Sent& sent) {
  Pacer pacer(options);
  for (std::uint32_t turn = 1; turn <= options.total(); ++turn) {
    pacer.wait();
    if (options.role != Role::ping) {
      await_receivers(page, turn - 1);
    }
    if (turn == options.warmup + 1) {
      sent.span.begin(now_ns());
    }
    const std::int64_t begin = send(page.call(), turn, options);
    const std::int64_t end = now_ns();
    if (options.role == Role::ping) {
      await_word(page.answer().turn, turn, options.wait);
    }
    if (turn > options.warmup) {
      sent.publish_ns.push_back(end - begin);
      sent.round_trip_ns.push_back(now_ns() - begin);
    }
  }
  sent.span.end(now_ns());
}

void print_receivers(const FloorPage& page, const Options& options) {
  for (std::size_t index = 0; index < options.subscribers; ++index) {
    const auto latencies = page.latencies(index);
    print_line({{"role", "subscribe"},
                {"index", index},
                {"received", options.messages},
                {"lost", 0},
                {"latency_ns", std::vector<std::int64_t>(latencies.begin(), latencies.end())},
                {"cpu_ns", page.child(index).cpu_ns},
                {"wall_ns", page.child(index).wall_ns}});
  }
}

void print_sender(const Options& options, const Sent& sent) {
  nlohmann::json line = {
      {"failed", 0}, {"cpu_ns", sent.span.cpu_ns()}, {"wall_ns", sent.span.wall_ns()}};
  if (options.role == Role::ping) {
    line["role"] = "ping";
    line["round_trip_ns"] = sent.round_trip_ns;
  } else {
    line["role"] = "publish";
    line["sent"] = options.messages;
    line["publish_ns"] = sent.publish_ns;
    line["loan_publish_ns"] = sent.publish_ns;
  }
  print_line(line);
}

}  // namespace

int wake_floor(const Options& options) {
  const FloorPage page(options.subscribers, options.messages);
  const auto children = start_receivers(page, options);
  Sent sent{make_series(options.messages), make_series(options.messages), {}};
  send_all(page, options, sent);
  for (const pid_t child : children) {
    int status = 0;
    if (::waitpid(child, &status, 0) < 0 || status != 0) {
      fail("a receiving process of the floor died");
    }
  }
  if (options.role != Role::ping) {
    print_receivers(page, options);
  }
  print_sender(options, sent);
  return 0;
}

}  // namespace ligament::bench
