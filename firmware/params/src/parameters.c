/* SPDX-License-Identifier: Apache-2.0 */
/* The table, and when things are sent. What messages look like: messages.c. */
#include "ligament/parameters.h"

#include <string.h>

#include "messages.h"

static bool is_possible(const ligament_parameter_t* parameter) {
  return parameter->name != NULL && parameter->name[0] != '\0' && parameter->value != NULL &&
         parameter->type >= LIGAMENT_PARAMETER_BOOL && parameter->type <= LIGAMENT_PARAMETER_TEXT &&
         (parameter->type != LIGAMENT_PARAMETER_TEXT || parameter->capacity != 0);
}

static bool is_within(const ligament_parameter_t* parameter,
                      const ligament_parameter_value_t* wanted) {
  if (!lig_parameter_has_limits(parameter)) {
    return true;
  }
  if (parameter->type == LIGAMENT_PARAMETER_INTEGER) {
    return wanted->integer >= parameter->least.integer &&
           wanted->integer <= parameter->most.integer;
  }
  /* Written so that what is no number is outside. */
  return wanted->real >= parameter->least.real && wanted->real <= parameter->most.real;
}

const ligament_parameter_t* lig_parameter_find(const ligament_parameters_t* parameters,
                                               const char* name) {
  for (size_t i = 0; i < parameters->count; ++i) {
    if (strcmp(parameters->table[i].name, name) == 0) {
      return &parameters->table[i];
    }
  }
  return NULL;
}

const char* lig_parameter_refusal(const ligament_parameters_t* parameters,
                                  const ligament_parameter_t* parameter,
                                  const ligament_parameter_value_t* wanted) {
  if (parameter == NULL) {
    return "there is no such parameter";
  }
  if (parameter->is_read_only) {
    return "it can only be read";
  }
  if (wanted->type != parameter->type) {
    return "it has another type";
  }
  if (parameter->type == LIGAMENT_PARAMETER_TEXT && strlen(wanted->text) >= parameter->capacity) {
    return "the text is too long";
  }
  if (!is_within(parameter, wanted)) {
    return "the value is out of range";
  }
  return parameters->check == NULL ? NULL
                                   : parameters->check(parameters->context, parameter, wanted);
}

void lig_parameter_set(ligament_parameters_t* parameters, const ligament_parameter_t* parameter,
                       const ligament_parameter_value_t* wanted) {
  switch (parameter->type) {
    case LIGAMENT_PARAMETER_BOOL:
      *(bool*)parameter->value = wanted->truth;
      break;
    case LIGAMENT_PARAMETER_INTEGER:
      *(int64_t*)parameter->value = wanted->integer;
      break;
    case LIGAMENT_PARAMETER_DOUBLE:
      *(double*)parameter->value = wanted->real;
      break;
    default:
      memcpy(parameter->value, wanted->text, strlen(wanted->text) + 1);
      break;
  }
  ligament_parameters_touch(parameters, parameter);
  if (parameters->on_change != NULL) {
    parameters->on_change(parameters->context, parameter);
  }
}

void ligament_parameters_touch(ligament_parameters_t* parameters,
                               const ligament_parameter_t* parameter) {
  parameters->changed |= UINT64_C(1) << (parameter - parameters->table);
}

/* In a callback there is no waiting for room: what does not fit now is sent by `run`. */
static void answer(ligament_parameters_t* parameters, const ligament_request_id_t* id,
                   ligament_cdr_t* request, size_t service) {
  if (parameters->answering != NULL) {
    ++parameters->dropped; /* its memory is in use: `run` was not called */
    return;
  }
  ligament_cdr_t reply = ligament_cdr_over(parameters->memory, parameters->memory_size);
  lig_parameter_answer(parameters, service, *request, &reply);
  if (reply.has_failed) {
    ++parameters->dropped;
    return;
  }
  ligament_server_t* server = &parameters->servers[service];
  const int result = ligament_server_reply(server, id, reply.bytes, reply.at);
  if (result < 0) {
    parameters->answering = server;
    parameters->request = *id;
    parameters->reply_size = reply.at;
  }
}

#define ON_REQUEST(NAME, SERVICE)                                                             \
  static void NAME(void* context, const ligament_request_id_t* id, ligament_cdr_t* request) { \
    answer(context, id, request, SERVICE);                                                    \
  }
