# SPDX-License-Identifier: Apache-2.0
# Arm MPS2 with AN386: a Cortex-M4F, as QEMU's machine mps2-an386 has it.
set(board_sources board.c start.c)
set(board_script an386.ld)
set(board_flags -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
set(board_freertos_port ARM_CM4F)
