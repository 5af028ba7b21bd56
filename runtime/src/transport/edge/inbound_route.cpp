// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/inbound_route.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "ligament/message_traits.hpp"

namespace ligament::edge {

namespace {

/// Remote writers whose samples are remembered; more than the ends of any real topic.
constexpr std::size_t most_writers = 4096;

/// What a payload is received into: a loan, or memory of our own before the pool's writer exists.
class Payload final : public dds::Incoming {
 public:
  explicit Payload(std::size_t size) : memory_(size) {}
  Payload(std::shared_ptr<pool::Writer> writer_in, pool::Loan&& loan_in)
      : writer(std::move(writer_in)), loan(std::move(loan_in)) {}
  std::span<std::byte> bytes() override { return loan ? loan->payload() : memory_; }

  std::shared_ptr<pool::Writer> writer;  // before the loan, which ends first
  std::optional<pool::Loan> loan;

 private:
  std::vector<std::byte> memory_;
};

// What waits until the pool has matched, which takes milliseconds.
constexpr std::size_t most_waiting = 64;
constexpr std::size_t most_waiting_bytes = std::size_t{64} << 20;  // or one sample

}  // namespace

InboundRoute::InboundRoute(InboundService service, std::function<void()> on_waiting)
    : service_(std::move(service)), on_waiting_(std::move(on_waiting)) {}

void InboundRoute::set_writer(std::shared_ptr<pool::Writer> writer, std::size_t bound_bytes) {
  const std::lock_guard guard(mutex_);
  std::swap(writer_, writer);  // the old one ends after the lock
  bound_bytes_ = bound_bytes;
  heard_ = rests_ = false;
  if (writer_ == nullptr) {
    forget_waiting(std::numeric_limits<std::int64_t>::max());
    recent_.clear();  // what is sent while nobody listens is not missed, and may come again
  }
}

bool InboundRoute::rest() {
  std::shared_ptr<pool::Writer> old;  // ends after the lock
  const std::lock_guard guard(mutex_);
  if (!waiting_.empty()) {
    return false;
  }
  std::swap(writer_, old);
  heard_ = false;
  rests_ = true;
  recent_.clear();
  return true;
}

std::map<dds::Gid, pool::RequestIdentity> InboundRoute::take_waiting_clients() {
  const std::lock_guard guard(mutex_);
  auto clients = std::exchange(turned_away_clients_, {});
  for (const Waiting& sample : waiting_) {
    if (!is_ready(sample.writer)) {
      clients.emplace(sample.writer, sample.request);
    }
  }
  return clients;
}

void InboundRoute::set_ready(const dds::Gid& client) {
  const std::lock_guard guard(mutex_);
  if (ready_.size() >= most_writers) {
    ready_.clear();  // those that live are found ready again
  }
  ready_.insert(client);
}

/// Under mutex_.
bool InboundRoute::is_ready(const dds::Gid& client) const {
  return !service_.holds_until_ready || ready_.contains(client);
}

/// Under mutex_. Something of this writer waits and goes first; what others wait for does not
/// concern it.
bool InboundRoute::has_waiting(const dds::Gid& writer) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&writer](const Waiting& sample) { return sample.writer == writer; });
}

bool InboundRoute::is_heard() {
  heard_ = heard_ || (writer_ != nullptr && writer_->matched_readers() != 0);
  return heard_;
}

/// Under mutex_. One sample may always wait, however large: who asks with large ones only would
/// never be heard.
bool InboundRoute::has_room_to_wait(std::size_t size) const {
  return waiting_.empty() || waiting_bytes_ + size <= most_waiting_bytes;
}

