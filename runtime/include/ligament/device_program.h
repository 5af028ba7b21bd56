/* SPDX-License-Identifier: Apache-2.0 */
/* What an artefact of the CPU reference device exports: one C function that describes a program
 * with one input and one output port, both of stored messages (spec/wire/message.md).
 *
 *   static const ligament_program_t program = {LIGAMENT_PROGRAM_ABI, "in", "out",
 *       "std_msgs/msg/String", "std_msgs/msg/String", plan, run};
 *   const ligament_program_t *ligament_program(void) { return &program; }
 */
#ifndef LIGAMENT_DEVICE_PROGRAM_H
#define LIGAMENT_DEVICE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIGAMENT_PROGRAM_ABI 1u

/* NOLINTNEXTLINE(readability-identifier-naming): a C name */
typedef struct ligament_program_s {
  uint32_t abi; /* LIGAMENT_PROGRAM_ABI */
  const char* input_port;
  const char* output_port;
  const char* input_message; /* package/msg/Name */
  const char* output_message;
  /* Size of the output for this input, and the offset of its chosen array. 0: go on; else the input
   * is refused with this number. */
  int (*plan)(const uint8_t* input, size_t input_size, size_t* output_size, size_t* chosen_offset);
  /* Writes every byte of the output. 0: publish it; else it is dropped and reported. */
  int (*run)(const uint8_t* input, size_t input_size, uint8_t* output, size_t output_size);
} ligament_program_t;

const ligament_program_t* ligament_program(void);

#ifdef __cplusplus
}
#endif
#endif
