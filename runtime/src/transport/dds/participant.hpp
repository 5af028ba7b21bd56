// SPDX-License-Identifier: Apache-2.0
/// \file DDS entities of the edge: a participant, its writers and readers of serialised samples,
/// and what other participants have announced. No name of the engine appears here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <ligament/qos.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/dds/raw_type.hpp"

struct ddsi_domaingv;
struct ddsi_writer;

namespace ligament::dds {

using pool::Gid;

/// One sentence: what was asked of the engine, and what it answered.
struct Error {
  std::string text;
};

/// An endpoint that we make. Names are those of DDS (names.hpp).
struct EndpointSpec {
  std::string topic;
  std::string type;
  QoSProfile qos;
  std::string user_data;
  bool ignore_own = true;  ///< no samples between this participant's writers and readers
};

/// An endpoint that somebody else has announced.
struct RemoteEndpoint {
  Gid gid{};
  Gid participant{};
  bool is_writer = false;
  std::string topic;
  std::string type;
  QoSProfile qos;
  std::string user_data;
  bool is_plain = true;  ///< XCDR1 is among the forms that it offers, or takes
};

/// A participant of somebody else, with what it says of its process.
struct RemoteParticipant {
  Gid gid{};
  std::optional<std::int32_t> pid;
  std::string host;
  std::string program;
};

/// A received sample.
struct Received {
  std::unique_ptr<Incoming> incoming;
  std::size_t size = 0;  ///< bytes of the payload, encapsulation included
  Gid writer{};
  std::int64_t source_timestamp_ns = 0;
  Marks marks{};
};

struct ParticipantOptions {
  std::uint32_t domain = 0;
  std::string user_data = "enclave=/;";
  /// Endpoints of others that are kept: of 100 hosts with 10,000 topics, each read on five others
  /// (spec/run/fleet.md).
  std::size_t most_remote = 65536;
};

/// What became of a sample that was handed to the engine.
enum class WriteResult : std::uint8_t {
  sent,
  no_room,  ///< what was sent before is not acknowledged yet: worth another try
  refused,  ///< never
};

class Writer {
 public:
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Sends bytes from where they lie. `owner` is released when the engine needs them no more.
  /// `related` goes with it in inline QoS.
  [[nodiscard]] WriteResult write(std::span<const std::byte> bytes,
                                  std::shared_ptr<const void> owner,
                                  std::int64_t source_timestamp_ns,
                                  const std::optional<SampleIdentity>& related = std::nullopt);
  /// Whether another try after `no_room` is worth it: all that was sent is acknowledged. Costs
  /// nothing on the wire, where a try in vain asks all readers what they lack.
  [[nodiscard]] bool has_room() const;
  /// Before a sample that is to be acknowledged as soon as it is there; the others are when the
  /// engine finds time to ask. Of the thread that writes. Returns the number up to which all
  /// readers have.
  [[nodiscard]] std::int64_t expect_ack();
  /// The number that the next sample has on the wire; of the thread that writes.
  [[nodiscard]] std::int64_t next_sequence() const { return written_ + 1; }
  /// Whether that reader is matched; or some reader of a participant, whose last 4 bytes are 0.
  [[nodiscard]] bool is_matched_with(const Gid& reader) const;
  [[nodiscard]] const Gid& gid() const { return gid_; }
  /// Remote readers that are matched.
  [[nodiscard]] std::uint32_t matched() const { return matched_.load(std::memory_order_relaxed); }

 private:
  friend class Participant;
  Writer() = default;
  std::int32_t topic_ = 0;
  std::int32_t entity_ = 0;
  const ddsi_sertype* type_ = nullptr;
  ddsi_writer* engine_ = nullptr;
  std::int64_t written_ = 0;
  Gid gid_{};
  std::atomic<std::uint32_t> matched_{0};
  std::function<void()> on_change_;
};

class Reader {
 public:
  using Handler = std::function<void(Received&&)>;

  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const Gid& gid() const { return gid_; }
  /// Remote writers that are matched.
  [[nodiscard]] std::uint32_t matched() const { return matched_.load(std::memory_order_relaxed); }
  void drain();  ///< for the engine's listener