void InboundRoute::keep(std::span<const std::byte> payload, const dds::Received& sample,
                        const pool::RequestIdentity& request) {
  if (waiting_.size() == most_waiting || !has_room_to_wait(payload.size())) {
    ++(writer_ == nullptr ? figures_.unwanted : figures_.no_room);
    if (!is_ready(sample.writer) && turned_away_clients_.size() < most_writers) {
      turned_away_clients_.emplace(sample.writer, request);  // its next may find it ready
    }
    return;
  }
  waiting_bytes_ += payload.size();
  waiting_.push_back({{payload.begin(), payload.end()},
                      sample.source_timestamp_ns,
                      sample.writer,
                      request,
                      pool::monotonic_now_ns()});
}

/// Of a request or reply: which one it is. The payload is then shorter by the header, if it had
/// one. False where it is none (counted), or a reply to somebody who is not here (as common as
/// ours, so not counted).
bool InboundRoute::take_identity(const dds::Received& sample, std::span<std::byte>& payload,
                                 pool::RequestIdentity& request) {
  const InMark mark = service_.identity_of(sample, payload);
  figures_.unknown_form += mark.arrival == Arrival::malformed ? 1 : 0;
  request = mark.identity;
  payload = payload.first(payload.size() - mark.header_size);
  return mark.arrival == Arrival::ours;
}

void InboundRoute::count_received(std::size_t size) {
  ++figures_.received;
  figures_.bytes += size;
}

bool InboundRoute::deliver_waiting() {
  const std::lock_guard guard(mutex_);
  return !waiting_.empty() && deliver_what_waits();
}

bool InboundRoute::has_waiting() const {
  const std::lock_guard guard(mutex_);
  return !waiting_.empty();
}

/// Under mutex_.
bool InboundRoute::deliver_what_waits() {
  const std::int64_t patience_ends = pool::monotonic_now_ns() - service_.patience_ns;
  if (writer_ == nullptr) {
    forget_waiting(patience_ends);
  }
  if (waiting_.empty() || !is_heard()) {
    return !waiting_.empty();
  }
  std::deque<Waiting> later;
  for (Waiting& sample : std::exchange(waiting_, {})) {
    if (is_ready(sample.writer) || sample.since_ns < patience_ends) {
      waiting_bytes_ -= sample.payload.size();
      deliver(sample);
    } else {
      later.push_back(std::move(sample));
    }
  }
  waiting_ = std::move(later);
  return !waiting_.empty();
}

/// Under mutex_. Nobody here wants what came before that time: the route was closed meanwhile, or
/// has never been opened.
void InboundRoute::forget_waiting(std::int64_t before_ns) {
  while (!waiting_.empty() && waiting_.front().since_ns < before_ns) {
    waiting_bytes_ -= waiting_.front().payload.size();
    waiting_.pop_front();
    ++figures_.unwanted;
  }
}

/// Under mutex_.
void InboundRoute::deliver(const Waiting& sample) {
  auto loan = writer_->loan(sample.payload.size(), encapsulation_size);
  if (!loan) {
    ++figures_.no_room;
    return;
  }
  std::memcpy(loan->payload().data(), sample.payload.data(), sample.payload.size());
  if (writer_->publish(std::move(*loan),
                       {sample.source_timestamp_ns, sample.request, sample.writer})) {
    count_received(sample.payload.size());
  }
}

bool InboundRoute::is_open() const {
  const std::lock_guard guard(mutex_);
  return writer_ != nullptr;
}

std::unique_ptr<dds::Incoming> InboundRoute::receive(std::size_t size, const dds::Marks& marks) {
  std::shared_ptr<pool::Writer> writer;
  {
    const std::lock_guard guard(mutex_);
    writer = writer_;
    const bool is_too_large = writer != nullptr && size > bound_bytes_;
    const bool is_full = writer == nullptr && !has_room_to_wait(size);
    if (is_too_large || is_full) {
      turn_away(marks, is_too_large ? figures_.too_large : figures_.unwanted);
      return nullptr;
    }
  }
  if (writer == nullptr) {
    return std::make_unique<Payload>(size);
  }
  // The body, behind the encapsulation, lies aligned: then all its arrays do, for the CPU.
  auto loan = writer->loan(size, encapsulation_size);
  if (!loan) {
    const std::lock_guard guard(mutex_);
    turn_away(marks, figures_.no_room);
    return nullptr;
  }
  return std::make_unique<Payload>(std::move(writer), std::move(*loan));
}

