// SPDX-License-Identifier: Apache-2.0
/// \file Result type of every fallible call: a value, or an error enum of that operation.
#pragma once

#include <tl/expected.hpp>

namespace ligament {

template <typename T, typename E>
using expected = tl::expected<T, E>;
template <typename E>
using unexpected = tl::unexpected<E>;

}  // namespace ligament
