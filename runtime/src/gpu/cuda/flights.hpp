// SPDX-License-Identifier: Apache-2.0
/// \file Submits that are under way on a CUDA device, and the thread that waits for them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "gpu/cuda/clock.hpp"
#include "gpu/cuda/memory.hpp"

namespace ligament::gpu::cuda {

/// Bytes that the host copies once the device is done (unified memory).
struct HostCopy {
  std::span<std::byte> to;
  const std::byte* from = nullptr;
};

/// One submit.
struct Flight {
  std::vector<Step> steps;
  std::shared_ptr<const Reference> reference;  ///< where its completion wants the times
  EventHandle last;  ///< done when all of it is; empty: nothing was enqueued
  std::vector<HostCopy> host_copies;
  Lease lease;
  std::vector<std::shared_ptr<Resident>> residents;  ///< that its kernels use
  std::string names;                                 ///< of its kernels, for sentences
  Result<void> result;  ///< an error of enqueuing; what was enqueued before it still runs
  std::unique_ptr<Completion> completion;
};

/// They land in the order in which they took off, on a thread of this object.
class Flights {
 public:
  using Landed = std::function<void(Flight& flight)>;

  /// `landed` is called for each before its completion: counts, and gives buffers back.
  Flights(const Device& device, std::chrono::nanoseconds deadline, Landed landed);
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
  struct Signal;
  void serve();
  void land(Flight& flight);
  void lose(Flight& flight);
  /// False: the deadline has passed.
  [[nodiscard]] bool wait_for(Flight& flight);
  void give_up(bool may_still_work);

  const Device& device_;
  const std::chrono::nanoseconds deadline_;
  const Landed landed_;
  std::shared_ptr<Signal> signal_;
  std::uint64_t asked_ = 0;  ///< times that the driver is to tell; of the thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Flight> under_way_;  ///< the one that is waited for included
  bool is_lost_ = false;
  bool may_still_work_ = false;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace ligament::gpu::cuda