/// Under mutex_.
InboundRoute::Recent& InboundRoute::recent_of(const dds::Gid& writer) {
  if (recent_.size() > most_writers) {
    recent_.clear();
  }
  return recent_[writer];
}

/// Under mutex_. The engine delivers a writer's samples in their order, so a gap in their numbers
/// stays one: overwritten before it was repaired, or best-effort.
bool InboundRoute::is_new_number(const dds::Gid& writer, std::int64_t number) {
  const auto [is_new, gap] = recent_of(writer).numbers.add(number);
  figures_.missing += gap;
  return is_new;
}

/// Under mutex_. Counted for what it is, and so not missing; once, if several readers are sent it.
void InboundRoute::turn_away(const dds::Marks& marks, std::uint64_t& counter) {
  if (marks.sequence == 0 || is_new_number(marks.writer, marks.sequence)) {
    ++counter;
  }
}

/// Under mutex_. By its number, whatever it says of the time: the engine gives 0 to all samples of
/// a writer that sends none. Those between writers of one process have no number.
bool InboundRoute::is_repeated(const dds::Received& sample) {
  if (sample.marks.sequence != 0) {
    return !is_new_number(sample.writer, sample.marks.sequence);
  }
  auto& seen = recent_of(sample.writer).timestamps;
  if (std::find(seen.begin(), seen.end(), sample.source_timestamp_ns) != seen.end()) {
    return true;
  }
  constexpr std::size_t most_timestamps = 64;
  if (seen.size() == most_timestamps) {
    seen.pop_front();
  }
  seen.push_back(sample.source_timestamp_ns);
  return false;
}

/// Whether the payload is plain little-endian CDR; its option bytes are put to 0.
bool InboundRoute::is_plain(std::span<std::byte> payload) {
  if (payload.size() < encapsulation_size || payload[0] != std::byte{0} ||
      payload[1] > std::byte{1}) {
    ++figures_.unknown_form;
    return false;
  }
  if (payload[1] == std::byte{0}) {
    ++figures_.big_endian;
    return false;
  }
  payload[2] = payload[3] = std::byte{0};
  return true;
}

void InboundRoute::publish(dds::Received&& sample) {
  if (sample.incoming == nullptr) {
    return;  // another reader of the topic has delivered it
  }
  std::span<std::byte> bytes = sample.incoming->bytes();
  const std::lock_guard guard(mutex_);
  if (!waiting_.empty()) {
    (void)deliver_what_waits();
  }
  if (is_repeated(sample)) {
    ++figures_.repeated;
    return;
  }
  if (!is_plain(bytes)) {
    return;
  }
  pool::RequestIdentity request;
  if (service_.identity_of && !take_identity(sample, bytes, request)) {
    return;
  }
  auto& payload = static_cast<Payload&>(*sample.incoming);  // receive() makes no others
  if (payload.loan && writer_ == nullptr && !rests_) {
    ++figures_.unwanted;  // its last subscription has left while it was being received
    return;
  }
  if (!payload.loan || payload.writer != writer_ || !is_heard() || has_waiting(sample.writer) ||
      !is_ready(sample.writer)) {
    keep(bytes, sample, request);
    if (on_waiting_) {
      on_waiting_();
    }
    return;
  }
  payload.loan->resize(bytes.size());
  if (writer_->publish(std::move(*payload.loan),
                       {sample.source_timestamp_ns, request, sample.writer})) {
    count_received(bytes.size());
  }
}

InboundFigures InboundRoute::figures() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

}  // namespace ligament::edge
