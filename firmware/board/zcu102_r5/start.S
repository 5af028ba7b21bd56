/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and start of a Cortex-R5F. An operating system has its own handlers of the two weak ones;
 * they have the names of FreeRTOS's port. */
  .syntax unified
  .arm

  .section .vectors, "ax"
  ldr pc, reset_at
  ldr pc, undefined_at
  ldr pc, svc_at
  ldr pc, prefetch_at
  ldr pc, data_at
  nop
  ldr pc, irq_at
  ldr pc, fiq_at
reset_at:     .word reset_handler
undefined_at: .word undefined_handler
svc_at:       .word FreeRTOS_SVC_Handler
prefetch_at:  .word prefetch_handler
data_at:      .word data_handler
irq_at:       .word FreeRTOS_IRQ_Handler
fiq_at:       .word fiq_handler

  .section .reset, "ax"
  .global reset_handler
reset_handler:
  cpsid if
  /* Vectors at 0, and exceptions in ARM state. */
  mrc p15, 0, r0, c1, c0, 0
  bic r0, r0, #(1 << 13)
  bic r0, r0, #(1 << 30)
  mcr p15, 0, r0, c1, c0, 0
  /* Floating point on. */
  mrc p15, 0, r0, c1, c0, 2
  orr r0, r0, #(0xF << 20)
  mcr p15, 0, r0, c1, c0, 2
  isb
  mov r0, #0x40000000
  vmsr fpexc, r0
  /* Stacks of the modes; the program is in system mode. */
  cps #0x12
  ldr sp, =stack_of_irq
  cps #0x13
  ldr sp, =stack_of_svc
  cps #0x17
  ldr sp, =stack_of_faults
  cps #0x1B
  ldr sp, =stack_of_faults
  cps #0x1F
  ldr sp, =stack_top
  ldr r0, =bss_begin
  ldr r1, =bss_end
  mov r2, #0
1:
  cmp r0, r1
  strlo r2, [r0], #4
  blo 1b
  bl main
2:
  wfi
  b 2b

  .text
  .weak FreeRTOS_IRQ_Handler
FreeRTOS_IRQ_Handler:
  sub lr, lr, #4
  push {r0-r3, r12, lr}
  vpush {d0-d7}
  vmrs r0, fpscr
  push {r0, r1}
  bl on_irq
  pop {r0, r1}
  vmsr fpscr, r0
  vpop {d0-d7}
  ldm sp!, {r0-r3, r12, pc}^

  /* on_fault(kind, address): kinds as in ligament/rpmsg_layout.h. It does not return. */
  .weak FreeRTOS_SVC_Handler
FreeRTOS_SVC_Handler:
fiq_handler:
  mov r0, #4
  sub r1, lr, #4
  b on_fault
undefined_handler:
  mov r0, #1
  sub r1, lr, #4
  b on_fault
prefetch_handler:
  mov r0, #3
  sub r1, lr, #4
  b on_fault
data_handler:
  mov r0, #2
  sub r1, lr, #8
  b on_fault
