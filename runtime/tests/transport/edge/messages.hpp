// SPDX-License-Identifier: Apache-2.0
/// Messages that tests send, and their bytes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <ligament/message_traits.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <string>
#include <vector>

namespace ligament::edge {

inline std_msgs::msg::String text(const std::string& data) {
  std_msgs::msg::String message;
  message.data = data;
  return message;
}

template <typename Message>
std::vector<std::byte> stored(const Message& message) {
  using Traits = MessageTraits<Message>;
  std::vector<std::byte> bytes(Traits::layout_of(message)->size);
  EXPECT_TRUE(Traits::serialize(message, bytes));
  return bytes;
}

}  // namespace ligament::edge
