// SPDX-License-Identifier: Apache-2.0
/// \file Folders and small files, with errors that name them.
#pragma once

#include <filesystem>
#include <string>

#include "ligament/expected.hpp"

namespace ligament::record {

/// A folder that is not there yet, and those above it.
[[nodiscard]] expected<void, std::string> make_folder(const std::filesystem::path& folder);
/// The whole file, or none.
[[nodiscard]] expected<void, std::string> save(const std::filesystem::path& file,
                                               const std::string& text);

}  // namespace ligament::record
