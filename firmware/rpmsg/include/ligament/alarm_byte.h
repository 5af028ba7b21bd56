/* SPDX-License-Identifier: Apache-2.0 */
/* How a core without a timer asks its host to be rung later: one byte on the bell's line, which
 * both sides read here (spec/device/rpmsg.md, section 5). C99 and C++. */
#ifndef LIGAMENT_ALARM_BYTE_H
#define LIGAMENT_ALARM_BYTE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From 0x81 on. Up to 0xC0 each is 50 us more (50 to 3200 us), then each 1 ms more (4 to 66 ms). */
enum {
  LIGAMENT_ALARM = 0x80,
  LIGAMENT_ALARM_STEP_US = 50,
  LIGAMENT_ALARM_STEPS = 64,
  LIGAMENT_ALARM_LESS_MS = 61
};

/* 0: the byte is none. */
static inline uint32_t ligament_alarm_us(uint8_t byte) {
  const uint32_t number = byte > LIGAMENT_ALARM ? (uint32_t)byte - LIGAMENT_ALARM : 0u;
  return number <= LIGAMENT_ALARM_STEPS ? number * LIGAMENT_ALARM_STEP_US
                                        : (number - LIGAMENT_ALARM_LESS_MS) * 1000u;
}

/* For a time that is left: not much later, but perhaps sooner, as there are no longer times than
 * 66 ms, and few between 3 and 66. */
static inline uint8_t ligament_alarm_byte(int64_t left_us) {
  const int64_t longest_us = (127 - LIGAMENT_ALARM_LESS_MS) * 1000;
  const int64_t left = left_us < 1 ? 1 : left_us > longest_us ? longest_us : left_us;
  int64_t number = (left + LIGAMENT_ALARM_STEP_US - 1) / LIGAMENT_ALARM_STEP_US;
  if (number > LIGAMENT_ALARM_STEPS) {
    number = left / 1000 + LIGAMENT_ALARM_LESS_MS; /* of 3.2 to 4 ms: the last of the steps */
  }
  return (uint8_t)(LIGAMENT_ALARM + number);
}

#ifdef __cplusplus
}
#endif
#endif
