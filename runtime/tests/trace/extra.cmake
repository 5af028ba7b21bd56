# SPDX-License-Identifier: Apache-2.0
# Provider objects that the loader test opens, and a program that emits a made-up graph's events.
foreach(kind recording outdated foreign)
  add_library(trace_provider_${kind} MODULE ${room_path}/provider_${kind}.cpp)
  target_link_libraries(trace_provider_${kind} PRIVATE ligament_warnings ligament_language)
  target_include_directories(trace_provider_${kind} PRIVATE ${CMAKE_SOURCE_DIR}/src
                             $<TARGET_PROPERTY:ligament,INTERFACE_INCLUDE_DIRECTORIES>)
  add_dependencies(trace_provider_${kind} ligament_trace_headers)
  add_dependencies(test_trace trace_provider_${kind})
endforeach()

add_executable(trace_emitter ${room_path}/trace_emitter.cpp)
target_link_libraries(trace_emitter PRIVATE ligament ligament_warnings)
