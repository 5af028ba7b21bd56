# SPDX-License-Identifier: Apache-2.0
# Toolchain file for images of Arm cores: cmake -DCMAKE_TOOLCHAIN_FILE=.../arm-none-eabi.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
find_program(LIGAMENT_ARM_GCC arm-none-eabi-gcc)
if(NOT LIGAMENT_ARM_GCC)
  message(FATAL_ERROR "firmware needs the compiler arm-none-eabi-gcc, which is not on PATH: "
                      "apt install gcc-arm-none-eabi libnewlib-arm-none-eabi")
endif()
set(CMAKE_C_COMPILER ${LIGAMENT_ARM_GCC})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program needs a board
set(CMAKE_EXECUTABLE_SUFFIX .elf)
