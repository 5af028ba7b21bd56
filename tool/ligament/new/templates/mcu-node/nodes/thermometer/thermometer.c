/* SPDX-License-Identifier: Apache-2.0 */
#include "my_nodes_thermometer.h"

/* Your driver goes here. This one returns 20 to 25 degrees, up and down. */
static double read_sensor(uint32_t count) {
  const uint32_t step = count % 100;
  return 20.0 + 0.1 * (step < 50 ? step : 100 - step);
}

void my_nodes_thermometer_start(my_nodes_thermometer_t* node) {
  node->state.is_enabled = true;
  my_nodes_thermometer_log(node, "measures");
}

void my_nodes_thermometer_on_enable(my_nodes_thermometer_t* node,
                                    const std_msgs__msg__Bool* message) {
  node->state.is_enabled = message->data;
}

void my_nodes_thermometer_on_measure(my_nodes_thermometer_t* node) {
  static sensor_msgs__msg__Temperature message; /* not on the stack: messages may be large */
  const int64_t now_ns = my_nodes_thermometer_now_ns(node);
  if (!node->state.is_enabled) {
    return;
  }
  message.header.stamp.sec = (int32_t)(now_ns / 1000000000);
  message.header.stamp.nanosec = (uint32_t)(now_ns % 1000000000);
  message.temperature = read_sensor(node->state.count++) + node->parameters.offset;
  (void)my_nodes_thermometer_publish_temperature(node, &message); /* or LIGAMENT_ERROR_FULL */
}
