/* SPDX-License-Identifier: Apache-2.0 */
/* The least that is of use: a sensor that publishes, best effort. For its size alone. */
#include "ligament/app.h"

enum { PERIOD_US = 10000 };

static ligament_node_t node;
static ligament_publisher_t publisher;

static int create(void* unused, ligament_session_t* session) {
  const int result = ligament_node_create(&node, session, "/bench_core");
  (void)unused;
  return result < 0
             ? result
             : ligament_publisher_create(&publisher, &node, "/data", "std_msgs::msg::dds_::UInt32_",
                                         ligament_qos_best_effort(1));
}

static int64_t work(void* unused, int64_t now_us) {
  const uint32_t value = (uint32_t)now_us;
  (void)unused;
  (void)ligament_publish(&publisher, &value, sizeof value);
  return now_us + PERIOD_US;
}

int main(void) {
  static const ligament_app_t app = {"publisher", LIGAMENT_BOARD_MAP, 0x0000BE7F, create, work,
                                     NULL};
  return ligament_app_run(&app);
}
