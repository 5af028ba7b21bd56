// SPDX-License-Identifier: Apache-2.0
/// \file Babeltrace's plugins and errors, held as this program holds things.
#pragma once

#include <babeltrace2/babeltrace.h>

#include <string>

namespace ligament::trace {

/// A plugin, given back at the end of the block.
struct PluginRelease {
  const bt_plugin* plugin;
  ~PluginRelease() { bt_plugin_put_ref(plugin); }
};

/// Null if it is not installed.
[[nodiscard]] const bt_plugin* find_plugin(const char* name);

/// The innermost cause, which names the file, and forget the error.
[[nodiscard]] std::string take_babeltrace_error();

}  // namespace ligament::trace
