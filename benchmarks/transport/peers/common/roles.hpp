// SPDX-License-Identifier: Apache-2.0
// The four roles of the transport benchmark's protocol, for any transport with
//
//   struct T {
//     using Node = ...;                                       // what a process needs once
//     struct Outlet {
//       Outlet(Node&, const std::string& topic, const Options&);
//       std::size_t subscribers();                            // matched now
//       std::optional<Published> publish(std::uint64_t sequence);
//     };
//     struct Inlet {
//       Inlet(Node&, const std::string& topic, const Options&);
//       std::size_t publishers();                             // matched now
//       std::optional<Message> take();                        // does not block
//       bool wait(std::int64_t timeout_ns);                   // false: nothing came
//       void listen(std::function<void(const Message&)>);     // for `subscribe` that sleeps
//     };
//   };
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "clock.hpp"
#include "figures.hpp"
#include "message.hpp"
#include "options.hpp"

namespace peer {

inline constexpr std::int64_t kMillisecond = 1'000'000;
// How long a publisher waits for its subscribers, and a subscriber for the first message.
inline constexpr std::int64_t kMatchTimeout = 30'000 * kMillisecond;
inline constexpr std::int64_t kFirstTimeout = 60'000 * kMillisecond;
// Silence that ends a subscriber.
inline constexpr std::int64_t kEndTimeout = 3'000 * kMillisecond;
inline constexpr std::int64_t kPause = 50 * kMillisecond;
// A writer knows its readers before they know it; on a busy machine by more than 200 ms.
inline constexpr std::int64_t kSettle = 500 * kMillisecond;
// Empty takes between two looks at the clock.
inline constexpr int kSpins = 256;

inline void ready() { std::cout << "ready" << std::endl; }

// False when it was not reached in time.
template <typename Reached>
bool wait_until(std::int64_t timeout_ns, Reached reached) {
  const std::int64_t end = now() + timeout_ns;
  while (!reached()) {
    if (now() > end || stopped()) return false;
    sleep_until(now() + kMillisecond);
  }
  return true;
}

template <typename Inlet>
std::optional<Message> spin(Inlet& inlet, std::int64_t timeout_ns) {
  std::int64_t end = 0;
  do {
    for (int i = 0; i < kSpins; ++i) {
      if (auto message = inlet.take()) return message;
      relax();
    }
    if (end == 0) end = now() + timeout_ns;
  } while (now() < end && !stopped());
  return std::nullopt;
}

// The next message; nothing when none came in time or when it is time to stop.
template <typename Inlet>
std::optional<Message> next(Inlet& inlet, Wait wait, std::int64_t timeout_ns) {
  if (wait == Wait::poll) return spin(inlet, timeout_ns);
  while (!stopped()) {
    if (auto message = inlet.take()) return message;
    if (!inlet.wait(timeout_ns)) return inlet.take();
  }
  return std::nullopt;
}

template <typename Inlet, typename Answer>
Received receive_all(const Options& options, Inlet& inlet, Answer answer) {
  Received figures(options);
  std::int64_t last = now();
  while (!stopped()) {
    if (const auto message = next(inlet, options.wait, kPause)) {
      answer(message->sequence);
      if (figures.add(*message)) break;
      last = message->received_at;
      continue;
    }
    figures.pause();
    if (now() - last > (figures.any() ? kEndTimeout : kFirstTimeout)) break;
  }
  return figures;
}

// Takes in the transport's own thread, which saves the wake-up of ours; the loop below only waits
// for the end. `listen` is given nothing before the figures go away.
template <typename Inlet>
Received receive_by_listener(const Options& options, Inlet& inlet) {
  Received figures(options);
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::int64_t last = now();
  inlet.listen([&](const Message& message) {
    const std::scoped_lock lock(mutex);
    last = message.received_at;
    if (!done && figures.add(message)) {
      done = true;
      changed.notify_one();
    }
  });
  ready();
  std::unique_lock lock(mutex);
  while (!done && !stopped()) {
    changed.wait_for(lock, std::chrono::nanoseconds(kPause));
    if (now() - last < kPause) continue;
    figures.pause();
    if (now() - last > (figures.any() ? kEndTimeout : kFirstTimeout)) break;
  }
  lock.unlock();
  inlet.listen(nullptr);
  return figures;
}

// Calls `step` for each sequence at its time, and `mark` before the first measured one.
template <typename Step, typename Mark>
void paced(const Options& options, Step step, Mark mark) {
  Pace pace(options.pacing_us, options.wait);
  for (std::uint64_t i = 1; i <= options.warmup + options.messages && !stopped(); ++i) {
    if (i == options.warmup + 1) mark();
    pace.wait();
    step(i);
  }
}

template <typename T>
std::string subscribe(const Options& options) {
  typename T::Node node(options);
  typename T::Inlet inlet(node, options.topic, options);
  if (options.wait == Wait::poll) {
    ready();
    return receive_all(options, inlet, [](std::uint64_t) {}).json("subscribe");
  }
  return receive_by_listener(options, inlet).json("subscribe");
}

template <typename T>
std::string publish(const Options& options) {
  typename T::Node node(options);
  typename T::Outlet outlet(node, options.topic, options);
  ready();
  if (!wait_until(kMatchTimeout, [&] { return outlet.subscribers() >= options.subscribers; })) {
    throw std::runtime_error("the subscribers did not come within 30 s");
  }
  sleep_until(now() + kSettle);
  Sent figures(options);
  const auto step = [&](std::uint64_t sequence) {
    const auto published = outlet.publish(sequence);
    if (sequence > options.warmup) figures.add(published);
  };
  paced(options, step, [&] { figures.mark(); });
  figures.mark();
  // A reliable writer repeats what was lost, and queues live in its process: stay until all left.
  wait_until(kEndTimeout + kSettle, [&] { return outlet.subscribers() == 0; });
  return figures.json();
}

template <typename T>
std::string pong(const Options& options) {
  typename T::Node node(options);
  typename T::Inlet inlet(node, options.topic + "_ping", options);
  typename T::Outlet outlet(node, options.topic + "_pong", options);
  ready();
  const Received figures =
      receive_all(options, inlet, [&](std::uint64_t sequence) { (void)outlet.publish(sequence); });
  wait_until(kEndTimeout, [&] { return outlet.subscribers() == 0; });
  return figures.json("pong");
}

// Nanoseconds from before the publish call to after the take of the answer.
template <typename T>
std::optional<std::int64_t> round_trip(typename T::Outlet& outlet, typename T::Inlet& inlet,
                                       Wait wait, std::uint64_t sequence) {
  const auto published = outlet.publish(sequence);
  if (!published) return std::nullopt;
  const std::int64_t end = now() + kEndTimeout;
  while (now() < end && !stopped()) {
    const auto answer = next(inlet, wait, kPause);
    if (answer && answer->sequence == sequence && !answer->torn) {
      return answer->received_at - published->sent_at;
    }
  }
  return std::nullopt;
}

template <typename T>
std::string ping(const Options& options) {
  typename T::Node node(options);
  typename T::Inlet inlet(node, options.topic + "_pong", options);
  typename T::Outlet outlet(node, options.topic + "_ping", options);
  ready();
  const auto matched = [&] { return outlet.subscribers() >= 1 && inlet.publishers() >= 1; };
  if (!wait_until(kMatchTimeout, matched)) {
    throw std::runtime_error("pong did not come within 30 s");
  }
  sleep_until(now() + kSettle);
  Rounds figures(options);
  const auto step = [&](std::uint64_t sequence) {
    const auto round = round_trip<T>(outlet, inlet, options.wait, sequence);
    if (sequence > options.warmup) figures.add(round);
  };
  paced(options, step, [&] { figures.mark(); });
  figures.mark();
  return figures.json();
}

template <typename T>
std::string run(const Options& options) {
  switch (options.role) {
    case Role::subscribe:
      return subscribe<T>(options);
    case Role::publish:
      return publish<T>(options);
    case Role::ping:
      return ping<T>(options);
    case Role::pong:
      return pong<T>(options);
  }
  return {};
}

}  // namespace peer
