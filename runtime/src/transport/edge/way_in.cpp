// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_in.hpp"

#include <algorithm>
#include <optional>

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

}  // namespace

WayIn::WayIn(std::size_t bound_bytes)
    : bound_bytes_(bound_bytes != 0 ? bound_bytes : largest_payload) {}

void WayIn::set_writer(std::shared_ptr<pool::Writer> writer) {
  const std::lock_guard guard(mutex_);
  std::swap(writer_, writer);  // the old one ends after the lock
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
    if (writer == nullptr) {
      ++figures_.unwanted;
      return nullptr;
    }
    if (size > bound_bytes_) {
      ++figures_.too_large;
      return nullptr;
    }
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
  auto& payload = static_cast<LoanedPayload&>(*sample.incoming);
  const std::lock_guard guard(mutex_);
  if (is_repeated(sample)) {
    ++figures_.repeated;
    return;
  }
  if (!is_plain(payload.bytes())) {
    return;
  }
  const std::size_t size = payload.bytes().size();
  if (payload.writer->publish(std::move(payload.loan),
                              {sample.source_timestamp_ns, {}, sample.writer})) {
    ++figures_.received;
    figures_.bytes += size;
  }
}

WayInFigures WayIn::figures() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

}  // namespace ligament::edge
