/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of rcl_interfaces, read where they were received and written field by field: as
 * structures, 64 parameters would have megabytes. Every length is from outside, and checked. */
#include "messages.h"

#include <string.h>

/* ---- pieces ---- */

static void skip_values(ligament_cdr_t* from, size_t size) {
  const uint32_t count = ligament_cdr_get_u32(from);
  for (uint32_t i = 0; i < count && !from->has_failed; ++i) {
    (void)ligament_cdr_get(from, size);
  }
}

static double get_double(ligament_cdr_t* from) {
  double value = 0;
  ligament_cdr_get_values(from, &value, 1, sizeof value);
  return value;
}

/* rcl_interfaces/msg/ParameterValue. */
static void get_value(ligament_cdr_t* from, ligament_parameter_value_t* value) {
  value->type = ligament_cdr_get_u8(from);
  value->truth = ligament_cdr_get_bool(from);
  value->integer = (int64_t)ligament_cdr_get(from, 8);
  value->real = get_double(from);
  value->text = lig_parameter_get_text(from);
  skip_values(from, 1);
  skip_values(from, 1);
  skip_values(from, 8);
  skip_values(from, 8);
  const uint32_t texts = ligament_cdr_get_u32(from);
  for (uint32_t i = 0; i < texts && !from->has_failed; ++i) {
    (void)lig_parameter_get_text(from);
  }
}

/* `parameter` NULL: not set. */
static void put_value(ligament_cdr_t* to, const ligament_parameter_t* parameter) {
  const uint8_t type = parameter == NULL ? 0 : parameter->type;
  const void* value = parameter == NULL ? NULL : parameter->value;
  const double zero = 0;
  ligament_cdr_put_u8(to, type);
  ligament_cdr_put_u8(to, type == LIGAMENT_PARAMETER_BOOL && *(const bool*)value);
  ligament_cdr_put(to, type == LIGAMENT_PARAMETER_INTEGER ? (uint64_t) * (const int64_t*)value : 0,
                   8);
  ligament_cdr_put_values(to, type == LIGAMENT_PARAMETER_DOUBLE ? value : &zero, 1, sizeof zero);
  ligament_cdr_put_text(to, type == LIGAMENT_PARAMETER_TEXT ? value : "");
  for (int arrays = 0; arrays < 5; ++arrays) {
    ligament_cdr_put_u32(to, 0);
  }
}

static void put_limit(ligament_cdr_t* to, const ligament_parameter_t* parameter,
                      const ligament_parameter_limit_t* limit) {
  if (parameter->type == LIGAMENT_PARAMETER_DOUBLE) {
    ligament_cdr_put_values(to, &limit->real, 1, sizeof limit->real);
  } else {
    ligament_cdr_put(to, (uint64_t)limit->integer, 8);
  }
}

/* One of the two ranges of a descriptor: FloatingPointRange or IntegerRange. */
static void put_range(ligament_cdr_t* to, const ligament_parameter_t* parameter, uint8_t type) {
  const bool has_it =
      parameter != NULL && parameter->type == type && lig_parameter_has_limits(parameter);
  ligament_cdr_put_u32(to, has_it);
  if (has_it) {
    put_limit(to, parameter, &parameter->least);
    put_limit(to, parameter, &parameter->most);
    ligament_cdr_put(to, 0, 8); /* any step */
  }
}

/* rcl_interfaces/msg/ParameterDescriptor. */
static void put_descriptor(ligament_cdr_t* to, const char* name,
                           const ligament_parameter_t* parameter) {
  const bool is_described = parameter != NULL && parameter->description != NULL;
  ligament_cdr_put_text(to, name);
  ligament_cdr_put_u8(to, parameter == NULL ? 0 : parameter->type);
  ligament_cdr_put_text(to, is_described ? parameter->description : "");
  ligament_cdr_put_text(to, "");
  ligament_cdr_put_u8(to, parameter != NULL && parameter->is_read_only);
  ligament_cdr_put_u8(to, 0); /* its type stays */
  put_range(to, parameter, LIGAMENT_PARAMETER_DOUBLE);
  put_range(to, parameter, LIGAMENT_PARAMETER_INTEGER);
}

/* ---- get, get types, describe: something for each name ---- */

