// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/first_acks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace ligament::dds {

namespace {

// Of an AckNack without bits. Its two words of a number: the upper one first.
constexpr std::size_t ack_nack_size = 28;
constexpr std::size_t reader_at = 4;
constexpr std::size_t acked_writer_at = 8;
constexpr std::size_t base_at = 12;
constexpr std::size_t number_at = 16;
constexpr std::size_t count_at = 24;
constexpr std::array<std::byte, 16> from_one{{{}, {}, {}, {}, std::byte{1}}};  // no bits, count 0

std::size_t length_of(std::span<const std::byte> header) {
  std::uint16_t length = 0;
  std::memcpy(&length, &header[2], sizeof length);
  return length;
}

/// Little-endian, not final: an answer is asked for.
bool is_first_ack(std::span<const std::byte> submessage) {
  return submessage.size() == ack_nack_size && submessage[0] == rtps::ack_nack &&
         submessage[1] == rtps::little_endian &&
         std::equal(from_one.begin(), from_one.end(), submessage.begin() + base_at);
}

}  // namespace

void FirstAcks::set_form(std::span<std::byte> ack) {
  std::memcpy(&reader_[rtps::prefix_size], &ack[reader_at], rtps::entity_size);
  std::memcpy(&writer_[rtps::prefix_size], &ack[acked_writer_at], rtps::entity_size);
  const std::uint32_t count = next_count_(reader_, writer_);
  std::memcpy(&ack[count_at], &count, sizeof count);
  ack[number_at] = std::byte{0};
}

std::size_t FirstAcks::adapt(std::span<std::byte> part) {
  if (!has_header_ && part.size() >= rtps::header_size) {
    std::memcpy(reader_.data(), &part[rtps::prefix_at], rtps::prefix_size);
    skip_ = rtps::header_size;
    has_header_ = true;
  }
  std::size_t changed = 0;
  while (has_header_ && skip_ < part.size() &&
         part.size() - skip_ >= rtps::submessage_header_size) {
    part = part.subspan(skip_);
    const std::size_t length = length_of(part);
    const bool is_last = length == 0 && rtps::lasts_to_the_end(part[0]);
    skip_ =
        is_last ? std::numeric_limits<std::size_t>::max() : rtps::submessage_header_size + length;
    const auto submessage = part.first(std::min(skip_, part.size()));
    const auto body = submessage.subspan(rtps::submessage_header_size);
    if (part[0] == rtps::info_destination) {
      to_fastdds_ = body.size() >= rtps::prefix_size && rtps::is_fastdds(body);
      std::memcpy(writer_.data(), body.data(), std::min(body.size(), rtps::prefix_size));
    } else if (to_fastdds_ && is_first_ack(submessage)) {
      set_form(submessage);
      ++changed;
    }
  }
  skip_ -= std::min(skip_, part.size());
  return changed;
}

}  // namespace ligament::dds
