// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/inline_qos.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ligament::dds {

static_assert(std::endian::native == std::endian::little, "parameters are written as they lie");

namespace {

constexpr std::uint16_t sentinel = 0x0001;
constexpr std::uint16_t related_identity = 0x0083;
constexpr std::uint16_t vendor_related_identity = 0x800f;
constexpr std::uint16_t identity_size = 24;

struct Submessage {
  std::byte id;
  std::size_t header_size;
};
constexpr Submessage data{std::byte{0x15}, 24};
constexpr Submessage data_frag{std::byte{0x16}, 36};
constexpr std::byte little_endian_flag{0x01};
constexpr std::byte inline_qos_flag{0x02};
constexpr std::byte data_flag{0x04};

constexpr std::uint16_t participant_guid = 0x0050;
constexpr std::uint16_t endpoint_guid = 0x005a;
constexpr std::uint16_t participant_guid_size = 16;
constexpr std::size_t entity_size = 4;
using Entity = std::array<std::byte, entity_size>;
constexpr Entity participant_entity{std::byte{0}, std::byte{0}, std::byte{1}, std::byte{0xc1}};
constexpr Entity publications_writer{std::byte{0}, std::byte{0}, std::byte{3}, std::byte{0xc2}};
constexpr Entity subscriptions_writer{std::byte{0}, std::byte{0}, std::byte{4}, std::byte{0xc2}};

std::uint16_t word_at(std::span<const std::byte> bytes, std::size_t at, std::endian order) {
  std::uint16_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return order == std::endian::native ? word : static_cast<std::uint16_t>(word << 8 | word >> 8);
}

std::int32_t half_at(std::span<const std::byte> bytes, std::size_t at, std::endian order) {
  std::uint32_t half = 0;
  std::memcpy(&half, bytes.data() + at, sizeof half);
  return static_cast<std::int32_t>(order == std::endian::native ? half : __builtin_bswap32(half));
}

/// 16 bytes of guid, then the number's two halves, the upper one first.
SampleIdentity identity_in(std::span<const std::byte> value, std::endian order) {
  SampleIdentity identity;
  std::memcpy(identity.writer.data(), value.data(), identity.writer.size());
  const std::int64_t high = half_at(value, 16, order);
  const auto low = static_cast<std::uint32_t>(half_at(value, 20, order));
  identity.sequence = high * (std::int64_t{1} << 32) + low;
  return identity;
}

std::byte* put(std::byte* at, const void* source, std::size_t size) {
  std::memcpy(at, source, size);
  return at + size;
}

std::byte* put_parameter(std::byte* at, std::uint16_t id, const SampleIdentity& identity) {
  const auto high = static_cast<std::int32_t>(identity.sequence >> 32);
  const auto low = static_cast<std::uint32_t>(identity.sequence);
  at = put(at, &id, sizeof id);
  at = put(at, &identity_size, sizeof identity_size);
  at = put(at, identity.writer.data(), identity.writer.size());
  at = put(at, &high, sizeof high);
  return put(at, &low, sizeof low);
}

/// The same header, of a submessage that is so much longer. Nothing: that is too long.
std::optional<DataHeader> longer_by(std::span<const std::byte> header, std::size_t more) {
  DataHeader result{.size = header.size()};
  std::copy(header.begin(), header.end(), result.bytes.begin());
  // 0: to the end of the message, whatever the length.
  const std::size_t length = word_at(header, 2, std::endian::little);
  const std::size_t longer = length == 0 ? 0 : length + more;
  if (longer > std::numeric_limits<std::uint16_t>::max()) {
    return std::nullopt;
  }
  const auto word = static_cast<std::uint16_t>(longer);
  std::memcpy(&result.bytes[2], &word, sizeof word);
  return result;
}

bool is_plain(std::span<const std::byte> header, const Submessage& kind) {
  return header[0] == kind.id && (header[1] & little_endian_flag) != std::byte{0} &&
         (header[1] & inline_qos_flag) == std::byte{0} &&
         word_at(header, 6, std::endian::little) == kind.header_size - 8;
}

}  // namespace

RelatedParameters related_parameters(const SampleIdentity& related) {
  RelatedParameters bytes{};
  std::byte* at = put_parameter(bytes.data(), related_identity, related);
  at = put_parameter(at, vendor_related_identity, related);
  (void)put(at, &sentinel, sizeof sentinel);
  return bytes;
}

std::optional<SampleIdentity> find_related(std::span<const std::byte> parameters,
                                           std::endian order) {
  while (parameters.size() >= 4) {
    const std::uint16_t id = word_at(parameters, 0, order);
    const std::uint16_t size = word_at(parameters, 2, order);
    if (id == sentinel || size > parameters.size() - 4) {
      return std::nullopt;
    }
    const auto value = parameters.subspan(4, size);
    if ((id == related_identity || id == vendor_related_identity) && size >= identity_size) {
      return identity_in(value, order);
    }
    parameters = parameters.subspan(std::size_t{4} + size);
  }
  return std::nullopt;
}

std::optional<DataHeader> header_with_related(std::span<const std::byte> before) {
  for (const Submessage& kind : {data, data_frag}) {
    if (before.size() < kind.header_size) {
      continue;
    }
    const auto header = before.last(kind.header_size);
    if (!is_plain(header, kind)) {
      continue;
    }
    auto result = longer_by(header, related_size);
    if (result) {
      result->bytes[1] |= inline_qos_flag;
    }
    return result;
  }
  return std::nullopt;
}

std::optional<ParticipantParameter> participant_parameter(std::span<const std::byte> payload) {
  constexpr std::size_t prefix_size = 12;
  auto list =
      payload.size() < encapsulation_size ? payload.first(0) : payload.subspan(encapsulation_size);
  while (list.size() >= 4 + participant_guid_size) {
    const std::uint16_t id = word_at(list, 0, std::endian::little);
    const std::uint16_t size = word_at(list, 2, std::endian::little);
    if (id == sentinel || size > list.size() - 4) {
      return std::nullopt;
    }
    if (id == endpoint_guid && size == participant_guid_size) {
      ParticipantParameter bytes{};
      std::byte* at = put(bytes.data(), &participant_guid, sizeof participant_guid);
      at = put(at, &participant_guid_size, sizeof participant_guid_size);
      at = put(at, list.data() + 4, prefix_size);
      (void)put(at, participant_entity.data(), participant_entity.size());
      return bytes;
    }
    list = list.subspan(std::size_t{4} + size);
  }
  return std::nullopt;
}

std::optional<DataHeader> header_with_participant(std::span<const std::byte> before,
                                                  std::span<const std::byte> payload) {
  constexpr std::size_t writer_at = 12;
  constexpr std::array list{std::byte{0}, std::byte{3}};  // PL_CDR_LE
  if (before.size() < data.header_size || payload.size() < encapsulation_size ||
      !std::equal(list.begin(), list.end(), payload.begin())) {
    return std::nullopt;
  }
  const auto header = before.last(data.header_size);
  const auto writer = header.subspan(writer_at, entity_size);
  const auto is = [&](const Entity& entity) {
    return std::equal(writer.begin(), writer.end(), entity.begin());
  };
  const bool announces = is_plain(header, data) && (header[1] & data_flag) != std::byte{0} &&
                         (is(publications_writer) || is(subscriptions_writer));
  return announces ? longer_by(header, participant_size) : std::nullopt;
}

}  // namespace ligament::dds
