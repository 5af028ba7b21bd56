// SPDX-License-Identifier: Apache-2.0
/// \file The pool: shared memory in which published messages live; topics of bytes between and
/// inside processes of one host, without copies, daemons, kernel modules or names left behind.
///
/// A process joins a *domain* (one running graph) and creates *writers* and *readers* on topics.
/// A writer lends a block (a *loan*), the caller fills it in place and publishes it; each reader
/// takes the *sample* where it lies and holds it for as long as it keeps the `HeldSample`. An
/// executor sleeps on its *waiter* until one of its readers has data.
///
///   auto domain = pool::Domain::join({.name = "perception", .run_id = "run-17"}).value();
///   auto waiter = domain->create_waiter().value();
///   auto reader = domain->create_reader({.topic = "/scan", .type_name = "..."}, *waiter).value();
///   auto writer = domain->create_writer({.topic = "/scan", .type_name = "..."}).value();
///
///   auto loan = writer->loan(1024, 0).value();       // no heap, no system call once it is warm
///   std::memset(loan.payload().data(), 7, 1024);
///   (void)writer->publish(std::move(loan));
///
///   waiter->wait(pool::WaitStrategy::sleep(), pool::no_deadline);
///   while (auto sample = reader->take().value()) { use(sample->payload(), sample->info()); }
///
/// Rules a caller must know:
/// - Matching is asynchronous (a housekeeping thread per process); `matched_readers()` tells.
/// - keep-last overwrites the oldest sample, as in DDS, also when reliable; each reader counts what
///   it lost. keep-all waits for reliable keep-all readers, up to `max_blocking_ns`. A late joiner
///   gets history only when both ends are transient-local.
/// - A reader holds at most `qos.max_held` samples; one more take is `TakeError::too_many_held`.
/// - `Writer` and `Reader` may be called from several threads; a `Loan` or `HeldSample` belongs to
///   one thread at a time and may outlive the writer or reader it came from.
/// - Bytes, layout and memory orderings: `spec/wire/pool.md`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ligament/expected.hpp"
#include "ligament/qos.hpp"

namespace ligament::pool {

struct DomainState;
struct WaiterState;
struct WriterState;
struct ReaderState;
struct HoldSlot;

/// Identity of a writer in DDS's size: 8 bytes of its process (its nonce), 4 bytes that count its
/// endpoints, 4 bytes 0x00001203 (a user-defined writer without key).
using Gid = std::array<std::uint8_t, 16>;

/// CLOCK_MONOTONIC, nanoseconds: the clock of every deadline here.
[[nodiscard]] std::int64_t monotonic_now_ns();
inline constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

// --- samples ---------------------------------------------------------------------------------

/// Which request a reply answers (all zero: neither request nor reply).
struct RequestIdentity {
  Gid client{};
  std::int64_t sequence = 0;
  bool operator==(const RequestIdentity&) const = default;
};

/// What travels beside the payload. Identity of a message: (topic, publisher, sequence).
struct SampleInfo {
  Gid gid{};
  std::uint64_t publisher = 0;           ///< 64-bit form of `gid`, as trace events carry it
  std::uint64_t sequence = 0;            ///< 1, 2, 3, ... per writer
  std::int64_t source_timestamp_ns = 0;  ///< real time, strictly increasing per writer
  std::int64_t monotonic_ns = 0;         ///< when it was published
  RequestIdentity request{};
  std::array<std::uint8_t, 32> type_hash{};
};

/// A taken sample, readable in place until this object is destroyed. Cost: none while held; it
/// counts against the reader's `max_held`. Valid after the death of its writer.
class HeldSample {
 public:
  HeldSample(HeldSample&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  HeldSample& operator=(HeldSample&& other) noexcept;
  HeldSample(const HeldSample&) = delete;
  HeldSample& operator=(const HeldSample&) = delete;
  ~HeldSample();

  [[nodiscard]] std::span<const std::byte> payload() const;
  [[nodiscard]] const SampleInfo& info() const;

 private:
  friend class Reader;
  explicit HeldSample(HoldSlot* slot) : slot_(slot) {}
  HoldSlot* slot_;
};

/// A block to fill. Destroying it unpublished gives the block back.
class Loan {
 public:
  Loan(Loan&& other) noexcept;
  Loan& operator=(Loan&& other) noexcept;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  /// Contents are whatever the block held before: the caller writes every byte.
  [[nodiscard]] std::span<std::byte> payload() const { return payload_; }
  /// Shortens the payload (a larger size is ignored: a loan never grows).
  void resize(std::size_t smaller);
  /// Leaves `size` bytes behind the first `front`: what a device has filled of it. Beyond the
  /// payload, what there is.
  void narrow(std::size_t front, std::size_t size);

