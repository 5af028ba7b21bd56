/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here knows on which board it runs, or under which operating system. */
#include "imu.h"

#include <math.h>

#include "sensor_msgs/msg/imu.h"
#include "std_srvs/srv/set_bool__request.h"
#include "std_srvs/srv/set_bool__response.h"

enum { PERIOD_US = 10000 };

static ligament_session_t* session;
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

int imu_create(void* unused, ligament_session_t* given) {
  const ligament_service_types_t types = {STD_SRVS__SRV__SETBOOL_REQUEST_TYPE,
                                          STD_SRVS__SRV__SETBOOL_RESPONSE_TYPE};
  const ligament_request_callback_t callback = {on_enable, NULL};
  (void)unused;
  session = given;
  int result = ligament_node_create(&node, session, "/imu_driver");
  result = result < 0
               ? result
               : ligament_publisher_create(&publisher, &node, "/imu", SENSOR_MSGS__MSG__IMU_TYPE,
                                           ligament_qos_best_effort(5));
  return result < 0 ? result
                    : ligament_server_create(&server, &node, "/imu/enable", types, callback);
}

/* Written into the link's memory, without a copy. */
static void publish(double seconds) {
  static sensor_msgs__msg__Imu imu;
  const int64_t now = ligament_time_now_ns(session);
  sensor_msgs__msg__Imu_init(&imu);
  imu.header.stamp.sec = (int32_t)(now / 1000000000);
  imu.header.stamp.nanosec = (uint32_t)(now % 1000000000);
  memcpy(imu.header.frame_id, "imu", sizeof "imu");
  imu.angular_velocity.z = sin(seconds);
  imu.linear_acceleration.z = 9.81;
  ligament_cdr_t body;
  if (ligament_publish_begin(&publisher, &body) == 0) {
    sensor_msgs__msg__Imu_put(&body, &imu);
    (void)ligament_publish_end(&publisher,
                               &body); /* an agent that is lost is the caller's matter */
  }
}

int64_t imu_work(void* unused, int64_t now_us) {
  static int64_t next_us;
  (void)unused;
  if (now_us >= next_us) {
    if (is_on) {
      publish((double)now_us / 1000000);
    }
    /* Periods that were missed are left out. */
    next_us = next_us + PERIOD_US > now_us ? next_us + PERIOD_US : now_us + PERIOD_US;
  }
  return next_us;
}
