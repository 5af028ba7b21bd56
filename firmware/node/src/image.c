/* SPDX-License-Identifier: Apache-2.0 */
#include "ligament/image.h"

#include <string.h>

#include "ligament/trace.h"
#include "parts.h"

/* ---- events -------------------------------------------------------------------------------- */

static ligament_trace_ring_t* ring_of(const ligament_image_t* image) {
  const ligament_rpmsg_layout_t layout = ligament_rpmsg_layout(&image->map);
  const uint32_t place = image->map.base + ligament_rpmsg_aligned(layout.size);
  return (ligament_trace_ring_t*)(uintptr_t)place;
}

/* What the host asks for the clock with. */
static void answer(const ligament_image_t* image) {
  ligament_trace_ring_t* ring = image->trace;
  const uint32_t asked = __atomic_load_n(&ring->host.asked, __ATOMIC_ACQUIRE);
  if (asked != ring->core.answered) {
    ring->core.answer_us = image->now_us();
    __atomic_store_n(&ring->core.answered, asked, __ATOMIC_RELEASE);
    image->kick(NULL);
  }
}

/* ---- what surrounds a node ------------------------------------------------------------------ */

/* Where it is sent from; else, for a message that goes in fragments, in memory of the image's. */
static int begin(void* context, uint16_t output, ligament_cdr_t* body) {
  ligament_instance_t* instance = context;
  const size_t most = instance->type->outputs[output].most;
  int result = ligament_publish_loan(&instance->publishers[output], most, body);
  if (result == LIGAMENT_ERROR_TOO_LARGE) {
    *body = ligament_cdr_over(instance->image->scratch, instance->image->scratch_size);
    result = 0;
  }
  if (result < 0) {
    image_refuse(instance, image_output_end(instance, output));
  }
  return result;
}

static int end(void* context, uint16_t output, const ligament_cdr_t* body) {
  ligament_instance_t* instance = context;
  int result = 0;
  image_record(instance, LIGAMENT_TRACE_PUBLISH, output, instance->published[output] + 1u);
  if (body->bytes != instance->image->scratch) {
    result = ligament_publish_end(&instance->publishers[output], body);
  } else if (body->has_failed) {
    result = LIGAMENT_ERROR_TOO_LARGE;
  } else {
    result = ligament_publish(&instance->publishers[output], body->bytes, body->at);
  }
  if (result < 0) {
    image_refuse(instance, image_output_end(instance, output));
    return result;
  }
  ++instance->published[output];
  return 0;
}

static int64_t now_ns(void* context) {
  const ligament_instance_t* instance = context;
  return ligament_time_now_ns(instance->image->session);
}

static void print(void* context, const char* text) {
  const ligament_instance_t* instance = context;
  if (instance->image->print != NULL) {
    instance->image->print(instance->name);
    instance->image->print(text);
  }
}

static void decoded(void* context, uint16_t input) {
  const ligament_instance_t* instance = context;
  const uint16_t inputs = instance->type->input_count;
  const uint32_t number =
      input < inputs ? instance->inlets[input].taken : instance->providers[input - inputs].taken;
  image_record(instance, LIGAMENT_TRACE_BEGIN_INPUT, input, number);
}

static const ligament_surroundings_t surroundings = {begin, end, now_ns, print, decoded};

static void on_message(void* context, ligament_cdr_t* body) {
  ligament_inlet_t* inlet = context;
  ligament_instance_t* instance = inlet->instance;
  image_record(instance, LIGAMENT_TRACE_TAKE, inlet->input, ++inlet->taken);
  if (instance->type->inputs[inlet->input].take(instance->node, body)) {
    image_record(instance, LIGAMENT_TRACE_END, 0, 0);
  } else {
    image_refuse(instance, inlet->input);
  }
}

/* New values of all parameters that can change, in the type's order, without their names: bool as a
 * byte, others as eight. */
static void on_parameters(void* context, ligament_cdr_t* body) {
  ligament_instance_t* instance = context;
  for (uint16_t i = 0; i < instance->type->parameter_count; ++i) {
    const ligament_parameter_t* parameter = &instance->type->parameters[i];
    const size_t size = parameter->kind == LIGAMENT_BOOL ? 1 : 8;
    uint64_t value;
    if (!parameter->can_change) {
      continue;
    }
    value = ligament_cdr_get(body, size);
    if (body->has_failed) {
      image_refuse(instance, image_parameters_end(instance));
      return;
    }
    if (parameter->kind == LIGAMENT_BOOL) {
      *(bool*)((uint8_t*)instance->node + parameter->offset) = value != 0;
    } else {
      memcpy((uint8_t*)instance->node + parameter->offset, &value, size);
    }
  }
}

