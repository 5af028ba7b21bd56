/* SPDX-License-Identifier: Apache-2.0 */
/* A node that publishes /imu and can be switched on and off by a service. On a board, only the port
 * differs (main's first lines).
 *
 *   imu HOST PORT [SECONDS]
 */
#include "sensor_msgs/msg/imu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ligament/xrce.h"
#include "posix.h"
#include "std_srvs/srv/set_bool__request.h"
#include "std_srvs/srv/set_bool__response.h"

enum { MTU = 512, OUT_SLOTS = 8, IN_SLOTS = 4, PERIOD_MS = 10 };

static uint8_t memory[LIGAMENT_MEMORY_SIZE(MTU, OUT_SLOTS, IN_SLOTS)];
static ligament_session_t session;
static ligament_node_t node;
static ligament_publisher_t publisher;
static ligament_server_t server;
static bool is_on = true;

static void on_enable(void* context, const ligament_request_id_t* id, ligament_cdr_t* bytes) {
  static std_srvs__srv__SetBool_Request request;
  static std_srvs__srv__SetBool_Response response;
  static uint8_t reply[STD_SRVS__SRV__SETBOOL_RESPONSE_MOST];
  (void)context;
  std_srvs__srv__SetBool_Request_get(bytes, &request);
  if (bytes->has_failed) {
    return;
  }
  is_on = request.data;
  std_srvs__srv__SetBool_Response_init(&response);
  response.success = true;
  ligament_cdr_t to = ligament_cdr_over(reply, sizeof reply);
  std_srvs__srv__SetBool_Response_put(&to, &response);
  (void)ligament_server_reply(&server, id, reply, to.at);
}

static int create_all(void) {
  const ligament_service_types_t types = {STD_SRVS__SRV__SETBOOL_REQUEST_TYPE,
                                          STD_SRVS__SRV__SETBOOL_RESPONSE_TYPE};
  const ligament_request_callback_t callback = {on_enable, NULL};
  int result = ligament_node_create(&node, &session, "/imu_driver");
  result = result < 0
               ? result
               : ligament_publisher_create(&publisher, &node, "/imu", SENSOR_MSGS__MSG__IMU_TYPE,
                                           ligament_qos_best_effort(5));
  result =
      result < 0 ? result : ligament_server_create(&server, &node, "/imu/enable", types, callback);
  return result < 0 ? result : ligament_time_sync(&session, 1000);
}

/* Written into the link's memory, without a copy. */
static int publish(double seconds) {
  static sensor_msgs__msg__Imu imu;
  const int64_t now = ligament_time_now_ns(&session);
  sensor_msgs__msg__Imu_init(&imu);
  imu.header.stamp.sec = (int32_t)(now / 1000000000);
  imu.header.stamp.nanosec = (uint32_t)(now % 1000000000);
  memcpy(imu.header.frame_id, "imu", sizeof "imu");
  imu.angular_velocity.z = sin(seconds);
  imu.linear_acceleration.z = 9.81;
  ligament_cdr_t body;
  const int result = ligament_publish_begin(&publisher, &body);
  if (result < 0) {
    return result;
  }
  sensor_msgs__msg__Imu_put(&body, &imu);
  return ligament_publish_end(&publisher, &body);
}

int main(int count, char** words) {
  static ligament_posix_t link;
  if (count < 3 || ligament_posix_udp(&link, words[1], (uint16_t)atoi(words[2])) < 0) {
    fprintf(stderr, "usage: imu HOST PORT [SECONDS]\n");
    return 2;
  }
  ligament_session_options_t options =
      ligament_session_defaults(ligament_posix_port(&link), 0x00000001);
  options.memory = memory;
  options.mtu = MTU;
  options.out_slots = OUT_SLOTS;
  options.in_slots = IN_SLOTS;
  int result = ligament_session_open(&session, &options);
  result = result < 0 ? result : create_all();
  const long periods = count > 3 ? atol(words[3]) * 1000 / PERIOD_MS : -1;
  for (long i = 0; result >= 0 && i != periods; ++i) {
    result = is_on ? publish((double)i * PERIOD_MS / 1000) : 0;
    result = result < 0 ? result : ligament_session_run(&session, PERIOD_MS);
    if (result == LIGAMENT_ERROR_LOST) { /* the agent is gone: until it is back */
      do {
        result = ligament_session_restore(&session);
      } while (result == LIGAMENT_ERROR_TIMEOUT);
    }
  }
  if (result < 0) {
    fprintf(stderr, "imu: error %d, status %02x\n", result, session.last_status);
    return 1;
  }
  return ligament_session_close(&session) < 0;
}
