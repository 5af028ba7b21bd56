/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

uint32_t image_parameters_end(const ligament_instance_t* instance) {
  return (uint32_t)instance->type->input_count + instance->type->service_count;
}

uint32_t image_output_end(const ligament_instance_t* instance, uint32_t output) {
  return image_parameters_end(instance) + (instance->parameters_topic != NULL ? 1u : 0u) + output;
}

void image_refuse(const ligament_instance_t* instance, uint32_t end) {
  const uint32_t at = instance->first_end + end;
  if (at < LIGAMENT_TRACE_ENDS) {
    uint32_t* count = &instance->image->trace->refused[at];
    __atomic_store_n(count, *count + 1u, __ATOMIC_RELEASE);
    instance->image->kick(NULL);
  }
}
