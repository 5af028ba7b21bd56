// SPDX-License-Identifier: Apache-2.0
/// \file Submits that are under way, and the thread that waits for them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "gpu/opencl/clock.hpp"
#include "gpu/opencl/memory.hpp"

namespace ligament::gpu::opencl {

/// What the thread of Flights sleeps on. Outlives it: the driver of a lost device may ring late.
struct Bell {
  std::mutex mutex;  ///< guards all of Flights
  std::condition_variable rung;
  std::set<std::uint64_t> landed;  ///< numbers of flights that the driver has told
};

/// One submit.
struct Flight {
  std::uint64_t number = 0;  ///< in the order of the submits
  bool is_told = false;      ///< its completion knows that it is waited for
  std::vector<EventHandle> kernels;
  std::vector<EventHandle> copies;
  std::vector<Timed> timed;  ///< of these, where its completion wants the times
  EventHandle last;          ///< done when all of it is; empty: nothing was enqueued
  Lease lease;
  std::vector<std::shared_ptr<Resident>> residents;  ///< that its kernels use
  std::string names;                                 ///< of its kernels, for sentences
  Result<void> result;  ///< an error of enqueuing; what was enqueued before it still runs
  std::unique_ptr<Completion> completion;
};

/// They land in the order in which they took off, on a thread of this object, whichever queue of
/// the device was faster.
class Flights {
 public:
  using Landed = std::function<void(Flight& flight)>;

  /// `landed` is called for each before its completion: counts, and gives buffers back.
  Flights(std::chrono::nanoseconds deadline, Landed landed);
  ~Flights();
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;

  void add(Flight&& flight);
  void wait_until_fewer_than(std::size_t count);
  /// The driver gave the device up, or a flight did not land in time.
  [[nodiscard]] bool is_lost() const;
  /// In the latter case what the device works on can never be given back.
  [[nodiscard]] bool may_still_work() const;

 private:
  void serve();
  void land(Flight& flight);
  void lose(Flight& flight);
  void give_up(bool may_still_work);
  using Clock = std::chrono::steady_clock;
  void wait_for_front(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool has_landed(const Flight& flight) const;
  [[nodiscard]] bool is_overdue() const { return Clock::now() >= front_since_ + deadline_; }

  const std::chrono::nanoseconds deadline_;
  const Landed landed_;
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  std::condition_variable changed_;  ///< for those who submit: there is room
  std::uint64_t last_number_ = 0;
  std::deque<Flight> under_way_;     ///< the one that is waited for included
  Clock::time_point front_since_{};  ///< since when the first one is the first
  bool is_lost_ = false;
  bool may_still_work_ = false;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace ligament::gpu::opencl