 private:
  friend class Writer;
  Loan(WriterState* writer, std::uint32_t block, std::span<std::byte> payload)
      : writer_(writer), block_(block), payload_(payload) {}
  WriterState* writer_;
  std::uint32_t block_;
  std::span<std::byte> payload_;
};

// --- writing ---------------------------------------------------------------------------------

enum class LoanError : std::uint8_t {
  exceeds_bound,   ///< larger than WriterOptions::max_bytes
  too_many_loans,  ///< WriterOptions::max_loans are out
  out_of_memory,   ///< the system refused memory for a larger block
  exhausted,       ///< every block is held: a reader holds more than it declared
};
enum class PublishError : std::uint8_t { foreign_loan /**< empty, or of another writer */ };

/// Of several payloads that were there at once, those that went out.
struct PublishedCopies {
  std::size_t count = 0;
  std::size_t bytes = 0;  ///< of their bodies
};

struct PublishInfo {
  std::int64_t source_timestamp_ns = 0;  ///< 0: now. Raised to stay strictly increasing.
  RequestIdentity request{};
  /// Relayed for a publisher elsewhere: its gid, which readers then see, with its timestamp as it
  /// is. All zero: the sample is this writer's own.
  Gid origin{};
};
struct Published {
  std::uint64_t sequence = 0;
  std::int64_t source_timestamp_ns = 0;
};
using PublishResult = expected<Published, PublishError>;

class Waiter;

/// As `max_blocking_ns` of requests and responses: who loses one waits forever, and a process that
/// shares a busy machine may take nothing for longer than a message waits.
inline constexpr std::int64_t service_blocking_ns = 1'000'000'000;

struct WriterOptions {
  std::uint32_t max_loans = 2;    ///< loans that may be out at once
  std::uint32_t alignment = 128;  ///< power of two; blocks of 64 kB and more use at least 4096
  std::size_t max_bytes = 0;  ///< declared bound of a payload; its blocks exist before the first
                              ///< loan. 0: no bound, blocks grow when a larger payload is asked
  std::uint32_t ring = 0;     ///< samples kept for slow readers; at least qos.depth
  bool prefault = true;       ///< touch all pages now (0.5 ms per MB), not at the first message
  bool device = false;        ///< a device topic: needs max_bytes, never grows
  /// keep-all: how long a publish waits for room before it calls a subscription stalled.
  std::int64_t max_blocking_ns = 100'000'000;
  /// Readers may be of simulated devices: max_blocking counts from when one last says it works.
  bool spares_working = false;
  /// The executor that publishes: it is woken for events, and its own subscriptions are never
  /// waited for. Kept alive by the writer. May be null.
  Waiter* waiter = nullptr;
  /// Its node takes the place of one of the same name in another process (spec/run/moving.md):
  /// readers take what that one's writers left before anything of this one.
  bool successor = false;
};

struct WriterStats {
  std::uint64_t published = 0;
  std::uint64_t bytes = 0;
  std::uint64_t loans_failed = 0;
  std::uint64_t wakes = 0;        ///< sleeping executors woken (one system call each)
  std::uint64_t scans = 0;        ///< times the readers' hold rows were read to free blocks
  std::uint64_t grown = 0;        ///< chunks of memory added
  std::uint64_t blocks = 0;       ///< blocks that exist
  std::uint64_t blocks_free = 0;  ///< neither in the ring, nor held, nor loaned
  std::uint64_t in_ring = 0;      ///< samples for who has not taken them yet, or may ask later
  std::uint64_t memory_bytes = 0;
  std::uint64_t waits = 0;            ///< keep-all: publishes that waited for room
  std::uint64_t overrun = 0;          ///< keep-all: publishes that overwrote what a subscription
                                      ///< that could not be waited for had not taken
  std::uint64_t stalled = 0;          ///< subscriptions that are stalled now
  std::uint64_t quarantined = 0;      ///< device subscriptions of dead processes, still honoured
  std::uint64_t deadline_missed = 0;  ///< in all, as in WriterEvents
};

/// keep-all: a subscription that a publish waited for in vain.
struct StalledReader {
  std::uint64_t reader = 0;
  std::string node;
  std::int32_t pid = 0;
  bool now = false;         ///< it has not moved since
  std::uint64_t times = 0;  ///< how often it became so
};

// --- events ----------------------------------------------------------------------------------

/// A policy, for events about ends that do not match (values are ours; 0: none).
enum class QosPolicyKind : std::uint8_t {
  none = 0,
  reliability = 1,
  durability = 2,
  deadline = 3,
  liveliness = 4,
  liveliness_lease = 5,
};

/// `change`: since the events were last taken.
struct CountStatus {
  std::uint64_t total = 0;
  std::uint64_t change = 0;
};
struct IncompatibleQosStatus {
  std::uint64_t total = 0;
  std::uint64_t change = 0;
  QosPolicyKind last_policy = QosPolicyKind::none;
};
/// `total`: ever; `current`: now.
struct MatchedStatus {
  std::uint64_t total = 0;
  std::uint64_t total_change = 0;
  std::uint64_t current = 0;
  std::int64_t current_change = 0;
};
struct LivelinessChangedStatus {
  std::uint64_t alive = 0;
  std::uint64_t not_alive = 0;
  std::int64_t alive_change = 0;
  std::int64_t not_alive_change = 0;
};

/// Meanings as in DDS 1.4, section 2.2.4.1; `stalled` is ours.
struct WriterEvents {
  CountStatus deadline_missed;
  CountStatus liveliness_lost;
  IncompatibleQosStatus incompatible_qos;
  CountStatus incompatible_type;
  MatchedStatus matched;
  MatchedStatus stalled;  ///< keep-all: subscriptions that are not waited for
};
struct ReaderEvents {
  CountStatus deadline_missed;
  LivelinessChangedStatus liveliness_changed;
  IncompatibleQosStatus incompatible_qos;
  CountStatus incompatible_type;
  CountStatus message_lost;
  MatchedStatus matched;
};

class Writer {
 public:
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Lends a block of `size` bytes, placed so that payload + `aligned_offset` lies on the writer's
  /// alignment. Steady state: no heap, no system call. The first loan of a size larger than any
  /// before it allocates (once: each growth is by at least half).
  [[nodiscard]] expected<Loan, LoanError> loan(std::size_t size, std::size_t aligned_offset = 0);
  /// Makes the sample visible to all readers and wakes the executors that sleep.
  [[nodiscard]] PublishResult publish(Loan&& loan, const PublishInfo& info = {});
  /// Publishes copies of small payloads that are there at once, each behind the same `head`: what a
  /// loan and a publish of each would do, but with one lock, one clock and one wake-up for all.
  /// They are copied under the lock, so keep them small. `now_ns`: the monotonic clock, where the
  /// caller has just read it; 0: it is read. What a loan would be refused for is left out and
  /// counted as one, and the others go on.
  [[nodiscard]] PublishedCopies publish_copies(std::span<const std::byte> head,
                                               std::span<const std::span<const std::byte>> bodies,
                                               std::int64_t now_ns = 0);
  /// keep-all: what a publish that waits for room does meanwhile, again and again (each millisecond
  /// at the latest), on its own thread: something that those it waits for may wait for. Before the
  /// first publish. It may not publish here.
  void set_meanwhile(std::function<void()> meanwhile);

