# SPDX-License-Identifier: Apache-2.0
# The agent, and the client for microcontrollers against it: one process, no socket, a clock that the
# test moves.
enable_language(C)
set(firmware ${CMAKE_SOURCE_DIR}/../firmware)
file(GLOB firmware_sources CONFIGURE_DEPENDS ${firmware}/core/src/*.c ${firmware}/params/src/*.c
     ${firmware}/port/can/*.c)
add_library(firmware_under_test STATIC ${firmware_sources})
set_target_properties(firmware_under_test PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF UNITY_BUILD OFF)
target_include_directories(firmware_under_test PUBLIC ${firmware}/core/include ${firmware}/core/src
                           ${firmware}/params/include ${firmware}/port/can)
target_compile_options(firmware_under_test PRIVATE -Wall -Wextra -Wconversion -Wpedantic
                       $<$<BOOL:${LIGAMENT_STRICT}>:-Werror>)
set_target_properties(test_agent PROPERTIES UNITY_BUILD OFF)  # its files use the same short names
target_link_libraries(test_agent PRIVATE ligament_agent firmware_under_test)
include(${room_path}/fuzz/fuzz.cmake)