 private:
  friend class Participant;
  Reader() = default;
  [[nodiscard]] Gid gid_of(std::uint64_t publication);

  std::int32_t topic_ = 0;
  std::int32_t entity_ = 0;
  Gid gid_{};
  Handler handler_;  ///< null: samples are let go
  std::atomic<std::uint32_t> matched_{0};
  std::function<void()> on_change_;
  std::mutex mutex_;  ///< guards the list below; the engine may call from several threads
  std::vector<std::pair<std::uint64_t, Gid>> writers_;
};

/// One participant. All callbacks run on the engine's threads and may not create or destroy
/// entities.
class Participant {
 public:
  /// `on_change`: a remote endpoint came or went, or a match of one of ours did.
  [[nodiscard]] static expected<std::unique_ptr<Participant>, Error> create(
      const ParticipantOptions& options, std::function<void()> on_change);
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  [[nodiscard]] expected<std::unique_ptr<Writer>, Error> create_writer(const EndpointSpec& spec);
  /// `inbox` and `handler` may be null: an endpoint that is seen, but takes nothing.
  [[nodiscard]] expected<std::unique_ptr<Reader>, Error> create_reader(const EndpointSpec& spec,
                                                                       std::shared_ptr<Inbox> inbox,
                                                                       Reader::Handler handler);

  /// A writer of ours, which is about to be destroyed or is being so: that takes until its readers
  /// have acknowledged what it sent, but no longer than this, nor than the engine's
  /// WriterLingerDuration (1 s), from now on.
  void end_within(const Gid& writer, std::int64_t most_ns);

  [[nodiscard]] const Gid& gid() const { return gid_; }
  /// The endpoints of other participants on a topic now; names of ROS 2 topics and services only.
  [[nodiscard]] std::vector<RemoteEndpoint> remote_endpoints(const std::string& topic);
  /// All of them, and those of ros_discovery_info, which no topic of ROS 2 has: for who looks, not
  /// for each message.
  [[nodiscard]] std::vector<RemoteEndpoint> remote_endpoints();
  /// Another number after any of them came or went.
  [[nodiscard]] std::uint64_t remote_version();
  [[nodiscard]] std::vector<RemoteParticipant> remote_participants() const;
  /// The user data of such an endpoint; nothing where it is not known (any more).
  [[nodiscard]] std::optional<std::string> user_data_of(const Gid& endpoint);
  /// Endpoints that were not kept, since there were too many or they said too much.
  [[nodiscard]] std::uint64_t ignored_endpoints();

 private:
  Participant() = default;
  expected<void, Error> watch_discovery();
  static void take_discovered(Participant& self, std::int32_t reader, bool writers);
  bool forget(const Gid& endpoint);
  bool keep(RemoteEndpoint&& endpoint);
  [[nodiscard]] expected<std::int32_t, Error> create_topic(const EndpointSpec& spec,
                                                           std::shared_ptr<Inbox> inbox,
                                                           const ddsi_sertype** type);
  /// What the engine calls when the readers of a writer, or the writers of a reader, change.
  template <typename End, typename Status>
  static void note_matched(std::int32_t entity, Status status, void* end);

  std::int32_t entity_ = 0;
  ddsi_domaingv* engine_ = nullptr;  ///< of the domain; known with the first topic
  Gid gid_{};
  std::function<void()> on_change_;
  std::int32_t publications_ = 0;
  std::int32_t subscriptions_ = 0;
  std::mutex mutex_;                                             ///< guards what follows
  std::map<std::string, std::map<Gid, RemoteEndpoint>> remote_;  ///< by topic
  std::map<Gid, std::string> topic_of_;                          ///< of each endpoint in there
  std::size_t most_remote_ = 0;
  std::uint64_t ignored_ = 0;
  std::uint64_t remote_version_ = 0;
};

}  // namespace ligament::dds