  [[nodiscard]] const Gid& gid() const;
  [[nodiscard]] std::uint64_t id() const;
  [[nodiscard]] std::size_t matched_readers() const;
  [[nodiscard]] WriterStats stats() const;
  /// Those that are stalled now or have been, the first first; of more than 64 the last 64.
  [[nodiscard]] std::vector<StalledReader> stalled_readers() const;

  /// Liveliness manual-by-topic: "I am alive"; a publish says so too.
  void assert_liveliness();
  /// One relaxed load: events have been raised since they were last taken.
  [[nodiscard]] bool has_events() const;
  /// The statuses now; their changes start again from 0.
  [[nodiscard]] WriterEvents take_events();

 private:
  friend class Domain;
  explicit Writer(std::shared_ptr<WriterState> state) : state_(std::move(state)) {}
  std::shared_ptr<WriterState> state_;
};

// --- reading ---------------------------------------------------------------------------------

enum class TakeError : std::uint8_t { too_many_held /**< qos.max_held samples are held */ };

struct ReaderStats {
  std::uint64_t taken = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;             ///< overwritten before they were taken
  std::uint64_t corrupt = 0;          ///< writers dropped because their shared state made no sense
  std::uint64_t history_granted = 0;  ///< samples that late joining made available
  std::uint64_t expired = 0;          ///< passed over because older than their writer's lifespan
  std::uint64_t deadline_missed = 0;  ///< in all, as in ReaderEvents
};

struct ReaderOptions {
  /// Samples are read by a device that may outlive this process by a moment (quarantine).
  bool device = false;
  /// Called after each publish by another node of this process (once after copies that came
  /// together), by the thread that has published, which does not wake the waiter then: for a reader
  /// that takes all there is there and then. It may still be
  /// called for a moment after the reader has ended.
  std::function<void()> on_publish = nullptr;
  /// It begins as after `rest()`, before any writer could wait for it.
  bool resting = false;
};

/// Where a reader is with one of its writers.
struct ReaderPlace {
  std::uint64_t writer = 0;  ///< endpoint id
  std::uint64_t next = 0;    ///< number of the sample that it takes next, if it is still there
  bool is_live = true;       ///< false: the writer ends; what it published can still be taken
  bool has_data = false;     ///< something can be taken now
};

class Reader {
 public:
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The next sample (per writer in order, writers in turn), or nothing. Never copies a payload.
  [[nodiscard]] expected<std::optional<HeldSample>, TakeError> take();
  [[nodiscard]] bool has_data();
  /// The same, and `take()` would not say `too_many_held`. For `Waiter::wait_for`.
  [[nodiscard]] bool is_ready();
  /// Samples that have come for it since it was made: taken, passed over, or still to be taken.
  [[nodiscard]] std::uint64_t arrived();
  /// keep-all: it wants nothing for now, so that no publish waits for it. What comes may still be
  /// taken, or is overwritten.
  void rest();
  /// From now on it is waited for again. It begins behind the newest sample, so what is published
  /// because of something that happens after this call is not missed.
  void resume();
  /// Its place with each writer, now.
  [[nodiscard]] std::vector<ReaderPlace> places() const;
  /// Passes over what is before these places, which are of another reader of its kind, and ends
  /// `rest()` there instead of behind the newest sample. Of writers that are not among them it
  /// takes all from where it is. It never goes back.
  void resume_at(std::span<const ReaderPlace> places);

