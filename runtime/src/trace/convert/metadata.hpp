// SPDX-License-Identifier: Apache-2.0
/// \file Checks a recording's `metadata` file before babeltrace2 sees it.
#pragma once

#include <string>

namespace ligament::trace {

/// Empty if the file is whole, else a sentence. Looked at because libbabeltrace2 2.0.4 never
/// returns from a metadata packet that ends early, as one left by a killed daemon does.
[[nodiscard]] std::string check_metadata(const std::string& path);

}  // namespace ligament::trace
