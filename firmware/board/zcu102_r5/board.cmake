# SPDX-License-Identifier: Apache-2.0
# The real-time processor of a Zynq UltraScale+ (a Cortex-R5F), as QEMU's machine xlnx-zcu102 has it.
set(board_sources board.c start.S)
set(board_script r5.ld)
set(board_flags -mcpu=cortex-r5 -marm -mfloat-abi=hard -mfpu=vfpv3-d16)
set(board_freertos_port ARM_CRx_No_GIC)
set(board_freertos_sources ticks.c)
