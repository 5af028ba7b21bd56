// SPDX-License-Identifier: Apache-2.0
/// \file From DDS into the pool: one topic. The engine's receive thread copies a payload from its
/// network buffers into a loan; when the sample is complete and in order, it is published.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "transport/dds/participant.hpp"
#include "transport/dds/raw_type.hpp"
#include "transport/edge/seen_numbers.hpp"
#include "transport/edge/service_routes.hpp"

namespace ligament::edge {

/// What happened to samples from the network, by cause.
struct InboundFigures {
  std::uint64_t received = 0;  ///< published in the pool
  std::uint64_t bytes = 0;
  std::uint64_t missing = 0;       ///< sent by a remote writer, by its numbers, and never came
  std::uint64_t repeated = 0;      ///< seen before (a second reader was sent the history again)
  std::uint64_t no_room = 0;       ///< the pool lent nothing, or too much waited
  std::uint64_t too_large = 0;     ///< beyond the topic's bound
  std::uint64_t big_endian = 0;    ///< refused
  std::uint64_t unknown_form = 0;  ///< XCDR2, parameter lists, too short
  std::uint64_t unwanted = 0;      ///< nobody here subscribes (any more)
  bool operator==(const InboundFigures&) const = default;

  void add(const InboundFigures& more) {
    using Own = InboundFigures;
    for (const auto figure :
         {&Own::received, &Own::bytes, &Own::missing, &Own::repeated, &Own::no_room,
          &Own::too_large, &Own::big_endian, &Own::unknown_form, &Own::unwanted}) {
      this->*figure += more.*figure;
    }
  }
};

/// Of halves of services; empty for a topic.
struct InboundService {
  IdentityOf identity_of;
  bool holds_until_ready = false;  ///< requests wait until their client hears replies
  /// So long at most, then they are served all the same: the client may have no reader of replies,
  /// and the service may do something. Long, because an announcement that was lost is repeated
  /// after seconds, and a reply to a reader that is not matched yet is lost.
  std::int64_t patience_ns = 10'000'000'000;
};

class InboundRoute final : public dds::Inbox {
 public:
  /// `on_waiting`: something came that deliver_waiting() is to deliver. May be null.
  explicit InboundRoute(InboundService service = {}, std::function<void()> on_waiting = nullptr);

  /// From now on payloads of up to `bound_bytes` are wanted. Null: no more.
  void set_writer(std::shared_ptr<pool::Writer> writer, std::size_t bound_bytes = 0);
  /// Nobody outside publishes now: the route is closed until set_writer(). What comes meanwhile, or
  /// is just being received, waits for that. False, and nothing is changed, where something waits.
  [[nodiscard]] bool rest();
  [[nodiscard]] bool is_open() const;
  /// Remote writers whose requests wait until the route of the reply is open, or had no room to;
  /// and as whose the first of them came.
  [[nodiscard]] std::map<dds::Gid, pool::RequestIdentity> take_waiting_clients();
  void set_ready(const dds::Gid& client);
  /// Publishes what came before a subscription here could hear it, or its client the reply. True:
  /// some of it waits on.
  bool deliver_waiting();
  /// Something has come, and is not delivered yet.
  [[nodiscard]] bool has_waiting() const;

  // --- engine's threads ---
  [[nodiscard]] std::unique_ptr<dds::Incoming> receive(std::size_t size,
                                                       const dds::Marks& marks) override;
  /// What receive() has made, filled.
  void publish(dds::Received&& sample);

  [[nodiscard]] InboundFigures figures() const;

 private:
  /// Which samples of a remote writer have come: several of our readers may be sent the same.
  struct Recent {
    SeenNumbers numbers;
    /// Of samples without a number, which only a writer of this process sends: the newest ones.
    std::deque<std::int64_t> timestamps;
  };
  /// A sample that came between the match in DDS and the match in the pool, or before its client
  /// hears the reply.
  struct Waiting {
    std::vector<std::byte> payload;
    std::int64_t source_timestamp_ns = 0;
    dds::Gid writer{};
    pool::RequestIdentity request{};
    std::int64_t since_ns = 0;
  };
  [[nodiscard]] bool is_heard();
  bool deliver_what_waits();
  [[nodiscard]] bool has_room_to_wait(std::size_t size) const;
  void keep(std::span<const std::byte> payload, const dds::Received& sample,
            const pool::RequestIdentity& request);
  [[nodiscard]] bool take_identity(const dds::Received& sample, std::span<std::byte>& payload,
                                   pool::RequestIdentity& request);
  void count_received(std::size_t size);
  [[nodiscard]] bool is_repeated(const dds::Received& sample);
  [[nodiscard]] Recent& recent_of(const dds::Gid& writer);
  [[nodiscard]] bool is_new_number(const dds::Gid& writer, std::int64_t number);
  void turn_away(const dds::Marks& marks, std::uint64_t& counter);
  [[nodiscard]] bool is_plain(std::span<std::byte> payload);

  [[nodiscard]] bool is_ready(const dds::Gid& client) const;
  [[nodiscard]] bool has_waiting(const dds::Gid& writer) const;
  void deliver(const Waiting& sample);
  void forget_waiting(std::int64_t before_ns);

  const InboundService service_;
  const std::function<void()> on_waiting_;
  mutable std::mutex mutex_;  ///< guards everything below
  std::shared_ptr<pool::Writer> writer_;
  std::size_t bound_bytes_ = 0;
  std::set<dds::Gid> ready_;  ///< clients that hear replies
  /// Whose request found no room to wait.
  std::map<dds::Gid, pool::RequestIdentity> turned_away_clients_;
  bool rests_ = false;  ///< closed by rest()
  bool heard_ = false;  ///< a subscription here was matched since the writer was set
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::map<dds::Gid, Recent> recent_;
  InboundFigures figures_;
};

}  // namespace ligament::edge
