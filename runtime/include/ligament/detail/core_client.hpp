// SPDX-License-Identifier: Apache-2.0
/// \file Calls of a service by a core (spec/device/fpga.md, Clients): each request that leaves the
/// design is answered with one message, a response or a frame that says there is none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ligament/timer.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace ligament::fpga {

class Design;
class Member;

/// What a manifest says of a client.
struct ClientLimits {
  std::size_t in_flight = 1;                           ///< requests that may be open at once
  std::chrono::nanoseconds time_limit{1'000'000'000};  ///< from a request to its response
};

class CoreClient : public std::enable_shared_from_this<CoreClient> {
 public:
  using Stored = std::shared_ptr<const std::vector<std::byte>>;
  /// Called once for each request: with the stored response, or null where there is none.
  using Answered = std::function<void(Stored)>;

  /// The client, whatever the service's type is.
  struct Server {
    std::function<bool()> is_ready;
    /// Sends a stored request that may go so long without a response. False: it is no request.
    std::function<bool(std::span<const std::byte>, std::chrono::nanoseconds, Answered)> send;
    /// Counts a request that waited in vain for a server.
    std::function<void()> give_up;
  };

  /// Responses go in at `entry`, in the turn of `member`, which lives at least as long as it.
  [[nodiscard]] static std::shared_ptr<CoreClient> create(Member& member, Design& design,
                                                          std::size_t entry, ClientLimits limits,
                                                          Server server);

  /// A request has left the core, with this number. The design's turn is held: nothing enters it
  /// before this has returned. From any thread.
  void ask(std::uint16_t number, std::span<const std::byte> request);
  /// Whether a request has no response yet that has entered the design.
  [[nodiscard]] bool is_waiting() const;

 private:
  struct Call {
    std::uint16_t number = 0;
    std::int64_t limit_ns = 0;       ///< when it is given up (CLOCK_MONOTONIC)
    std::vector<std::byte> request;  ///< until it is sent
    bool is_sent = false;
  };
  struct Answer {
    std::uint16_t number = 0;
    Stored response;  ///< null: there is none
  };

  CoreClient(Member& member, Design& design, std::size_t entry, ClientLimits limits, Server server);
  [[nodiscard]] const char* enter(std::uint16_t number, std::span<const std::byte> request);
  void send_waiting();
  void send(Call call);
  void answered(std::uint16_t number, Stored response);
  void put_off(Answer&& answer);
  void deliver(const Answer& answer);
  void look();

  Member& member_;
  Design& design_;
  std::size_t entry_;
  ClientLimits limits_;
  Server server_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<Call> calls_;
  std::vector<Answer> put_off_;  ///< they came while the design's turn was held
  std::shared_ptr<TimerBase> again_;
};

}  // namespace ligament::fpga
