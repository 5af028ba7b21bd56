// SPDX-License-Identifier: Apache-2.0
/// \file From the pool into DDS: one topic. Samples are sent from where they lie and held until the
/// engine needs them no more.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/edge/service_routes.hpp"

namespace ligament::edge {

struct OutboundFigures {
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  std::uint64_t copied = 0;   ///< samples whose payload was copied to be sent
  std::uint64_t lost = 0;     ///< a newer one took its place, in the pool or while it waited here
  std::uint64_t refused = 0;  ///< the engine does not take it, or the route ended before it did
  /// The engine overwrote it when large ones came, and some reader had not acknowledged it: if that
  /// one lacks it, it stays so.
  std::uint64_t unconfirmed = 0;
  std::uint64_t held_back = 0;  ///< takes that found max_held samples still with the engine
  std::uint64_t looks = 0;      ///< for room, while a sample waited for it in vain
  bool operator==(const OutboundFigures&) const = default;

  void add(const OutboundFigures& more) {
    using Own = OutboundFigures;
    for (const auto figure : {&Own::sent, &Own::bytes, &Own::copied, &Own::lost, &Own::refused,
                              &Own::unconfirmed, &Own::held_back, &Own::looks}) {
      this->*figure += more.*figure;
    }
  }
};

class OutboundRoute {
 public:
  /// Where the samples of each publisher of the topic go; without a writer: not by this route.
  using ProxyWriters = std::map<std::uint64_t, ProxyWriter>;
  /// `wanted` says topic, type and QoS (section 6). `waiter` is that of the thread that pumps.
  struct Spec {
    pool::EndpointDescription wanted;
    MarkOf mark_of{};
    std::shared_ptr<pool::Waiter> waiter;
    bool idle = false;  ///< it keeps what it hears until it takes over
  };

  /// Joins the topic as a subscription.
  [[nodiscard]] static expected<std::unique_ptr<OutboundRoute>, std::string> open(
      pool::Domain& domain, Spec spec, ProxyWriters proxies);
  ~OutboundRoute();
  OutboundRoute(const OutboundRoute&) = delete;
  OutboundRoute& operator=(const OutboundRoute&) = delete;

  /// Samples of this publisher go to this writer. Replaces what was said before; an empty map
  /// stops all. A writer is destroyed only after it has been taken out here.
  void set_writers(ProxyWriters writers);
  /// Of a publisher that has left: sends what it has left behind, then takes its writer out.
  void forget(std::uint64_t publisher);
  /// Goes on where that one, of the same topic, has stopped, with what waits there: no sample is
  /// left out, and none goes twice. Until then this one has sent nothing: open it `idle`. False:
  /// not yet, that one cannot take all that is there.
  [[nodiscard]] bool take_over(OutboundRoute& before);
  /// Sends nothing more, and is a subscription no more; what it has not sent counts as refused or
  /// lost.
  [[nodiscard]] OutboundFigures close();

  /// Sends what is there, but not forever: other topics wait. False: nothing was sent. For the
  /// edge's thread; publishers of this process send what they publish themselves.
  bool pump();
  /// When it is to be pumped again though nobody wakes the edge's thread: samples wait for room
  /// with the engine. Else pool::no_deadline.
  [[nodiscard]] std::int64_t next_look_ns() const;
  /// Publishers here that the route hears, while it is open.
  [[nodiscard]] std::size_t publishers() const { return reader_->matched_writers(); }
  [[nodiscard]] const pool::EndpointDescription& description() const { return description_; }
  [[nodiscard]] OutboundFigures figures() const;

 private:
  /// One thread at a time takes and sends, so that samples go in their order. Outlives the route: a
  /// publisher may be about to call.
  struct Sending {
    std::mutex mutex;
    std::atomic<unsigned> asked{0};  ///< publishers that want to send and have not yet
    OutboundRoute* route = nullptr;  ///< guarded by mutex; null: closed
    std::shared_ptr<pool::Waiter> waiter;
  };

