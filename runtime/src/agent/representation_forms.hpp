// SPDX-License-Identifier: Apache-2.0
/// \file The forms of representations, each into the same request.
#pragma once

#include "agent/representation.hpp"

namespace ligament::xrce {

[[nodiscard]] expected<void, Refusal> read_binary(CdrReader reader, EntityRequest& to);
/// `element`: that of the kind, `<topic>` for a topic.
[[nodiscard]] expected<void, Refusal> read_element(const Element& element, EntityRequest& to);

}  // namespace ligament::xrce
