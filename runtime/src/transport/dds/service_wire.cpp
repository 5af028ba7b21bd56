// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/service_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ligament/message_traits.hpp>

namespace ligament::dds {

static_assert(std::endian::native == std::endian::little, "the header is written as it lies");

std::vector<std::byte> with_header(std::span<const std::byte> stored, const RequestHeader& header) {
  const std::size_t front = std::min(stored.size(), encapsulation_size);
  std::vector<std::byte> bytes(stored.size() + request_header_size);
  std::byte* at = std::copy_n(stored.data(), front, bytes.data());
  std::memcpy(at, header.client.data(), header.client.size());
  std::memcpy(at + header.client.size(), &header.sequence, sizeof header.sequence);
  std::copy(stored.begin() + static_cast<std::ptrdiff_t>(front), stored.end(),
            at + request_header_size);
  return bytes;
}

std::optional<RequestHeader> take_header(std::span<std::byte> payload) {
  if (payload.size() < encapsulation_size + request_header_size) {
    return std::nullopt;
  }
  RequestHeader header;
  std::byte* const at = payload.data() + encapsulation_size;
  std::memcpy(header.client.data(), at, header.client.size());
  std::memcpy(&header.sequence, at + header.client.size(), sizeof header.sequence);
  std::copy(at + request_header_size, payload.data() + payload.size(), at);
  return header;
}

pool::RequestIdentity to_identity(const RequestHeader& header) {
  pool::RequestIdentity identity;
  std::copy(header.client.begin(), header.client.end(), identity.client.begin());
  identity.sequence = header.sequence;
  return identity;
}

std::optional<RequestHeader> from_identity(const pool::RequestIdentity& identity) {
  RequestHeader header;
  const auto* const half = identity.client.begin() + header.client.size();
  if (std::any_of(half, identity.client.end(), [](std::uint8_t byte) { return byte != 0; })) {
    return std::nullopt;
  }
  std::copy(identity.client.begin(), half, header.client.begin());
  header.sequence = identity.sequence;
  return header;
}

namespace {

/// The two upper bits of an entity's kind: 00 a user's, 01 a vendor's, 11 built in.
constexpr std::uint8_t kind_bits = 0xc0;
constexpr std::uint8_t foreign_client = 0x80;

/// Whether "key=..." is one of the words of `user_data`.
bool has_key(std::string_view user_data, std::string_view key) {
  const std::size_t at = user_data.find(key);
  return at == 0 || (at != std::string_view::npos && user_data[at - 1] == ';');
}

}  // namespace

std::optional<pool::RequestIdentity> to_identity(const SampleIdentity& request) {
  if ((request.writer.back() & kind_bits) != 0 || request.writer == pool::Gid{}) {
    return std::nullopt;
  }
  pool::RequestIdentity identity{request.writer, request.sequence};
  identity.client.back() |= foreign_client;
  return identity;
}

std::optional<SampleIdentity> related_from_identity(const pool::RequestIdentity& identity) {
  if ((identity.client.back() & kind_bits) != foreign_client) {
    return std::nullopt;
  }
  SampleIdentity request{identity.client, identity.sequence};
  request.writer.back() &= static_cast<std::uint8_t>(~kind_bits);
  return request;
}

ServiceForm form_of(std::string_view user_data) {
  return has_key(user_data, "serviceid=") || has_key(user_data, "clientid=") ? ServiceForm::header
                                                                             : ServiceForm::related;
}

/// As rmw_cyclonedds prints it: bytes without leading zeros, only the first one filled up with a
/// space.
std::string service_user_data(ServiceEnd end, const pool::Gid& id, const TypeHash& hash) {
  std::string text = end == ServiceEnd::server ? "serviceid=" : "clientid=";
  text += fmt::format("{:2x}", id.front());
  for (std::size_t i = 1; i < id.size(); ++i) {
    text += fmt::format(".{:x}", id[i]);
  }
  return text + ";" + endpoint_user_data(hash);
}

}  // namespace ligament::dds
