/* SPDX-License-Identifier: Apache-2.0 */
#include "example_adder.h"

void example_adder_start(example_adder_t* node) { (void)node; }

void example_adder_on_add(example_adder_t* node,
                          const example_interfaces__srv__AddTwoInts_Request* request,
                          example_interfaces__srv__AddTwoInts_Response* response) {
  response->sum = request->a + request->b + node->parameters.offset;
}
