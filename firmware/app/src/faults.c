/* SPDX-License-Identifier: Apache-2.0 */
/* Ends that a program chooses itself: assertions, abort(), and the return of the app. */
#include <stdlib.h>

#include "board.h"
#include "system.h"

#define HERE ((uint32_t)(uintptr_t)__builtin_return_address(0))

void system_end(int result) {
  const ligament_fault_t fault = {LIGAMENT_FAULT_END, 0, (uint32_t)result};
  system_crash(&fault);
}

/* What newlib's <assert.h> calls. */
void __assert_func(const char* file, int line, const char* function, const char* expression)
    __attribute__((noreturn));
void __assert_func(const char* file, int line, const char* function, const char* expression) {
  const ligament_fault_t fault = {LIGAMENT_FAULT_ASSERTION, HERE, (uint32_t)line};
  (void)function;
  board_print(file);
  board_print(expression);
  system_crash(&fault);
}

/* newlib's would need signals and processes. */
void abort(void) {
  const ligament_fault_t fault = {LIGAMENT_FAULT_ABORT, HERE, 0};
  system_crash(&fault);
}
