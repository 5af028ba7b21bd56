// SPDX-License-Identifier: Apache-2.0
/// \file What the two halves of action_peer share.
#pragma once

#include <ligament/action_client.hpp>
#include <ligament/action_server.hpp>
#include <ligament/ligament.hpp>
#include <ligament/test_msgs/action/fibonacci.hpp>
#include <memory>
#include <string>

namespace ligament::peer {

using test_msgs::action::Fibonacci;

/// Goals of this order end as ABORTED after the first feedback.
constexpr std::int32_t order_that_fails = 13;
/// Goals of this order are not cancelled.
constexpr std::int32_t order_that_stays = 40;

/// Puts every kind of question to the server of `name`, and prints what came of it as JSON.
int ask(const std::shared_ptr<Node>& node, const std::string& name);

}  // namespace ligament::peer
