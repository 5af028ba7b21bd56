/* SPDX-License-Identifier: Apache-2.0 */
/* The node of `ligament bench mcu`: says each text of /ping back on /pong. */
#ifndef ECHO_H
#define ECHO_H

#include "ligament/xrce.h"

/* 0 or an error. */
int echo_create(void* unused, ligament_session_t* session);

#endif
