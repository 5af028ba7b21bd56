/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOTOR_STATE_H
#define MOTOR_STATE_H

#include <stdint.h>

struct motor_control_state {
  float wanted; /* m/s */
  float speed;  /* m/s; of the motor that is simulated here */
  float held;   /* what the integral part has gathered */
  uint32_t step;
};

#endif
