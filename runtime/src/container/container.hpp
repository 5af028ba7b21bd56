// SPDX-License-Identifier: Apache-2.0
/// \file From a configuration to running nodes to an exit status.
#pragma once

#include <string>

namespace ligament::container {

/// What the command line says.
struct Arguments {
  std::string config;
  int status_descriptor = -1;
  std::string trace;              ///< empty: as the configuration says
  bool ros_tools = false;         ///< nodes have parameter services, /parameter_events and /rosout
  int control_descriptor = -1;    ///< socket on which a node may be asked to move; -1: none
  int take_over_descriptor = -1;  ///< socket to the container whose node this one takes; -1: none
};

/// Exit statuses; the tool tells them apart.
inline constexpr int exit_stopped = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_configuration = 2;

/// Runs the container until it is asked to stop. Call before any thread is started.
[[nodiscard]] int run_container(const Arguments& arguments);

/// Whether the library registers the class; says what it registers if not. An exit status.
[[nodiscard]] int check_class(const std::string& library, const std::string& class_name);

}  // namespace ligament::container
