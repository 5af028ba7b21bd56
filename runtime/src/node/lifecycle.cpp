// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <ligament/lifecycle.hpp>
#include <ligament/lifecycle_msgs/msg/state.hpp>
#include <ligament/lifecycle_msgs/msg/transition.hpp>
#include <string_view>

namespace ligament::detail {
namespace {

using S = lifecycle_msgs::msg::State;
using T = lifecycle_msgs::msg::Transition;

struct Named {
  std::uint8_t id;
  std::string_view label;
};

constexpr std::array<Named, 11> all_states{{
    {S::PRIMARY_STATE_UNKNOWN, "unknown"},
    {S::PRIMARY_STATE_UNCONFIGURED, "unconfigured"},
    {S::PRIMARY_STATE_INACTIVE, "inactive"},
    {S::PRIMARY_STATE_ACTIVE, "active"},
    {S::PRIMARY_STATE_FINALIZED, "finalized"},
    {S::TRANSITION_STATE_CONFIGURING, "configuring"},
    {S::TRANSITION_STATE_CLEANINGUP, "cleaningup"},
    {S::TRANSITION_STATE_SHUTTINGDOWN, "shuttingdown"},
    {S::TRANSITION_STATE_ACTIVATING, "activating"},
    {S::TRANSITION_STATE_DEACTIVATING, "deactivating"},
    {S::TRANSITION_STATE_ERRORPROCESSING, "errorprocessing"},
}};

struct Row {
  std::uint8_t id;
  std::string_view label;
  std::uint8_t start;
  std::uint8_t goal;
};

constexpr std::string_view succeeds = "transition_success";
constexpr std::string_view fails = "transition_failure";
constexpr std::string_view errs = "transition_error";

/// In rcl's order: what get_transition_graph tells is compared with it.
constexpr std::array<Row, 25> rows{{
    {T::TRANSITION_CONFIGURE, "configure", S::PRIMARY_STATE_UNCONFIGURED,
     S::TRANSITION_STATE_CONFIGURING},
    {T::TRANSITION_ON_CONFIGURE_SUCCESS, succeeds, S::TRANSITION_STATE_CONFIGURING,
     S::PRIMARY_STATE_INACTIVE},
    {T::TRANSITION_ON_CONFIGURE_FAILURE, fails, S::TRANSITION_STATE_CONFIGURING,
     S::PRIMARY_STATE_UNCONFIGURED},
    {T::TRANSITION_ON_CONFIGURE_ERROR, errs, S::TRANSITION_STATE_CONFIGURING,
     S::TRANSITION_STATE_ERRORPROCESSING},
    {T::TRANSITION_CLEANUP, "cleanup", S::PRIMARY_STATE_INACTIVE, S::TRANSITION_STATE_CLEANINGUP},
    {T::TRANSITION_ON_CLEANUP_SUCCESS, succeeds, S::TRANSITION_STATE_CLEANINGUP,
     S::PRIMARY_STATE_UNCONFIGURED},
    {T::TRANSITION_ON_CLEANUP_FAILURE, fails, S::TRANSITION_STATE_CLEANINGUP,
     S::PRIMARY_STATE_INACTIVE},
    {T::TRANSITION_ON_CLEANUP_ERROR, errs, S::TRANSITION_STATE_CLEANINGUP,
     S::TRANSITION_STATE_ERRORPROCESSING},
    {T::TRANSITION_ACTIVATE, "activate", S::PRIMARY_STATE_INACTIVE, S::TRANSITION_STATE_ACTIVATING},
    {T::TRANSITION_ON_ACTIVATE_SUCCESS, succeeds, S::TRANSITION_STATE_ACTIVATING,
     S::PRIMARY_STATE_ACTIVE},
    {T::TRANSITION_ON_ACTIVATE_FAILURE, fails, S::TRANSITION_STATE_ACTIVATING,
     S::PRIMARY_STATE_INACTIVE},
    {T::TRANSITION_ON_ACTIVATE_ERROR, errs, S::TRANSITION_STATE_ACTIVATING,
     S::TRANSITION_STATE_ERRORPROCESSING},
    {T::TRANSITION_DEACTIVATE, "deactivate", S::PRIMARY_STATE_ACTIVE,
     S::TRANSITION_STATE_DEACTIVATING},
    {T::TRANSITION_ON_DEACTIVATE_SUCCESS, succeeds, S::TRANSITION_STATE_DEACTIVATING,
     S::PRIMARY_STATE_INACTIVE},
    {T::TRANSITION_ON_DEACTIVATE_FAILURE, fails, S::TRANSITION_STATE_DEACTIVATING,
     S::PRIMARY_STATE_ACTIVE},
    {T::TRANSITION_ON_DEACTIVATE_ERROR, errs, S::TRANSITION_STATE_DEACTIVATING,
     S::TRANSITION_STATE_ERRORPROCESSING},
    {T::TRANSITION_UNCONFIGURED_SHUTDOWN, "shutdown", S::PRIMARY_STATE_UNCONFIGURED,
     S::TRANSITION_STATE_SHUTTINGDOWN},
    {T::TRANSITION_INACTIVE_SHUTDOWN, "shutdown", S::PRIMARY_STATE_INACTIVE,
     S::TRANSITION_STATE_SHUTTINGDOWN},
    {T::TRANSITION_ACTIVE_SHUTDOWN, "shutdown", S::PRIMARY_STATE_ACTIVE,
     S::TRANSITION_STATE_SHUTTINGDOWN},
    {T::TRANSITION_ON_SHUTDOWN_SUCCESS, succeeds, S::TRANSITION_STATE_SHUTTINGDOWN,
     S::PRIMARY_STATE_FINALIZED},
    {T::TRANSITION_ON_SHUTDOWN_FAILURE, fails, S::TRANSITION_STATE_SHUTTINGDOWN,
     S::PRIMARY_STATE_FINALIZED},
    {T::TRANSITION_ON_SHUTDOWN_ERROR, errs, S::TRANSITION_STATE_SHUTTINGDOWN,
     S::TRANSITION_STATE_ERRORPROCESSING},
    {T::TRANSITION_ON_ERROR_SUCCESS, succeeds, S::TRANSITION_STATE_ERRORPROCESSING,
     S::PRIMARY_STATE_UNCONFIGURED},
    {T::TRANSITION_ON_ERROR_FAILURE, fails, S::TRANSITION_STATE_ERRORPROCESSING,
     S::PRIMARY_STATE_FINALIZED},
    {T::TRANSITION_ON_ERROR_ERROR, errs, S::TRANSITION_STATE_ERRORPROCESSING,
     S::PRIMARY_STATE_FINALIZED},
}};

/// Those from 10 on are steps of the machine itself, and nobody may ask for them.
bool may_be_asked_for(const Row& row) { return row.id < T::TRANSITION_ON_CONFIGURE_SUCCESS; }

LifecycleState state_of(std::uint8_t id) {
  const auto found = std::find_if(all_states.begin(), all_states.end(),
                                  [id](const Named& one) { return one.id == id; });
  return found == all_states.end() ? LifecycleState{}
                                   : LifecycleState{id, std::string(found->label)};
}

LifecycleTransition transition_of(const Row& row) {
  return {row.id, std::string(row.label), state_of(row.start), state_of(row.goal)};
}

}  // namespace

LifecycleState LifecycleMachine::state() const {
  const std::lock_guard lock(mutex_);
  return state_of(state_);
}

std::vector<LifecycleState> LifecycleMachine::states() {
  std::vector<LifecycleState> all;
  for (const Named& one : all_states) {
    all.push_back({one.id, std::string(one.label)});
  }
  return all;
}

std::vector<LifecycleTransition> LifecycleMachine::graph() {
  std::vector<LifecycleTransition> all;
  for (const Row& row : rows) {
    all.push_back(transition_of(row));
  }
  return all;
}

std::vector<LifecycleTransition> LifecycleMachine::available() const {
  const std::lock_guard lock(mutex_);
  std::vector<LifecycleTransition> found;
  for (const Row& row : rows) {
    if (row.start == state_) {
      found.push_back(transition_of(row));
    }
  }
  return found;
}

template <typename Fits>
expected<LifecycleTransition, std::string> LifecycleMachine::begin_if(const std::string& what,
                                                                      const Fits& fits) {
  LifecycleTransition begun;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.start == state_ && may_be_asked_for(row) && fits(row);
    });
    if (found == rows.end()) {
      return unexpected<std::string>("there is no transition " + what + " from the state '" +
                                     state_of(state_).label + "'");
    }
    state_ = found->goal;
    begun = transition_of(*found);
  }
  told_(begun);
  return begun;
}

expected<LifecycleTransition, std::string> LifecycleMachine::begin(std::uint8_t id) {
  return begin_if(std::to_string(id), [id](const Row& row) { return row.id == id; });
}

expected<LifecycleTransition, std::string> LifecycleMachine::begin(const std::string& label) {
  return begin_if("'" + label + "'", [&](const Row& row) { return row.label == label; });
}

LifecycleState LifecycleMachine::end(CallbackReturn result) {
  const std::string_view label = result == CallbackReturn::success   ? succeeds
                                 : result == CallbackReturn::failure ? fails
                                                                     : errs;
  LifecycleTransition ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.start == state_ && row.label == label;
    });
    if (found == rows.end()) {
      return state_of(state_);  // no transition has begun
    }
    state_ = found->goal;
    ended = transition_of(*found);
  }
  told_(ended);
  return ended.goal;
}

}  // namespace ligament::detail
