// SPDX-License-Identifier: Apache-2.0
/// \file A node's log lines as messages on /rosout.
#pragma once

#include <ligament/logging.hpp>
#include <ligament/node.hpp>
#include <memory>

namespace ligament::detail {

/// Publishes each line that is written while it lives.
[[nodiscard]] std::shared_ptr<LogSink> make_rosout(Node& node);

}  // namespace ligament::detail
