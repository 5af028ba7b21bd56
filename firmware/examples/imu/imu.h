/* SPDX-License-Identifier: Apache-2.0 */
/* A node that publishes /imu and can be switched on and off by the service /imu/enable. */
#ifndef IMU_H
#define IMU_H

#include <stdint.h>

#include "ligament/xrce.h"

/* The node and what belongs to it. 0 or an error. */
int imu_create(void* unused, ligament_session_t* session);
/* Publishes when it is time. Returns the time of the next message. */
int64_t imu_work(void* unused, int64_t now_us);

#endif
