// SPDX-License-Identifier: Apache-2.0
/// \file How back-ends say that something is wrong.
#pragma once

#include <ligament/device.hpp>
#include <string>
#include <utility>

namespace ligament::device {

[[nodiscard]] inline unexpected<Error> failure(ErrorCode code, std::string text) {
  return unexpected<Error>(Error{code, std::move(text)});
}

}  // namespace ligament::device
