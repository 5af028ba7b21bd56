// SPDX-License-Identifier: Apache-2.0
// The life of a core: spec/device/mcu.md, section 4.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ligament/trace.hpp>
#include <utility>

#include "mcu/core_implementation.hpp"

namespace ligament::mcu {

namespace {

constexpr std::int64_t longest_sleep_ms = 100;
constexpr int most_early_ends = 3;
/// A core that says nothing for so long while it starts is started anew.
constexpr std::int64_t silence_at_start_ns = 5'000'000'000;

constexpr std::int64_t millisecond_ns = 1'000'000;

}  // namespace

detail::CoreFigures Core::Implementation::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

void Core::Implementation::note_start() {
  is_up_ = false;
  const std::lock_guard lock(figures_mutex_);
  figures_.state = "starting";
  ++figures_.starts;
}

void Core::Implementation::note_running() {
  if (!is_up_ && bus_.made() == bus_.ends()) {
    is_up_ = true;
    const std::lock_guard lock(figures_mutex_);
    figures_.state = "running";
  }
}

void Core::Implementation::note_end(const std::string& why) {
  const std::lock_guard lock(figures_mutex_);
  figures_.state = "crashed";
  ++figures_.ends;
  figures_.last_end = why;
}

void Core::Implementation::stop() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    thread_.join();
  }
}

/// The thread: the core runs while it does.
void Core::Implementation::run() {
  std::array<pollfd, 3> sources{{{stop_, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}}};
  while ((sources[0].revents & POLLIN) == 0) {
    const std::int64_t now = pool::monotonic_now_ns();
    bool runs = emulator_->is_running();
    if (!runs && transport_) {
      end(fmt::format("the core is gone ({})",
                      emulator_->ended().empty() ? "it said nothing" : emulator_->ended()));
    } else if (!runs && now >= start_at_ns_ && !begin()) {
      break;
    }
    runs = emulator_->is_running();
    if (runs && is_silent(now)) {
      say("the core says nothing");
      emulator_->kill();
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      sources[1].fd = transport_ ? transport_->fd() : -1;
    }
    sources[2].fd = runs ? emulator_->console() : -1;  // one that is gone is always readable
    (void)::poll(sources.data(), sources.size(), sleep_ms(now));
    emulator_->read_console([this](const std::string& line) { say(line); });
    work();
    end_stopped();
  }
  const std::lock_guard lock(mutex_);
  if (transport_) {
    (void)follow_counts();  // the core is gone: what waits for it stays
  }
  if (trace_) {
    trace_->read_last(pool::monotonic_now_ns());  // the end of what the last message began
  }
  emulator_->kill();
  if (transport_) {
    agent_.close(*transport_);
  }
  transport_.reset();
}

/// It starts, or its client is lost, and has not said anything for long.
bool Core::Implementation::is_silent(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  return bus_.made() < bus_.ends() && now - heard_at_ns_ > silence_at_start_ns;
}

/// False: it cannot be, and never will.
bool Core::Implementation::begin() {
  const MemoryPlan& memory = plan_.memory;
  xrce::RpmsgOptions options;
  options.map = {memory.base, memory.buffers, memory.buffer_size, memory.block_size, memory.blocks};
  options.log = [this](const std::string& text) { say(text); };
  heard_at_ns_ = began_at_ns_ = pool::monotonic_now_ns();
  const auto area = rpmsg::Area::of(emulator_->memory(), memory.offset, options.map);
  auto bell =
      area ? emulator_->start(area->control().line_to_core) : unexpected<std::string>(area.error());
  const std::lock_guard lock(mutex_);
  if (!bell) {
    failure_ = plan_.device + ": " + bell.error();
    changed_.notify_all();
    return false;
  }
  note_start();
  bell_ = bell->get();
  begin_counts(options.map);
  begin_trace(options.map);
  transport_ = std::make_unique<xrce::RpmsgTransport>(std::move(options), *area, std::move(*bell));
  return true;
}

void Core::Implementation::begin_counts(const rpmsg::Map& map) {
  if (!counts_) {
    auto ring = map_ring(emulator_->memory(), plan_.memory.offset, map);
    if (!ring) {
      return report(ring.error());
    }
    counts_ = std::make_unique<CoreCounts>(std::move(*ring));
  }
  counts_->reset();
  bus_.begin_life();
}

bool Core::Implementation::follow_counts() {
  const bool found = counts_ && bus_.follow(*counts_);
  if (counts_ && counts_->wrong() != 0 && !std::exchange(has_told_wrong_, true)) {
    report("the core says that it refused more messages than it got: such counts are left out");
  }
  return found;
}

void Core::Implementation::begin_trace(const rpmsg::Map& map) {
  if (!trace_ && trace::enabled()) {
    auto made = CoreTrace::make(emulator_->memory(), plan_.memory.offset, map, plan_.device);
    if (!made) {
      report(made.error());
      return;
    }
    trace_ = std::move(*made);
    bus_.set_trace(trace_.get());
  }
  if (trace_) {
    trace_->reset(bus_.traced(plan_.nodes));
  }
}

/// Firmware that has stopped, while its emulator goes on.
void Core::Implementation::end_stopped() {
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    why = transport_ ? transport_->stopped() : "";
  }
  if (!why.empty()) {
    emulator_->kill();
    // What it said last.
    emulator_->read_console([this](const std::string& line) { say(line); });
    end(why);
  }
}

void Core::Implementation::end(const std::string& what) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = pool::monotonic_now_ns();
  (void)follow_counts();  // and no flush: what waits for the core stays
  if (trace_) {
    trace_->read_last(now);  // what it did last
  }
  agent_.close(*transport_);
  transport_.reset();
  changed_.notify_all();  // nobody waits for its room now
  note_end(what);
  start_at_ns_ = now + pause_.after_end(now - began_at_ns_);
  const std::string text = fmt::format("{}, and is started again{}", what, pause_.text());
  if (is_ready_) {
    report(text);
  } else if (++early_ends_ < most_early_ends) {
    say(text);
  } else {
    failure_ = fmt::format("{}: {} before its nodes were there, {} times; its console is above",
                           plan_.device, what, early_ends_);
  }
}

int Core::Implementation::sleep_ms(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t until = agent_.tick(now) - now;
  return static_cast<int>(
      std::clamp<std::int64_t>(until / millisecond_ns + 1, 0, longest_sleep_ms));
}

}  // namespace ligament::mcu