ON_REQUEST(on_describe, LIG_DESCRIBE_PARAMETERS)
ON_REQUEST(on_get, LIG_GET_PARAMETERS)
ON_REQUEST(on_get_types, LIG_GET_PARAMETER_TYPES)
ON_REQUEST(on_list, LIG_LIST_PARAMETERS)
ON_REQUEST(on_set, LIG_SET_PARAMETERS)
ON_REQUEST(on_set_atomically, LIG_SET_PARAMETERS_ATOMICALLY)

#define SERVICE_TYPES(NAME)                             \
  {                                                     \
    "rcl_interfaces::srv::dds_::" NAME "_Request_",     \
        "rcl_interfaces::srv::dds_::" NAME "_Response_" \
  }

/* In the order of their numbers. */
static const struct {
  const char* name;
  ligament_service_types_t types;
  ligament_on_request_t call;
} services[] = {
    {"describe_parameters", SERVICE_TYPES("DescribeParameters"), on_describe},
    {"get_parameters", SERVICE_TYPES("GetParameters"), on_get},
    {"get_parameter_types", SERVICE_TYPES("GetParameterTypes"), on_get_types},
    {"list_parameters", SERVICE_TYPES("ListParameters"), on_list},
    {"set_parameters", SERVICE_TYPES("SetParameters"), on_set},
    {"set_parameters_atomically", SERVICE_TYPES("SetParametersAtomically"), on_set_atomically},
};

int ligament_parameters_create(ligament_parameters_t* parameters, ligament_node_t* node) {
  if (parameters->count > LIGAMENT_MOST_PARAMETERS || parameters->memory == NULL) {
    return LIGAMENT_ERROR_OPTIONS;
  }
  for (size_t i = 0; i < parameters->count; ++i) {
    if (!is_possible(&parameters->table[i])) {
      return LIGAMENT_ERROR_OPTIONS;
    }
    parameters->fresh |= UINT64_C(1) << i;
  }
  parameters->node = node;
  int result = ligament_publisher_create(&parameters->events, node, "/parameter_events",
                                         "rcl_interfaces::msg::dds_::ParameterEvent_",
                                         ligament_qos_reliable(10));
  for (size_t i = 0; result >= 0 && i < sizeof services / sizeof services[0]; ++i) {
    const ligament_request_callback_t callback = {services[i].call, parameters};
    result = ligament_server_create_in_node(&parameters->servers[i], node, services[i].name,
                                            services[i].types, callback);
  }
  return result;
}

/* Now there may be waiting: a long reply goes through a short window, too. */
static int send_reply(ligament_parameters_t* parameters) {
  ligament_server_t* server = parameters->answering;
  ligament_session_t* session = server->entity.session;
  const uint32_t block_ms = session->options.block_ms;
  session->options.block_ms = session->options.answer_ms;
  const int result = ligament_server_reply(server, &parameters->request, parameters->memory,
                                           parameters->reply_size);
  session->options.block_ms = block_ms;
  return result;
}

static int send_event(ligament_parameters_t* parameters) {
  ligament_cdr_t event = ligament_cdr_over(parameters->memory, parameters->memory_size);
  const uint64_t fresh = parameters->fresh;
  const uint64_t changed = parameters->changed & ~fresh;
  lig_parameter_event(parameters, fresh, changed, &event);
  parameters->fresh = 0;
  parameters->changed = 0;
  if (event.has_failed) {
    ++parameters->dropped;
    return 0;
  }
  ligament_session_t* session = parameters->events.entity.session;
  const uint32_t block_ms = session->options.block_ms;
  session->options.block_ms = session->options.answer_ms;
  const int result = ligament_publish(&parameters->events, event.bytes, event.at);
  session->options.block_ms = block_ms;
  if (result < 0) {
    parameters->fresh = fresh;
    parameters->changed |= changed;
  }
  return result;
}

int ligament_parameters_run(ligament_parameters_t* parameters) {
  int result = 0;
  if (parameters->answering != NULL) {
    result = send_reply(parameters);
    parameters->answering = result == LIGAMENT_ERROR_FULL ? parameters->answering : NULL;
  }
  const bool is_free = parameters->answering == NULL;
  if (is_free && (parameters->fresh != 0 || parameters->changed != 0)) {
    const int told = send_event(parameters);
    result = result < 0 ? result : told;
  }
  return result == LIGAMENT_ERROR_FULL ? 0 : result;
}
