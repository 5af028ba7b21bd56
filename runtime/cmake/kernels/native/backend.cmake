# SPDX-License-Identifier: Apache-2.0
# HLS C++, compiled natively (functional emulation): a static library, C++14 as the vendor's tools
# take it, with the headers that stand in for the vendor's.
function(ligament_kernel_native target name)
  _ligament_find_python()
  execute_process(COMMAND ${LIGAMENT_PYTHON} -P -c
                          "from ligament import resources; print(resources.hls_dir())"
                  OUTPUT_VARIABLE hls OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  add_library(${target} STATIC ${kernel_SOURCES})
  target_include_directories(${target} PUBLIC ${kernel_INCLUDE} ${hls} ${hls}/native)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 14 CXX_STANDARD_REQUIRED ON
                        CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unknown-pragmas)
  install(TARGETS ${target} ARCHIVE DESTINATION lib/${PROJECT_NAME})
endfunction()