  [[nodiscard]] std::uint64_t id() const;
  [[nodiscard]] std::size_t matched_writers() const;
  [[nodiscard]] ReaderStats stats() const;
  /// As for Writer.
  [[nodiscard]] bool has_events() const;
  [[nodiscard]] ReaderEvents take_events();

 private:
  friend class Domain;
  friend class Waiter;
  explicit Reader(std::shared_ptr<ReaderState> state) : state_(std::move(state)) {}
  std::shared_ptr<ReaderState> state_;
};

// --- waiting ---------------------------------------------------------------------------------

/// How an executor waits: burn a core for the lowest latency, or sleep, or first one then the
/// other.
struct WaitStrategy {
  enum class Kind : std::uint8_t { poll, spin_then_sleep, sleeping } kind = Kind::sleeping;
  std::int64_t spin_ns = 0;

  static constexpr WaitStrategy poll() { return {Kind::poll, 0}; }
  static constexpr WaitStrategy spin_then_sleep(std::int64_t ns) {
    return {Kind::spin_then_sleep, ns};
  }
  static constexpr WaitStrategy sleep() { return {Kind::sleeping, 0}; }
};
enum class WaitResult : std::uint8_t { data, woken, timeout };

/// One per executor. Publishers wake it with one system call, and only when it sleeps.
class Waiter {
 public:
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// Returns when a reader of this waiter has data, `wake()` was called, or the deadline
  /// (CLOCK_MONOTONIC, ns) has passed. One thread at a time.
  WaitResult wait(const WaitStrategy& strategy, std::int64_t deadline_ns = no_deadline);
  /// For who waits for some readers only, or for other things too: sleeps until `is_ready` says so
  /// or the deadline has passed; returns what it said last. It is asked again after each publish to
  /// a reader of this waiter, each event and each `wake()`. One thread at a time; not beside
  /// `wait`.
  bool wait_for(const std::function<bool()>& is_ready, std::int64_t deadline_ns = no_deadline);
  /// From any thread: the present or next `wait()` returns `woken`, and `wait_for()` asks again.
  void wake();

