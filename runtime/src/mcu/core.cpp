// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ligament/logging.hpp>
#include <ligament/trace.hpp>
#include <mutex>
#include <thread>

#include "agent/agent.hpp"
#include "agent/rpmsg.hpp"
#include "mcu/core_trace.hpp"
#include "mcu/emulator.hpp"
#include "mcu/member_bus.hpp"

namespace ligament::mcu {

namespace {

constexpr std::int64_t millisecond_ns = 1'000'000;
constexpr std::int64_t longest_sleep_ms = 100;
constexpr std::int64_t restart_after_ns = 1'000'000'000;
constexpr int most_early_ends = 3;
/// A core that says nothing for so long while it starts is started anew.
constexpr std::int64_t silence_at_start_ns = 5'000'000'000;
constexpr std::chrono::seconds room_patience{1};
constexpr std::chrono::seconds patience{60};  // a watchdog: a core is there within a second

std::int64_t real_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::filesystem::path beside(const void* function, const std::string& name) {
  Dl_info info{};
  const bool is_known = ::dladdr(function, &info) != 0 && info.dli_fname != nullptr;
  return (is_known ? std::filesystem::path(info.dli_fname).parent_path() : ".") / name;
}

class Core::Implementation {
 public:
  explicit Implementation(ImagePlan plan)
      : plan_(std::move(plan)),
        agent_({.domain = 0,
                .silence_ns = 30'000'000'000,
                .log = [this](const std::string& text) { say(text); }},
               bus_, profiles_),
        stop_(::eventfd(0, EFD_CLOEXEC)) {}
  ~Implementation() {
    stop();
    ::close(stop_);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  std::string join(Node& node, std::vector<Input> inputs, std::vector<Output> outputs);
  void leave(const Node& node);
  void take(const Node& node, std::size_t input, Arrival&& arrival);

 private:
  std::string start();
  void stop();
  void run();
  bool begin();
  void begin_trace(const rpmsg::Map& map);
  void follow_trace(std::int64_t now);
  void end(const std::string& why);
  void work();
  [[nodiscard]] int sleep_ms(std::int64_t now);
  void report(const std::string& text);
  void say(const std::string& text) const {
    fmt::print("[{}] {}\n", plan_.device, text);
    std::fflush(stdout);
  }

  const ImagePlan plan_;
  std::mutex mutex_;  ///< guards all below it but the emulator, which is the thread's
  std::condition_variable changed_;
  xrce::Profiles profiles_;
  std::unique_ptr<CoreTrace> trace_;  ///< null: nothing is recorded
  MemberBus bus_;
  xrce::Agent agent_;
  std::unique_ptr<xrce::RpmsgTransport> transport_;
  rpmsg::Bell* bell_ = nullptr;        ///< the transport's
  Node* speaker_ = nullptr;            ///< whose errors the core's are
  std::string failure_;                ///< at the start
  std::atomic<bool> is_ready_{false};  ///< all entities were there once
  int early_ends_ = 0;                 ///< of the core, before that
  bool has_told_loss_ = false;

  int stop_;
  std::unique_ptr<Emulator> emulator_;
  std::int64_t start_at_ns_ = 0;
  std::int64_t heard_at_ns_ = 0;  ///< the client, or the start
  std::thread thread_;
};

std::string Core::Implementation::join(Node& node, std::vector<Input> inputs,
                                       std::vector<Output> outputs) {
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
    speaker_ = &node;
    if (bus_.nodes() < image.size()) {
      return {};
    }
  }
  return start();
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
  is_ready_ = has_come && failure_.empty();
  if (!has_come) {
    return fmt::format("{}: the core made {} of its {} publishers and subscriptions in {} s",
                       plan_.device, bus_.made(), bus_.ends(), patience.count());
  }
  return failure_;
}

void Core::Implementation::stop() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    thread_.join();
  }
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

void Core::Implementation::report(const std::string& text) {
  if (speaker_ != nullptr) {
    speaker_->report_error(plan_.device + ": " + text);
  }
}

/// The thread: the core runs while it does.
void Core::Implementation::run() {
  std::array<pollfd, 3> sources{{{stop_, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}}};
  while ((sources[0].revents & POLLIN) == 0) {
    const std::int64_t now = pool::monotonic_now_ns();
    const bool runs = emulator_->is_running();
    if (!runs && transport_) {
      end(emulator_->ended().empty() ? "it said nothing" : emulator_->ended());
    } else if (!runs && now >= start_at_ns_ && !begin()) {
      break;
    }
    {
      const std::lock_guard lock(mutex_);
      sources[1].fd = transport_ ? transport_->fd() : -1;
    }
    if (runs && !is_ready_ && now - heard_at_ns_ > silence_at_start_ns) {
      say("the core says nothing");
      emulator_->kill();
      continue;
    }
    sources[2].fd = emulator_->console();
    (void)::poll(sources.data(), sources.size(), sleep_ms(now));
    emulator_->read_console([this](const std::string& line) { say(line); });
    work();
  }
  const std::lock_guard lock(mutex_);
  if (trace_) {
    trace_->read(pool::monotonic_now_ns());  // the end of what the last message began
  }
  emulator_->kill();
  if (transport_) {
    agent_.close(*transport_);
  }
  transport_.reset();
}

/// False: it cannot be, and never will.
bool Core::Implementation::begin() {
  const MemoryPlan& memory = plan_.memory;
  xrce::RpmsgOptions options;
  options.map = {memory.base, memory.buffers, memory.buffer_size, memory.block_size, memory.blocks};
  options.log = [this](const std::string& text) { say(text); };
  heard_at_ns_ = pool::monotonic_now_ns();
  const auto area = rpmsg::Area::of(emulator_->memory(), memory.offset, options.map);
  auto bell =
      area ? emulator_->start(area->control().line_to_core) : unexpected<std::string>(area.error());
  const std::lock_guard lock(mutex_);
  if (!bell) {
    failure_ = plan_.device + ": " + bell.error();
    changed_.notify_all();
    return false;
  }
  bell_ = bell->get();
  begin_trace(options.map);
  transport_ = std::make_unique<xrce::RpmsgTransport>(std::move(options), *area, std::move(*bell));
  return true;
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

/// Events first: they say where the messages that come now are from.
void Core::Implementation::follow_trace(std::int64_t now) {
  if (!trace_) {
    return;
  }
  trace_->read(now);
  if (transport_->lost() != 0) {
    trace_->distrust();
  }
  if (trace_->ask(now)) {
    bell_->ring();
  }
}

void Core::Implementation::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  agent_.close(*transport_);
  transport_.reset();
  start_at_ns_ = pool::monotonic_now_ns() + restart_after_ns;
  const std::string text = fmt::format("the core is gone ({})", why);
  if (is_ready_) {
    report(text + ", and is started again");
  } else if (++early_ends_ < most_early_ends) {
    say(text + ", and is started again");
  } else {
    failure_ = fmt::format("{}: {} before its nodes were there, {} times; its console is above",
                           plan_.device, text, early_ends_);
    changed_.notify_all();
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
  const auto came = transport_->work([&](const xrce::Address& from, xrce::Bytes message) {
    agent_.receive(*transport_, from, message, now, real);
  });
  if (came == xrce::Transport::Came::end) {
    agent_.close(*transport_);
  } else if (came == xrce::Transport::Came::something) {
    heard_at_ns_ = now;
    agent_.flush(now);
    changed_.notify_all();
  }
}

int Core::Implementation::sleep_ms(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t until = agent_.tick(now) - now;
  return static_cast<int>(
      std::clamp<std::int64_t>(until / millisecond_ns + 1, 0, longest_sleep_ms));
}

Core::Core(ImagePlan plan) : implementation_(std::make_unique<Implementation>(std::move(plan))) {}
Core::~Core() = default;

std::string Core::join(Node& node, std::vector<Input> inputs, std::vector<Output> outputs) {
  return implementation_->join(node, std::move(inputs), std::move(outputs));
}
void Core::leave(const Node& node) { implementation_->leave(node); }
void Core::take(const Node& node, std::size_t input, Arrival&& arrival) {
  implementation_->take(node, input, std::move(arrival));
}

}  // namespace ligament::mcu
