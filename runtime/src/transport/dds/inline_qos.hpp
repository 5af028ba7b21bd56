// SPDX-License-Identifier: Apache-2.0
/// \file Parameters that the engine does not send, and others need. The related sample identity:
/// which request a message answers, and where the answer is to go, as rmw_fastrtps says it, in a
/// data submessage's inline QoS. And whose an endpoint is, where it is announced. Bytes only; the
/// engine is in inline_qos_sender.hpp. Rules: spec/wire/dds.md, sections 4 and 8.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <optional>
#include <span>

namespace ligament::dds {

/// A sample of some writer; or, as a request says it, that writer's client by its reply reader.
struct SampleIdentity {
  pool::Gid writer{};
  std::int64_t sequence = 0;
  bool operator==(const SampleIdentity&) const = default;
};
/// Of a request, whose own number is that of its sample.
inline constexpr std::int64_t unknown_sequence = -(std::int64_t{1} << 32);

/// A parameter list with the identity, twice (the standard's parameter and the older vendor's), and
/// its end, little-endian.
inline constexpr std::size_t related_size = 2 * 28 + 4;
using RelatedParameters = std::array<std::byte, related_size>;
[[nodiscard]] RelatedParameters related_parameters(const SampleIdentity& related);

/// The identity in a parameter list that a peer has sent; nothing where it has none, or is cut.
[[nodiscard]] std::optional<SampleIdentity> find_related(std::span<const std::byte> parameters,
                                                         std::endian order);

/// A data submessage's header that announces inline QoS, which then comes between it and payload.
struct DataHeader {
  std::array<std::byte, 36> bytes{};  ///< of DATA_FRAG; DATA has 24
  std::size_t size = 0;
};
/// Of the header, without inline QoS, that `before` ends with. Nothing: it ends with none, or the
/// submessage would be too long.
[[nodiscard]] std::optional<DataHeader> header_with_related(std::span<const std::byte> before);

/// PID_PARTICIPANT_GUID in a parameter list, little-endian.
inline constexpr std::size_t participant_size = 20;
using ParticipantParameter = std::array<std::byte, participant_size>;
/// Of the participant of the endpoint that this payload announces, by its guid (PID_ENDPOINT_GUID):
/// the engine lets one participant of a process announce the endpoints of all. Nothing: it has
/// none.
[[nodiscard]] std::optional<ParticipantParameter> participant_parameter(
    std::span<const std::byte> payload);
/// Of the header, that `before` ends with, of a DATA submessage by which a writer or a reader is
/// announced (SEDP) with that parameter list as payload: the same, for a payload that is longer by
/// participant_size. Nothing: it is another submessage, or would be too long.
[[nodiscard]] std::optional<DataHeader> header_with_participant(std::span<const std::byte> before,
                                                                std::span<const std::byte> payload);
/// Behind so many bytes of the payload, its encapsulation, the parameter goes.
inline constexpr std::size_t encapsulation_size = 4;

}  // namespace ligament::dds
