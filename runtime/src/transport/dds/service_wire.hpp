// SPDX-License-Identifier: Apache-2.0
/// \file What ROS 2 puts on the wire for services beside the messages themselves.
/// Rules: spec/wire/dds.md, section 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/dds/inline_qos.hpp"
#include "transport/dds/names.hpp"

namespace ligament::dds {

/// Says in DDS which request a message is, or answers: 16 bytes between encapsulation and body.
/// Whoever answers sends the client's 8 bytes back as they came.
struct RequestHeader {
  std::array<std::uint8_t, 8> client{};
  std::int64_t sequence = 0;
  bool operator==(const RequestHeader&) const = default;
};
inline constexpr std::size_t request_header_size = 16;

/// The stored message with the header put in.
[[nodiscard]] std::vector<std::byte> with_header(std::span<const std::byte> stored,
                                                 const RequestHeader& header);
/// Takes the header out of a received little-endian payload, in place: the stored message is then
/// the first `payload.size() - request_header_size` bytes. Nothing, and the payload as it was,
/// where it is too short.
[[nodiscard]] std::optional<RequestHeader> take_header(std::span<std::byte> payload);

/// A client outside as the pool names it: its 8 bytes and 8 zero bytes, which no gid of the pool
/// ends with.
[[nodiscard]] pool::RequestIdentity to_identity(const RequestHeader& header);
/// The other direction; nothing for a client of the pool.
[[nodiscard]] std::optional<RequestHeader> from_identity(const pool::RequestIdentity& identity);

/// The same of a client that is known by a GUID of its own (rmw_fastrtps): its last byte, the
/// entity's kind, has the upper bits 10, which RTPS gives to no kind. Nothing for a GUID of none.
[[nodiscard]] std::optional<pool::RequestIdentity> to_identity(const SampleIdentity& request);
[[nodiscard]] std::optional<SampleIdentity> related_from_identity(
    const pool::RequestIdentity& identity);

/// How a process says which request a message is or answers.
enum class ServiceForm : std::uint8_t {
  header,   ///< in front of the body: rmw_cyclonedds, and other edges
  related,  ///< as related sample identity: rmw_fastrtps, and who follows DDS-RPC
};
/// By what an end of a service says of itself: rmw_cyclonedds's give themselves an id.
[[nodiscard]] ServiceForm form_of(std::string_view user_data);

enum class ServiceEnd : std::uint8_t { server, client };

/// What the two ends of a server or client say of themselves: the same 16 bytes at both.
[[nodiscard]] std::string service_user_data(ServiceEnd end, const pool::Gid& id,
                                            const TypeHash& hash);

}  // namespace ligament::dds
