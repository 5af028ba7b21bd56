// SPDX-License-Identifier: Apache-2.0
/// \file Definitions of message types, as the tool tells them: a file of JSON,
/// `{"sensor_msgs/msg/Image": {"hash": "RIHS01_...", "definition": "std_msgs/Header header ..."}}`.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ligament/expected.hpp"
#include "record/metadata.hpp"

namespace ligament::record {

struct TypeDefinition {
  TypeHash hash{};
  std::string text;  ///< in the form `ros2msg`, with what it refers to
};
using Types = std::map<std::string, TypeDefinition>;

[[nodiscard]] expected<Types, std::string> read_types(const std::filesystem::path& file);

}  // namespace ligament::record