  OutboundRoute() = default;
  static void send_here(Sending& sending);
  [[nodiscard]] bool send_all();
  bool take_and_send();
  void take_what_is_there();
  [[nodiscard]] bool is_passed(const pool::SampleInfo& info);
  /// A sample of a transient-local publisher, which DDS keeps for late comers; or of one whose
  /// writer we have not been told yet.
  struct Copied {
    pool::SampleInfo info;
    std::shared_ptr<const std::vector<std::byte>> memory;  ///< and padding
    std::size_t size = 0;
  };
  /// The publisher's time, and what its request answers. `note` as in OutMark.
  struct When {
    std::int64_t timestamp_ns = 0;
    std::optional<dds::SampleIdentity> related{};
    std::function<void(std::int64_t number)> note{};
  };
  /// Of a publisher, known to its samples too, which the engine lets go of on its own threads.
  struct Outlet {
    std::shared_ptr<pool::Waiter> waiter;
    std::atomic<std::size_t> bytes_in_flight{0};  ///< with the engine, not acknowledged
    std::atomic<std::size_t> large_in_flight{0};  ///< samples of those that are large
    std::atomic<bool> wants_room{false};          ///< who lets go of one wakes the edge's thread
  };
  /// A block of the pool that the engine sends from.
  struct Sent {
    Sent(pool::HeldSample&& sample_in, std::shared_ptr<Outlet> outlet_in);
    ~Sent();
    Sent(const Sent&) = delete;
    Sent& operator=(const Sent&) = delete;
    void set_in_flight(bool on);
    pool::HeldSample sample;
    std::shared_ptr<Outlet> outlet;
    bool is_in_flight = false;
  };
  struct Outgoing {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    When when;
    Sent* block = nullptr;  ///< the owner, if it is one
  };
  /// What is put off, oldest first. It waits for as long as its publisher's history lasts, while
  /// other publishers and topics go on.
  struct Backlog {
    std::shared_ptr<Outlet> outlet;
    std::deque<Outgoing> samples;
    std::int64_t since_ns = 0;  ///< the first of them is the first, or something was acknowledged
    std::int64_t pause_ns = 0;  ///< to the next look, if nobody wakes us
    std::int64_t look_at_ns = 0;
    bool is_stalled = false;  ///< some reader acknowledges nothing, and is waited for no more
  };
  [[nodiscard]] Backlog& backlog_of(std::uint64_t publisher);
  bool send_waiting();
  bool send_waiting_of(std::uint64_t publisher, Backlog& backlog);
  [[nodiscard]] dds::WriteResult try_again(const ProxyWriter& proxy, Backlog& backlog);
  [[nodiscard]] static bool has_room(const ProxyWriter& proxy, Backlog& backlog, std::size_t bytes);
  [[nodiscard]] dds::WriteResult hand_over(const ProxyWriter& proxy, const Outgoing& sample);
  void put_off(Backlog& backlog, const ProxyWriter& proxy, Outgoing&& sample);
  void send(pool::HeldSample&& sample);
  void send_copied(Copied&& sample);
  void send_marked(const ProxyWriter& proxy, const pool::SampleInfo& info, Outgoing&& sample);
  void keep_for_later(Copied&& sample);
  void write(const ProxyWriter& proxy, std::uint64_t publisher, Outgoing&& sample);
  void count(dds::WriteResult result, std::size_t bytes);

  const std::shared_ptr<Sending> sending_ = std::make_shared<Sending>();
  pool::EndpointDescription description_;
  MarkOf mark_of_;  ///< of services; else empty
  std::unique_ptr<pool::Reader> reader_;
  mutable std::mutex mutex_;  ///< guards everything below
  ProxyWriters writers_;
  std::deque<Copied> early_;  ///< of publishers whose writers we have not been told yet
  std::size_t early_bytes_ = 0;
  std::map<std::uint64_t, Backlog> backlogs_;      ///< of publishers that have sent
  std::map<std::uint64_t, std::uint64_t> taken_;   ///< number of the last sample of each publisher
  std::map<std::uint64_t, std::uint64_t> passed_;  ///< so far the route before this one has taken
  std::uint64_t lost_before_ = 0;  ///< in the pool, of what the route before this one took
  OutboundFigures figures_;
};

}  // namespace ligament::edge
