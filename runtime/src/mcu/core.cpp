// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "mcu/core_implementation.hpp"

namespace ligament::mcu {

namespace {

constexpr std::chrono::seconds room_patience{1};
constexpr std::chrono::seconds clock_patience{2};
constexpr std::chrono::seconds patience{60};  // a watchdog: a core is there within a second

std::int64_t real_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Core::Implementation::Implementation(ImagePlan plan)
    : plan_(std::move(plan)),
      agent_({.domain = 0,
              .silence_ns = 30'000'000'000,
              .log = [this](const std::string& text) { say(text); }},
             bus_, profiles_),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  figures_.device = plan_.device;
  figures_.state = "starting";
}

Core::Implementation::~Implementation() {
  stop();
  ::close(stop_);
}

std::string Core::Implementation::join(Node& node, std::vector<Input> inputs,
                                       std::vector<Output> outputs,
                                       std::vector<std::function<void()>> offers) {
  {
    const std::lock_guard lock(mutex_);
    const auto& image = plan_.nodes;
    const auto found = std::find_if(image.begin(), image.end(), [&](const NodePlan& one) {
      return one.name == node.get_fully_qualified_name();
    });
    if (found == image.end()) {
      return fmt::format("{}: there is no node {} in the image: run `ligament build` again",
                         plan_.device, node.get_fully_qualified_name());
    }
    bus_.add(node, static_cast<std::size_t>(found - image.begin()), std::move(inputs),
             std::move(outputs));
    std::move(offers.begin(), offers.end(), std::back_inserter(offers_));
    speaker_ = &node;
    if (bus_.nodes() < image.size()) {
      return {};
    }
  }
  std::string failure = start();
  for (const auto& offer : std::exchange(offers_, {})) {
    if (failure.empty()) {
      offer();
    }
  }
  return failure;
}

std::string Core::Implementation::start() {
  const Board* board = find_board(plan_.board);
  if (board == nullptr) {
    return fmt::format("{}: there is no emulated board '{}'", plan_.device, plan_.board);
  }
  auto emulator = Emulator::make(*board, plan_.image, plan_.memory.shared_bytes);
  if (!emulator) {
    return plan_.device + ": " + emulator.error();
  }
  emulator_ = std::move(*emulator);
  thread_ = std::thread([this] { run(); });
  std::unique_lock lock(mutex_);
  const bool has_come = changed_.wait_for(
      lock, patience, [&] { return bus_.made() == bus_.ends() || !failure_.empty(); });
  if (has_come) {  // else a short run has no times of what the core did
    changed_.wait_for(lock, clock_patience,
                      [&] { return !trace_ || trace_->has_clock() || !failure_.empty(); });
  }
  is_ready_ = has_come && failure_.empty();
  if (!has_come) {
    return fmt::format("{}: the core made {} of its {} publishers and subscriptions in {} s",
                       plan_.device, bus_.made(), bus_.ends(), patience.count());
  }
  return failure_;
}

void Core::Implementation::leave(const Node& node) {
  stop();  // the first that goes takes the core with it: an image is whole
  const std::lock_guard lock(mutex_);
  bus_.remove(node);
  speaker_ = speaker_ == &node ? nullptr : speaker_;
}

void Core::Implementation::take(const Node& node, std::size_t input, Arrival&& arrival) {
  std::unique_lock lock(mutex_);
  // Meanwhile the pool keeps what comes, as the port's history says.
  changed_.wait_for(lock, room_patience, [&] { return bus_.has_room(node, input) || !transport_; });
  if (!bus_.put(node, input, std::move(arrival)) && !std::exchange(has_told_loss_, true)) {
    report("messages come faster than the core takes them: the oldest are dropped");
  }
  agent_.flush(pool::monotonic_now_ns());
}

void Core::Implementation::latch(const Node& node, std::size_t input,
                                 std::vector<std::byte> stored) {
  const std::lock_guard lock(mutex_);
  bus_.latch(node, input, std::move(stored));
  agent_.flush(pool::monotonic_now_ns());
}

void Core::Implementation::report(const std::string& text) {
  if (speaker_ != nullptr) {
    speaker_->report_error(plan_.device + ": " + text);
  }
}

/// Events first: they say where the messages that come now are from.
void Core::Implementation::follow_trace(std::int64_t now) {
  if (!trace_) {
    return;
  }
  const bool had_clock = trace_->has_clock();
  trace_->read(now);
  if (!had_clock && trace_->has_clock()) {
    changed_.notify_all();  // who waits for the start
  }
  if (transport_->lost() != 0) {
    trace_->distrust();
  }
  if (trace_->ask(now)) {
    bell_->ring();
  }
}

void Core::Implementation::work() {
  const std::lock_guard lock(mutex_);
  if (!transport_) {
    return;
  }
  const std::int64_t now = pool::monotonic_now_ns();
  const std::int64_t real = real_now_ns();
  follow_trace(now);
  if (follow_counts()) {
    agent_.flush(now);  // who waited for the response to such a request goes on
  }
  const auto came = transport_->work([&](const xrce::Address& from, xrce::Bytes message) {
    agent_.receive(*transport_, from, message, now, real);
  });
  if (came == xrce::Transport::Came::end) {
    agent_.close(*transport_);
  } else if (came == xrce::Transport::Came::something) {
    heard_at_ns_ = now;
    agent_.flush(now);
    changed_.notify_all();
    note_running();
  }
}

Core::Core(ImagePlan plan) : implementation_(std::make_unique<Implementation>(std::move(plan))) {}
Core::~Core() = default;

std::string Core::join(Node& node, std::vector<Input> inputs, std::vector<Output> outputs,
                       std::vector<std::function<void()>> offers) {
  return implementation_->join(node, std::move(inputs), std::move(outputs), std::move(offers));
}
detail::CoreFigures Core::figures() const { return implementation_->figures(); }
void Core::leave(const Node& node) { implementation_->leave(node); }
void Core::take(const Node& node, std::size_t input, Arrival&& arrival) {
  implementation_->take(node, input, std::move(arrival));
}

void Core::latch(const Node& node, std::size_t input, std::vector<std::byte> stored) {
  implementation_->latch(node, input, std::move(stored));
}

}  // namespace ligament::mcu
