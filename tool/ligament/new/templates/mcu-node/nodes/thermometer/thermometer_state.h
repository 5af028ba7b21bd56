/* SPDX-License-Identifier: Apache-2.0 */
#ifndef THERMOMETER_STATE_H
#define THERMOMETER_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct my_nodes_thermometer_state {
  bool is_enabled;
  uint32_t count;
};

#endif
