// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_in.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "ligament/message_traits.hpp"

namespace ligament::edge {

namespace {

constexpr std::size_t largest_payload = std::size_t{1} << 30;
/// Remote writers whose timestamps are remembered; more than the ends of any real topic.
constexpr std::size_t most_writers = 4096;

/// A loan that a payload is received into, with the writer it is of.
class LoanedPayload final : public dds::Incoming {
 public:
  LoanedPayload(std::shared_ptr<pool::Writer> writer_in, pool::Loan&& loan_in)
      : writer(std::move(writer_in)), loan(std::move(loan_in)) {}
  std::span<std::byte> bytes() override { return loan.payload(); }

  std::shared_ptr<pool::Writer> writer;  // before the loan, which ends first
  pool::Loan loan;
};

/// Memory of our own for what comes before the pool's writer exists.
class HeapPayload final : public dds::Incoming {
 public:
  explicit HeapPayload(std::size_t size) : memory_(size) {}
  std::span<std::byte> bytes() override { return memory_; }

 private:
  std::vector<std::byte> memory_;
};

// What waits until the pool has matched, which takes milliseconds.
constexpr std::size_t most_waiting = 64;
constexpr std::size_t most_waiting_bytes = std::size_t{16} << 20;

}  // namespace

WayIn::WayIn(std::size_t bound_bytes, IdentityOf identity_of)
    : bound_bytes_(bound_bytes != 0 ? bound_bytes : largest_payload),
      identity_of_(std::move(identity_of)) {}

void WayIn::set_writer(std::shared_ptr<pool::Writer> writer) {
  const std::lock_guard guard(mutex_);
  std::swap(writer_, writer);  // the old one ends after the lock
  heard_ = false;
  if (writer_ == nullptr) {
    figures_.unwanted += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
  }
}

bool WayIn::is_heard() {
  heard_ = heard_ || (writer_ != nullptr && writer_->matched_readers() != 0);
  return heard_;
}

void WayIn::keep(std::span<const std::byte> payload, const dds::Received& sample,
                 const pool::RequestIdentity& request) {
  if (waiting_.size() == most_waiting || waiting_bytes_ + payload.size() > most_waiting_bytes) {
    ++figures_.unwanted;
    return;
  }
  waiting_bytes_ += payload.size();
  waiting_.push_back(
      {{payload.begin(), payload.end()}, sample.source_timestamp_ns, sample.writer, request});
}

/// Of a request or reply: which one it is. The payload is then shorter by the header. Nothing where
/// it is none (counted), or a reply to somebody who is not here (as common as ours, so not
/// counted).
std::optional<pool::RequestIdentity> WayIn::take_identity(std::span<std::byte> payload) {
  const auto header = dds::take_header(payload);
  if (!header) {
    ++figures_.unknown_form;
    return std::nullopt;
  }
  return identity_of_(*header);
}

void WayIn::count_received(std::size_t size) {
  ++figures_.received;
  figures_.bytes += size;
}

void WayIn::deliver_waiting() {
  const std::lock_guard guard(mutex_);
  if (waiting_.empty() || !is_heard()) {
    return;
  }
  for (const Waiting& sample : std::exchange(waiting_, {})) {
    auto loan = writer_->loan(sample.payload.size(), encapsulation_size);
    if (!loan) {
      ++figures_.no_room;
      continue;
    }
    std::memcpy(loan->payload().data(), sample.payload.data(), sample.payload.size());
    if (writer_->publish(std::move(*loan),
                         {sample.source_timestamp_ns, sample.request, sample.writer})) {
      count_received(sample.payload.size());
    }
  }
  waiting_bytes_ = 0;
}

bool WayIn::is_open() const {
  const std::lock_guard guard(mutex_);
  return writer_ != nullptr;
}

std::unique_ptr<dds::Incoming> WayIn::receive(std::size_t size) {
  std::shared_ptr<pool::Writer> writer;
  {
    const std::lock_guard guard(mutex_);
    writer = writer_;
    const bool too_large = size > bound_bytes_;
    figures_.too_large += too_large ? 1 : 0;
    const bool full = writer == nullptr && size > most_waiting_bytes - waiting_bytes_;
    figures_.unwanted += full && !too_large ? 1 : 0;
    if (too_large || full) {
      return nullptr;
    }
  }
  if (writer == nullptr) {
    return std::make_unique<HeapPayload>(size);
  }
  // The body, behind the encapsulation, lies aligned: then all its arrays do, for the CPU.
  auto loan = writer->loan(size, encapsulation_size);
  if (!loan) {
    const std::lock_guard guard(mutex_);
    ++figures_.no_room;
    return nullptr;
  }
  return std::make_unique<LoanedPayload>(std::move(writer), std::move(*loan));
}

bool WayIn::is_repeated(const dds::Received& sample) {
  if (recent_.size() > most_writers) {
    recent_.clear();
  }
  Recent& recent = recent_[sample.writer];
  const auto& seen = recent.timestamps;
  if (std::find(seen.begin(), seen.end(), sample.source_timestamp_ns) != seen.end()) {
    return true;
  }
  recent.timestamps[recent.next] = sample.source_timestamp_ns;
  recent.next = (recent.next + 1) % recent.timestamps.size();
  return false;
}

/// Whether the payload is plain little-endian CDR; its option bytes are put to 0.
bool WayIn::is_plain(std::span<std::byte> payload) {
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

void WayIn::publish(dds::Received&& sample) {
  if (sample.incoming == nullptr) {
    return;  // another reader of the topic has delivered it
  }
  deliver_waiting();
  std::span<std::byte> bytes = sample.incoming->bytes();
  const std::lock_guard guard(mutex_);
  if (is_repeated(sample)) {
    ++figures_.repeated;
    return;
  }
  if (!is_plain(bytes)) {
    return;
  }
  pool::RequestIdentity request;
  if (identity_of_) {
    const auto identity = take_identity(bytes);
    if (!identity) {
      return;
    }
    request = *identity;
    bytes = bytes.first(bytes.size() - dds::request_header_size);
  }
  auto* loaned = dynamic_cast<LoanedPayload*>(sample.incoming.get());
  if (loaned != nullptr) {
    loaned->loan.resize(bytes.size());
  }
  if (loaned == nullptr || loaned->writer != writer_ || !is_heard() || !waiting_.empty()) {
    keep(bytes, sample, request);
  } else if (writer_->publish(std::move(loaned->loan),
                              {sample.source_timestamp_ns, request, sample.writer})) {
    count_received(bytes.size());
  }
}

WayInFigures WayIn::figures() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

}  // namespace ligament::edge
