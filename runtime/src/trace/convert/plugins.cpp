// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/plugins.hpp"

namespace ligament::trace {

std::string take_babeltrace_error() {
  const bt_error* error = bt_current_thread_take_error();
  if (error == nullptr) {
    return "babeltrace2 gave no reason";
  }
  std::string text;
  if (bt_error_get_cause_count(error) > 0) {
    text = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
  }
  bt_error_release(error);
  return text;
}

const bt_plugin* find_plugin(const char* name) {
  const bt_plugin* plugin = nullptr;
  bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin);
  return plugin;
}

}  // namespace ligament::trace
