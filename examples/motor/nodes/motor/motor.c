/* SPDX-License-Identifier: Apache-2.0 */
/* A PI controller, and the motor that it drives: one that follows its voltage in 50 ms. */
#include "motor_control.h"

enum { STEPS_PER_MESSAGE = 10 };
static const float integral_gain = 20.0f;
static const float motor_delay_s = 0.05f;
static const float most_voltage = 12.0f;

static float limited(float value, float most) {
  const float lowest = -most;
  return value > most ? most : value < lowest ? lowest : value;
}

void motor_control_start(motor_control_t* node) { motor_control_log(node, "starts"); }

void motor_control_on_speed_wanted(motor_control_t* node,
                                   const geometry_msgs__msg__Twist* message) {
  node->state.wanted = (float)message->linear.x;
}

static void publish(motor_control_t* node) {
  static geometry_msgs__msg__TwistStamped message;
  const int64_t now_ns = motor_control_now_ns(node);
  geometry_msgs__msg__TwistStamped_init(&message);
  message.header.stamp.sec = (int32_t)(now_ns / 1000000000);
  message.header.stamp.nanosec = (uint32_t)(now_ns % 1000000000);
  message.twist.linear.x = (double)node->state.speed;
  (void)motor_control_publish_speed(node, &message); /* a full link: the next one is newer */
}

void motor_control_on_step(motor_control_t* node) {
  struct motor_control_state* state = &node->state;
  const float step_s = 1.0f / (float)node->parameters.rate;
  const float missing = state->wanted - state->speed;
  float voltage;
  state->held = limited(state->held + integral_gain * missing * step_s, most_voltage);
  voltage = limited((float)node->parameters.gain * missing + state->held, most_voltage);
  state->speed += (voltage - state->speed) * step_s / motor_delay_s;
  if (++state->step % STEPS_PER_MESSAGE == 0) {
    publish(node);
  }
}
