# SPDX-License-Identifier: Apache-2.0
# The artefacts that the conformance suite loads into the CPU device.
set(device_programs upper wrong old)
foreach(name IN LISTS device_programs)
  add_library(test_program_${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/program_${name}.cpp)
  target_link_libraries(test_program_${name} PRIVATE ligament ligament_warnings)
  target_compile_definitions(test_device PRIVATE
    PROGRAM_${name}="$<TARGET_FILE:test_program_${name}>")
  add_dependencies(test_device test_program_${name})
endforeach()
target_sources(test_device PRIVATE ${CMAKE_CURRENT_LIST_DIR}/conformance.cpp)
target_include_directories(test_device PRIVATE ${CMAKE_SOURCE_DIR}/../spec/device)
