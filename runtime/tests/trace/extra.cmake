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

add_executable(traced_graph ${room_path}/traced_graph.cpp)
target_link_libraries(traced_graph PRIVATE ligament ligament_warnings)

# Stands for ROS 2's own tracepoints in a process: found by its name alone.
add_library(fake_tracetools SHARED ${room_path}/provider_foreign.cpp)
set_target_properties(fake_tracetools PROPERTIES OUTPUT_NAME tracetools)
target_include_directories(fake_tracetools PRIVATE ${CMAKE_SOURCE_DIR}/src
                           $<TARGET_PROPERTY:ligament,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(fake_tracetools PRIVATE ligament_warnings ligament_language)
add_dependencies(fake_tracetools ligament_trace_headers)
add_dependencies(test_trace fake_tracetools)

# Parts of the converter, which is a program where babeltrace2 is.
if(TARGET ligament-trace-convert)
  target_sources(test_trace PRIVATE ${room_path}/convert/rows_test.cpp
    ${CMAKE_SOURCE_DIR}/src/trace/convert/batch.cpp
    ${CMAKE_SOURCE_DIR}/src/trace/convert/row_writer.cpp)
  target_include_directories(test_trace PRIVATE
    $<TARGET_PROPERTY:ligament-trace-convert,INCLUDE_DIRECTORIES>)
  add_dependencies(test_trace ligament-trace-convert)  # which makes the header of columns
endif()
