/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the parameters call of each other. */
#ifndef LIGAMENT_PARAMETER_MESSAGES_H
#define LIGAMENT_PARAMETER_MESSAGES_H

#include "ligament/parameters.h"

enum {
  LIG_DESCRIBE_PARAMETERS,
  LIG_GET_PARAMETERS,
  LIG_GET_PARAMETER_TYPES,
  LIG_LIST_PARAMETERS,
  LIG_SET_PARAMETERS,
  LIG_SET_PARAMETERS_ATOMICALLY
};
enum { LIG_MOST_ELEMENTS = 64 }; /* of a request: spec/interfaces/bounds.yaml */

/* ---- parameters.c ---- */
static inline bool lig_parameter_has_limits(const ligament_parameter_t* parameter) {
  return parameter->type == LIGAMENT_PARAMETER_INTEGER
             ? parameter->least.integer != 0 || parameter->most.integer != 0
         : parameter->type == LIGAMENT_PARAMETER_DOUBLE
             ? parameter->least.real < 0 || parameter->least.real > 0 || parameter->most.real < 0 ||
                   parameter->most.real > 0
             : false;
}
/* NULL: there is none. */
const ligament_parameter_t* lig_parameter_find(const ligament_parameters_t* parameters,
                                               const char* name);
/* NULL: it may be set. */
const char* lig_parameter_refusal(const ligament_parameters_t* parameters,
                                  const ligament_parameter_t* parameter,
                                  const ligament_parameter_value_t* wanted);
void lig_parameter_set(ligament_parameters_t* parameters, const ligament_parameter_t* parameter,
                       const ligament_parameter_value_t* wanted);

/* ---- messages.c ---- */
/* Does what the request asks for and writes the reply, which has failed where the request makes no
 * sense; then nothing was set. */
void lig_parameter_answer(ligament_parameters_t* parameters, size_t service, ligament_cdr_t request,
                          ligament_cdr_t* reply);
/* Lies in the message; NULL: it has failed. */
const char* lig_parameter_get_text(ligament_cdr_t* from);
void lig_parameter_answer_list(const ligament_parameters_t* parameters, ligament_cdr_t* request,
                               ligament_cdr_t* reply);
/* rcl_interfaces/msg/ParameterEvent: each bit is a row of the table. */
void lig_parameter_event(const ligament_parameters_t* parameters, uint64_t fresh, uint64_t changed,
                         ligament_cdr_t* event);

#endif