 private:
  friend class Domain;
  explicit Waiter(std::shared_ptr<WaiterState> state) : state_(std::move(state)) {}
  std::shared_ptr<WaiterState> state_;
};

// --- domain ----------------------------------------------------------------------------------

/// An endpoint as others see it. `type_hash` and QoS decide, with topic and type, who matches.
struct EndpointDescription {
  std::string topic;      ///< resolved name, at most 255 bytes
  std::string type_name;  ///< `pkg/msg/Name`, at most 127 bytes
  std::string node;       ///< fully qualified name, at most 127 bytes
  std::array<std::uint8_t, 32> type_hash{};
  QoSProfile qos{};
};

/// Who has an endpoint on it is told of all changes in the domain (`Domain::watch`). Not ROS 2's.
inline constexpr std::string_view graph_topic = "ligament/graph";

/// Topics of endpoints that are shown (`Domain::show`) begin with it: none of ROS 2 does.
inline constexpr char elsewhere_prefix = '~';

/// `ros.0`, `ros.1`, ...: the domains in which ROS 2's nodes of one ROS_DOMAIN_ID meet. All runs
/// and processes of the user may join them.
inline constexpr std::string_view ros_domain_prefix = "ros.";

struct DomainOptions {
  std::string name;    ///< graph name: [A-Za-z0-9_.-], at most 48 bytes
  std::string run_id;  ///< processes of one run share it; another run of the name is refused
};

enum class DomainErrorCode : std::uint8_t {
  bad_name,
  name_in_use,  ///< another run of this graph is alive; the text names its process
  domain_full,  ///< all slots are taken
  system,       ///< a system call failed; the text names it
};
struct DomainError {
  DomainErrorCode code;
  std::string text;
};

enum class EndpointErrorCode : std::uint8_t {
  bad_description,  ///< empty or too long name, depth 0, alignment no power of two ...
  too_many_endpoints,
  out_of_memory,
  system,
};
struct EndpointError {
  EndpointErrorCode code;
  std::string text;
};

enum class EndpointKind : std::uint8_t { writer = 1, reader = 2 };
struct EndpointInfo {
  EndpointDescription description;
  EndpointKind kind = EndpointKind::writer;
  std::uint64_t id = 0;
  Gid gid{};                ///< of readers with the ending of a DDS reader's, 0x00001204
  std::int32_t pid = 0;     ///< 0: it has no number in this pid namespace
  bool own = false;         ///< of this process
  std::size_t matched = 0;  ///< own endpoints only
  bool foreign = false;     ///< of a process in another pid namespace
};

enum class ProblemKind : std::uint8_t {
  type_mismatch,
  qos_mismatch,
  too_many_ends,
  refused_peer,  ///< other user, unreadable or nonsensical shared state; in another pid namespace
                 ///< and our memory does not get through to it, or its to us
  no_memory,
};
struct Problem {
  ProblemKind kind = ProblemKind::type_mismatch;
  std::string text;          ///< one sentence with the names of both sides
  std::uint64_t writer = 0;  ///< endpoint ids, 0 where there is none
  std::uint64_t reader = 0;
};

/// One graph as this process sees it. Joining twice with one name gives the same object.
class Domain {
 public:
  [[nodiscard]] static expected<std::shared_ptr<Domain>, DomainError> join(
      const DomainOptions& options);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  [[nodiscard]] expected<std::unique_ptr<Waiter>, EndpointError> create_waiter();
  [[nodiscard]] expected<std::unique_ptr<Writer>, EndpointError> create_writer(
      const EndpointDescription& description, const WriterOptions& options = {});
  /// The waiter is kept alive by the reader.
  [[nodiscard]] expected<std::unique_ptr<Reader>, EndpointError> create_reader(
      const EndpointDescription& description, Waiter& waiter, const ReaderOptions& options = {});

