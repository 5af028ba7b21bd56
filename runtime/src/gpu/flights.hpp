// SPDX-License-Identifier: Apache-2.0
/// \file Submits that are in flight, and the thread that waits for them: the same for all
/// back-ends, whose flights know their driver.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <ligament/gpu.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ligament::gpu {

/// What the thread of Flights sleeps on. Outlives it: the driver of a lost device may ring late.
struct Bell {
  std::mutex mutex;  ///< guards all of Flights
  std::condition_variable rung;
  std::set<std::uint64_t> landed;  ///< numbers of flights that the driver has told
  std::uint64_t last_gone = 0;     ///< up to this number nobody waits for being told any more
  std::size_t to_ring = 0;         ///< times that it is still to tell
};

/// What a driver keeps until it tells that a flight has landed.
class Told {
 public:
  Told(std::shared_ptr<Bell> bell, std::uint64_t number);
  ~Told();
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  /// In any thread. Drivers give back the pointer that they were given; this is its end.
  static void tell(void* told);

 private:
  std::shared_ptr<Bell> bell_;
  std::uint64_t number_;
};

/// One submit.
class Flight {
 public:
  virtual ~Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// Whether the device was given anything to do.
  [[nodiscard]] virtual bool has_work() const = 0;
  /// Has the driver call Told::tell() when it has landed; on the thread that launches. False: the
  /// driver will not.
  [[nodiscard]] virtual bool ask_to_be_told(Told* told) = 0;
  /// Asks the driver, without waiting.
  [[nodiscard]] virtual bool has_landed() = 0;
  /// It has, or had nothing to do: fills in the result, counts, and gives buffers back.
  virtual void land() = 0;

  std::vector<std::shared_ptr<Resident>> residents;  ///< that its kernels use
  std::string names;                                 ///< of its kernels, for sentences
  Result<void> result;  ///< an error of enqueuing; what was enqueued before it still runs
  std::unique_ptr<Completion> completion;

 protected:
  Flight() = default;

 private:
  friend class Flights;
  std::uint64_t number_ = 0;     ///< in the order of the submits
  bool is_waited_for_ = false;   ///< its completion knows that it is
  bool is_surely_told_ = false;  ///< by the driver, whatever becomes of it
};

/// They land in the order in which they took off, on a thread of this object, whichever queue of
/// the device was faster.
class Flights {
 public:
  /// `tells_faults`: the driver tells of every end. Else flights are asked now and then, too.
  Flights(std::chrono::nanoseconds deadline, bool tells_faults);
  ~Flights();
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;

  void add(std::unique_ptr<Flight> flight);
  void wait_until_fewer_than(std::size_t count);
  /// The driver gave the device up, or a flight did not land in time.
  [[nodiscard]] bool is_lost() const;
  /// In the latter case what the device works on can never be given back.
  [[nodiscard]] bool may_still_work() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Of the first one.
  enum class Wait : std::uint8_t { landed, overdue, none_will_come };

  void serve();
  [[nodiscard]] Wait wait_for_front(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool ask(Flight& flight);
  [[nodiscard]] bool has_landed(Flight& flight, std::unique_lock<std::mutex>& lock);
  void land(Flight& flight);
  void lose(std::unique_ptr<Flight> flight);
  void give_up(bool may_still_work);

  const std::chrono::nanoseconds deadline_;
  const bool tells_faults_;
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  std::condition_variable changed_;                ///< for those who submit: there is room
  std::uint64_t last_number_ = 0;                  ///< of the thread that launches
  std::deque<std::unique_ptr<Flight>> under_way_;  ///< the one that is waited for included
  Clock::time_point front_since_{};                ///< since when the first one is the first
  bool is_lost_ = false;
  bool may_still_work_ = false;
  bool is_ending_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace ligament::gpu