static int create_parameters(ligament_instance_t* instance) {
  const ligament_qos_t qos = {true, true, 1, 0, 0};
  ligament_message_callback_t callback;
  callback.call = on_parameters;
  callback.context = instance;
  return instance->parameters_topic == NULL
             ? 0
             : ligament_subscription_create(&instance->parameters, &instance->entity,
                                            instance->parameters_topic,
                                            "ligament::msg::dds_::ParameterValues_", qos, callback);
}

static int create_ends(ligament_instance_t* instance) {
  const ligament_code_type_t* type = instance->type;
  int result = 0;
  uint16_t i;
  for (i = 0; i < type->output_count && result >= 0; ++i) {
    result = ligament_publisher_create(&instance->publishers[i], &instance->entity,
                                       instance->outputs[i].topic, type->outputs[i].type,
                                       instance->outputs[i].qos);
  }
  for (i = 0; i < type->input_count && result >= 0; ++i) {
    ligament_inlet_t* inlet = &instance->inlets[i];
    ligament_message_callback_t callback;
    inlet->instance = instance;
    inlet->input = i;
    callback.call = on_message;
    callback.context = inlet;
    result = ligament_subscription_create(&instance->subscriptions[i], &instance->entity,
                                          instance->inputs[i].topic, type->inputs[i].type,
                                          instance->inputs[i].qos, callback);
  }
  return result;
}

int ligament_image_create(void* context, ligament_session_t* session) {
  ligament_image_t* image = context;
  uint32_t end = 0;
  int result = 0;
  image->session = session;
  image->trace = ring_of(image);
  ligament_trace_open(image->trace);
  for (uint16_t i = 0; i < image->count && result >= 0; ++i) {
    ligament_instance_t* instance = &image->instances[i];
    instance->image = image;
    instance->first_end = end;
    end += image_output_end(instance,
                            (uint32_t)instance->type->output_count + instance->type->service_count);
    instance->node->around = &surroundings;
    instance->node->context = instance;
    result = ligament_node_create(&instance->entity, session, instance->name);
    result = result < 0 ? result : create_ends(instance);
    result = result < 0 ? result : image_create_services(instance);
    result = result < 0 ? result : create_parameters(instance);
  }
  for (uint16_t i = 0; i < image->count && result >= 0; ++i) {
    image->instances[i].type->start(image->instances[i].node);
  }
  return result < 0 ? result : 0;
}

/* Calls what is due. A call that comes so late that the next is due, too, is left out and counted:
 * a core that is too slow shall not fall behind more and more. */
static int64_t work_one(ligament_instance_t* instance, uint16_t number, int64_t now_us) {
  const ligament_timer_t* timer = &instance->type->timers[number];
  const double rate = timer->rate(instance->node);
  int64_t* due_us = &instance->due_us[number];
  int64_t period_us;
  if (!(rate > 0)) {
    return INT64_MAX;
  }
  period_us = (int64_t)(1e6 / rate);
  period_us = period_us < 1 ? 1 : period_us;
  if (*due_us == 0) {
    *due_us = now_us + period_us;
  } else if (*due_us <= now_us) {
    const int64_t missed = (now_us - *due_us) / period_us;
    image_record(instance, LIGAMENT_TRACE_BEGIN_TIMER, number, 0);
    timer->call(instance->node);
    image_record(instance, LIGAMENT_TRACE_END, 0, 0);
    instance->late += (uint32_t)missed;
    *due_us += (missed + 1) * period_us;
  }
  return *due_us;
}

int64_t ligament_image_work(void* context, int64_t now_us) {
  ligament_image_t* image = context;
  int64_t next_us = INT64_MAX;
  answer(image);
  for (uint16_t i = 0; i < image->count; ++i) {
    ligament_instance_t* instance = &image->instances[i];
    const int64_t again_us = image_work_services(instance, now_us);
    next_us = again_us < next_us ? again_us : next_us;
    for (uint16_t k = 0; k < instance->type->timer_count; ++k) {
      const int64_t due_us = work_one(instance, k, now_us);
      next_us = due_us < next_us ? due_us : next_us;
    }
  }
  return next_us;
}