static void answer_names(const ligament_parameters_t* parameters, size_t service,
                         ligament_cdr_t* request, ligament_cdr_t* reply) {
  const uint32_t count = ligament_cdr_get_count(request, LIG_MOST_ELEMENTS);
  ligament_cdr_put_u32(reply, count);
  for (uint32_t i = 0; i < count && !request->has_failed; ++i) {
    const char* name = lig_parameter_get_text(request);
    if (name == NULL) {
      return;
    }
    const ligament_parameter_t* parameter = lig_parameter_find(parameters, name);
    if (service == LIG_GET_PARAMETERS) {
      put_value(reply, parameter);
    } else if (service == LIG_GET_PARAMETER_TYPES) {
      ligament_cdr_put_u8(reply, parameter == NULL ? 0 : parameter->type);
    } else {
      put_descriptor(reply, name, parameter);
    }
  }
}

/* ---- set ---- */

static void put_result(ligament_cdr_t* to, const char* refusal) {
  ligament_cdr_put_u8(to, refusal == NULL);
  ligament_cdr_put_text(to, refusal == NULL ? "" : refusal);
}

static const ligament_parameter_t* get_parameter(const ligament_parameters_t* parameters,
                                                 ligament_cdr_t* from,
                                                 ligament_parameter_value_t* value) {
  const char* name = lig_parameter_get_text(from);
  get_value(from, value);
  return from->has_failed ? NULL : lig_parameter_find(parameters, name);
}

/* Sets those that may be set, and says so of each; `reply` NULL: says nothing. */
static void set_each(ligament_parameters_t* parameters, ligament_cdr_t from, uint32_t count,
                     ligament_cdr_t* reply) {
  for (uint32_t i = 0; i < count; ++i) {
    ligament_parameter_value_t value;
    const ligament_parameter_t* parameter = get_parameter(parameters, &from, &value);
    const char* refusal = lig_parameter_refusal(parameters, parameter, &value);
    if (refusal == NULL) {
      lig_parameter_set(parameters, parameter, &value);
    }
    if (reply != NULL) {
      put_result(reply, refusal);
    }
  }
}

static void answer_set(ligament_parameters_t* parameters, bool is_atomic, ligament_cdr_t* request,
                       ligament_cdr_t* reply) {
  const uint32_t count = ligament_cdr_get_count(request, LIG_MOST_ELEMENTS);
  const ligament_cdr_t first = *request;
  const char* refusal = NULL;
  for (uint32_t i = 0; i < count && !request->has_failed; ++i) {
    ligament_parameter_value_t value;
    const ligament_parameter_t* parameter = get_parameter(parameters, request, &value);
    if (is_atomic && refusal == NULL && !request->has_failed) {
      refusal = lig_parameter_refusal(parameters, parameter, &value);
    }
  }
  if (request->has_failed) {
    return; /* nothing of it is set */
  }
  if (!is_atomic) {
    ligament_cdr_put_u32(reply, count);
    set_each(parameters, first, count, reply);
    return;
  }
  put_result(reply, refusal);
  if (refusal == NULL) {
    set_each(parameters, first, count, NULL);
  }
}

/* ---- both ends ---- */

void lig_parameter_answer(ligament_parameters_t* parameters, size_t service, ligament_cdr_t request,
                          ligament_cdr_t* reply) {
  switch (service) {
    case LIG_LIST_PARAMETERS:
      lig_parameter_answer_list(parameters, &request, reply);
      break;
    case LIG_SET_PARAMETERS:
    case LIG_SET_PARAMETERS_ATOMICALLY:
      answer_set(parameters, service == LIG_SET_PARAMETERS_ATOMICALLY, &request, reply);
      break;
    default:
      answer_names(parameters, service, &request, reply);
      break;
  }
  reply->has_failed = reply->has_failed || request.has_failed;
}

static void put_rows(const ligament_parameters_t* parameters, uint64_t rows, ligament_cdr_t* to) {
  uint32_t count = 0;
  for (size_t i = 0; i < parameters->count; ++i) {
    count += (uint32_t)(rows >> i & 1);
  }
  ligament_cdr_put_u32(to, count);
  for (size_t i = 0; i < parameters->count; ++i) {
    if ((rows >> i & 1) != 0) {
      ligament_cdr_put_text(to, parameters->table[i].name);
      put_value(to, &parameters->table[i]);
    }
  }
}

void lig_parameter_event(const ligament_parameters_t* parameters, uint64_t fresh, uint64_t changed,
                         ligament_cdr_t* event) {
  const ligament_session_t* session = parameters->events.entity.session;
  const int64_t now = ligament_time_now_ns(session);
  ligament_cdr_put_u32(event, (uint32_t)(now / 1000000000));
  ligament_cdr_put_u32(event, (uint32_t)(now % 1000000000));
  ligament_cdr_put_text(event, parameters->node->entity.name);
  put_rows(parameters, fresh, event);
  put_rows(parameters, changed, event);
  ligament_cdr_put_u32(event, 0); /* deleted */
}
