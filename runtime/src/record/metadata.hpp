// SPDX-License-Identifier: Apache-2.0
/// \file QoS and metadata.yaml as rosbag2 of Jazzy writes them (version 9), and QoS as it and older
/// versions wrote them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ligament/qos.hpp"
#include "record/mcap_writer.hpp"

namespace ligament::record {

inline constexpr const char* qos_key = "offered_qos_profiles";
inline constexpr const char* hash_key = "topic_type_hash";

using TypeHash = std::array<std::uint8_t, 32>;

/// `RIHS01_` and 64 digits.
[[nodiscard]] std::string hash_text(const TypeHash& hash);
/// Nothing if it is no such text.
[[nodiscard]] std::optional<TypeHash> parse_hash(std::string_view text);

/// A list of profiles, as a channel's metadata has it.
[[nodiscard]] std::string qos_text(const std::vector<QoSProfile>& profiles);
/// What a list says that anybody may have written; what it leaves open, or says in no way that we
/// know, is a default of QoSProfile. Empty if it is no list of profiles.
[[nodiscard]] std::vector<QoSProfile> parse_qos(const std::string& text);
/// What one publisher offers for all those that have been recorded: of each policy the weakest, so
/// that whoever could hear all of them can hear it.
[[nodiscard]] QoSProfile common_offer(const std::vector<QoSProfile>& profiles);

/// The text of metadata.yaml.
[[nodiscard]] std::string metadata_yaml(const Contents& contents, const std::string& file);
/// The same for within the file.
[[nodiscard]] std::string embedded_metadata(const Contents& contents, const std::string& file);

}  // namespace ligament::record
