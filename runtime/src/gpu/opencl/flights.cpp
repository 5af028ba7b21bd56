// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/flights.hpp"

#include <chrono>

namespace ligament::gpu::opencl {
namespace {

/// Told by the driver; outlives whoever waits, because a lost device may tell late.
struct Signal {
  std::mutex mutex;
  std::condition_variable told;
  bool is_told = false;
};
using SharedSignal = std::shared_ptr<Signal>;

void CL_CALLBACK tell(cl_event /*event*/, cl_int /*status*/, void* user_data) {
  const std::unique_ptr<SharedSignal> signal(static_cast<SharedSignal*>(user_data));
  const std::lock_guard lock((*signal)->mutex);
  (*signal)->is_told = true;
  (*signal)->told.notify_all();
}

Result<void> status_of(const std::vector<EventHandle>& events, const char* what) {
  for (const EventHandle& event : events) {
    cl_int state = CL_COMPLETE;
    (void)clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                         nullptr);
    if (state < 0) {
      return failed(what, state);
    }
  }
  return {};
}

}  // namespace

void keep_for_ever(std::shared_ptr<void> what) {
  static auto* const kept = new std::deque<std::shared_ptr<void>>;
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  kept->push_back(std::move(what));
}

Flights::Flights(std::chrono::nanoseconds deadline, Landed landed)
    : deadline_(deadline), landed_(std::move(landed)), thread_([this] { serve(); }) {}

Flights::~Flights() {
  wait_until_fewer_than(1);
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Flights::add(Flight&& flight) {
  {
    const std::lock_guard lock(mutex_);
    under_way_.push_back(std::move(flight));
  }
  changed_.notify_all();
}

void Flights::wait_until_fewer_than(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_.size() < count; });
}

bool Flights::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

void Flights::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !under_way_.empty(); });
    if (under_way_.empty()) {
      return;
    }
    Flight& flight = under_way_.front();  // stays where it is: a deque, and only we take from it
    lock.unlock();
    land(flight);
    lock.lock();
    under_way_.pop_front();
    changed_.notify_all();
  }
}

void Flights::lose(Flight& flight) {
  {
    const std::lock_guard lock(mutex_);
    is_lost_ = true;
  }
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_).count();
  flight.completion->ended(failure(ErrorCode::device_lost,
                                   flight.names + " did not end within " + std::to_string(limit) +
                                       " ms: the device is given up (LIGAMENT_GPU_DEADLINE_MS)"));
  keep_for_ever(std::make_shared<Flight>(std::move(flight)));
}

/// False: the deadline has passed.
bool Flights::wait_for(const Flight& flight) {
  const auto signal = std::make_shared<Signal>();
  auto* given = new SharedSignal(signal);
  if (clSetEventCallback(flight.last.get(), CL_COMPLETE, &tell, given) != CL_SUCCESS) {
    delete given;
    const cl_event event = flight.last.get();
    (void)clWaitForEvents(1, &event);
    return true;
  }
  std::unique_lock lock(signal->mutex);
  return signal->told.wait_for(lock, deadline_, [&] { return signal->is_told; });
}

void Flights::land(Flight& flight) {
  flight.completion->waiting();
  // After a loss the rest of the queue is not waited for: it is behind what does not end.
  if (flight.last.get() != nullptr && (is_lost() || !wait_for(flight))) {
    lose(flight);
    return;
  }
  for (const auto* events : {&flight.kernels, &flight.copies}) {
    const char* what = events == &flight.kernels ? "a kernel" : "a copy";
    if (auto done = status_of(*events, what); flight.result && !done) {
      flight.result = done;
    }
  }
  landed_(flight);
  flight.completion->ended(flight.result);
  flight.completion.reset();
}

}  // namespace ligament::gpu::opencl
