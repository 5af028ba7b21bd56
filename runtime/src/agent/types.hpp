// SPDX-License-Identifier: Apache-2.0
/// \file The hashes of message types, as the tool tells them: a file of JSON with
/// `{"messages": {"sensor_msgs/msg/Imu": {"type_hash": "RIHS01_..."}}}` (`ligament/types/1`).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <ligament/expected.hpp>
#include <string>
#include <unordered_map>

namespace ligament::xrce {

using TypeHashes = std::unordered_map<std::string, std::array<std::uint8_t, 32>>;

[[nodiscard]] expected<TypeHashes, std::string> read_types(const std::filesystem::path& file);

}  // namespace ligament::xrce
