// SPDX-License-Identifier: Apache-2.0
// Generated from every_feature_msgs/srv/Nothing by template service.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/every_feature_msgs/srv/nothing__request.hpp>
#include <ligament/every_feature_msgs/srv/nothing__response.hpp>
#include <ligament/every_feature_msgs/srv/nothing__event.hpp>

namespace ligament::every_feature_msgs::srv {

/// every_feature_msgs/srv/Nothing
struct Nothing {
  static constexpr std::string_view name = "every_feature_msgs/srv/Nothing";
  using Request = Nothing_Request;
  using Response = Nothing_Response;
  using Event = Nothing_Event;
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0xe1, 0x9b, 0x24, 0xbe, 0x52, 0xc0, 0x3d, 0x21,
      0x6c, 0xa4, 0x10, 0xe5, 0x85, 0xb0, 0x8f, 0xce,
      0x24, 0x58, 0x92, 0x69, 0x0d, 0xdf, 0x51, 0xb9,
      0xa6, 0x2e, 0xc8, 0x7e, 0x11, 0xab, 0xfd, 0xf2,
  };
};

}  // namespace ligament::every_feature_msgs::srv
