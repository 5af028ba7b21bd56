/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of an image share: events, the counts of what is refused, services. */
#ifndef LIGAMENT_IMAGE_PARTS_H
#define LIGAMENT_IMAGE_PARTS_H

#include "ligament/image.h"
#include "ligament/trace.h"

/* `port`: services have the numbers behind inputs, their responses those behind outputs. Here, as
 * each message has some of these. */
static inline void image_record(const ligament_instance_t* instance, uint8_t kind, uint16_t port,
                                uint32_t number) {
  ligament_trace_event(kind, (uint8_t)port, (uint16_t)(instance - instance->image->instances),
                       number);
}

/* Ends of a node, as the counts have them (ligament/mcu_trace.h). That of an input or a request is
 * its port. */
uint32_t image_parameters_end(const ligament_instance_t* instance);
uint32_t image_output_end(const ligament_instance_t* instance, uint32_t output);
/* A message was not taken, or not sent: the host is told, as nobody looks into a core. */
void image_refuse(const ligament_instance_t* instance, uint32_t end);

/* 0, or an error. */
int image_create_services(ligament_instance_t* instance);
/* Sends responses that wait for room. When to call it again. */
int64_t image_work_services(ligament_instance_t* instance, int64_t now_us);

#endif
