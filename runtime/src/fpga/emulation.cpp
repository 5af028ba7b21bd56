// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <ligament/fpga_emulation.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace ligament::fpga {

/// Where the two threads hand over sets and answers.
struct Emulation::Desk {
  explicit Desk(NativeCore given) : core(std::move(given)) {}

  NativeCore core;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable moved;
  std::optional<std::vector<StoredMessage>> set;
  std::optional<Answer> answer;
  bool over = false;

  static void serve(const std::shared_ptr<Desk>& desk) {
    std::unique_lock lock(desk->mutex);
    while (true) {
      desk->moved.wait(lock, [&] { return desk->over || desk->set.has_value(); });
      if (desk->over) {
        return;
      }
      const std::vector<StoredMessage> set = std::move(*desk->set);
      desk->set.reset();
      lock.unlock();
      Answer answer = desk->core(set);
      lock.lock();
      desk->answer = std::move(answer);
      desk->moved.notify_all();
    }
  }
};

namespace {

using Seconds = std::chrono::duration<double>;

/// How much longer than it computes a core may take: it may have to wait for a processor.
constexpr double most_waiting = 20;

/// Processor time of a thread. Unit: s.
double processor_time(std::thread& thread) {
  clockid_t clock = 0;
  timespec now{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0 ||
      clock_gettime(clock, &now) != 0) {
    return 0;
  }
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

Emulation::Emulation(NativeCore core, double patience_s)
    : desk_(std::make_shared<Desk>(std::move(core))), patience_s_(patience_s) {
  desk_->thread = std::thread([desk = desk_] { Desk::serve(desk); });
}

Emulation::~Emulation() {
  if (isolated_) {
    return;  // its thread has been let go
  }
  {
    const std::lock_guard lock(desk_->mutex);
    desk_->over = true;
  }
  desk_->moved.notify_all();
  desk_->thread.join();
}

Answer Emulation::run(std::vector<StoredMessage> inputs) {
  const std::string limit =
      fmt::format("it gave no answer within {:g} s of processor time", patience_s_);
  if (isolated_) {
    return {{}, limit};
  }
  const double worked = processor_time(desk_->thread);
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(desk_->mutex);
  desk_->set = std::move(inputs);
  desk_->moved.notify_all();
  while (!desk_->moved.wait_for(lock, std::chrono::milliseconds(100),
                                [this] { return desk_->answer.has_value(); })) {
    const Seconds passed = std::chrono::steady_clock::now() - began;
    if (processor_time(desk_->thread) - worked > patience_s_ ||
        passed.count() > most_waiting * patience_s_) {
      isolated_ = true;
      desk_->thread.detach();
      return {{}, limit};
    }
  }
  return *std::exchange(desk_->answer, std::nullopt);
}

// --- nodes ---------------------------------------------------------------------------------------

EmulatedNode::EmulatedNode(const std::string& name, const NodeOptions& options)
    : Node(name, options) {}

EmulatedNode::~EmulatedNode() = default;

void EmulatedNode::start(NativeCore core, double patience_s, std::function<void()> set_registers) {
  set_registers_ = std::move(set_registers);
  emulation_ = std::make_unique<Emulation>(std::move(core), patience_s);
}

void EmulatedNode::take(std::size_t place, Waiting&& waiting) {
  waiting_[place].push_back(std::move(waiting));
  const bool whole = std::none_of(waiting_.begin(), waiting_.end(),
                                  [](const auto& messages) { return messages.empty(); });
  if (whole) {
    work();
  }
}

/// One message of each input, the k-th ones.
void EmulatedNode::work() {
  // A core that does not return keeps what it was given: copies, so that the pool's are not held.
  std::vector<StoredMessage> set;
  const trace::MessageIdentity message = waiting_.front().front().message;
  for (auto& messages : waiting_) {
    const auto bytes = messages.front().bytes;
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
    set.emplace_back(begin, begin + bytes.size());
    messages.pop_front();
  }
  if (emulation_->is_isolated()) {
    return;  // swallowed
  }
  if (set_registers_) {
    set_registers_();
  }
  trace::Span span(*this, "sw_emu", trace::Category::compute, message);
  const Answer answer = emulation_->run(std::move(set));
  span.finish();
  if (!answer.problem.empty()) {
    refuse(answer.problem + (emulation_->is_isolated() ? "; it gets no further message" : ""));
    return;
  }
  for (std::size_t i = 0; i < publish_.size(); ++i) {
    const trace::Span copy(*this, "into the pool", trace::Category::copy, message);
    publish_[i](std::as_bytes(std::span(answer.outputs.at(i))));
  }
}

void EmulatedNode::refuse(const std::string& why) {
  if (std::find(told_.begin(), told_.end(), why) == told_.end()) {
    told_.push_back(why);
    report_error("a message gives no output: " + why);
  }
}

}  // namespace ligament::fpga