  /// Shows others an endpoint that is in no process of the domain, until the handle is gone: what
  /// an edge knows of the network (spec/wire/rmw.md). Its topic begins with `elsewhere_prefix`, so
  /// it matches nobody's; it has no memory and costs a row of the directory.
  [[nodiscard]] expected<std::shared_ptr<void>, EndpointError> show(
      const EndpointDescription& description, EndpointKind kind);

  /// Matches own endpoints with all that can be seen now, instead of a moment later: those of one
  /// process have met when it returns. Others have yet to look at what is new here.
  void match_now();

  /// For a process that simulates a device: it works, though none of its readers takes. Publishers
  /// that spare who works do not call them stalled. Cheap enough for every few milliseconds.
  void say_working();

  /// Asked, from the housekeeping thread, about each device subscription of a process that died:
  /// may the blocks it held be used again? Null: always.
  void set_quarantine(std::function<bool(std::uint64_t reader, std::int32_t pid)> is_idle);

  /// Everything visible in the graph now, own endpoints first.
  [[nodiscard]] std::vector<EndpointInfo> endpoints() const;
  /// Another number after any endpoint or process of the graph came, changed or went. Cheap: for
  /// those who look at all endpoints, of which changes elsewhere are not told.
  [[nodiscard]] std::uint64_t version() const;
  /// Calls `changed` from the housekeeping thread after each change of `version()`, until the
  /// handle that is returned is gone. Peers tell of every change only those that have an endpoint
  /// on `graph_topic`: who watches makes one.
  [[nodiscard]] std::shared_ptr<void> watch(std::function<void()> changed);
  /// What stands in the way now: ends that do not match, processes that were refused.
  [[nodiscard]] std::vector<Problem> problems() const;
  /// Process ids of the other live processes of this domain that are in this pid namespace.
  [[nodiscard]] std::vector<std::int32_t> peers() const;
  /// How many others are in other pid namespaces (containers) and share memory with this one.
  [[nodiscard]] std::size_t foreign_peers() const;

 private:
  explicit Domain(std::shared_ptr<DomainState> state) : state_(std::move(state)) {}
  template <typename End, typename State>
  static std::unique_ptr<End> owned(const std::shared_ptr<State>& state,
                                    const std::shared_ptr<DomainState>& domain);
  std::shared_ptr<DomainState> state_;
};

/// Whether this process can share memory with those of other pid namespaces: the kernel tells all
/// who meet it which one it is, whatever its number (Linux 6.9).
[[nodiscard]] bool can_meet_foreign_processes();

/// System calls that this process's data path made, ever: to assert that none is needless.
struct SystemCalls {
  std::uint64_t futex_waits = 0;
  std::uint64_t futex_wakes = 0;
  std::uint64_t lock_sleeps = 0;  ///< an operation waited for another thread's operation
  std::uint64_t growths = 0;      ///< loans and takes that had to allocate or map memory
};
[[nodiscard]] SystemCalls system_calls();

[[nodiscard]] std::string_view to_string(LoanError error);
[[nodiscard]] std::string_view to_string(PublishError error);
[[nodiscard]] std::string_view to_string(TakeError error);

}  // namespace ligament::pool
