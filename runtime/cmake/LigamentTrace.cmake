# SPDX-License-Identifier: Apache-2.0
# Trace: headers derived from spec/events/events.yaml; the LTTng provider object where LTTng-UST is;
# the converter where libbabeltrace2 is. libligament itself links neither.
set(LIGAMENT_EVENTS ${CMAKE_CURRENT_LIST_DIR}/../../spec/events/events.yaml)
set(LIGAMENT_FOREIGN_EVENTS ${CMAKE_CURRENT_LIST_DIR}/../../spec/events/ros2.yaml)
set(LIGAMENT_TRACE_TOOL ${CMAKE_CURRENT_LIST_DIR}/../../tool/ligament/trace)

# Make one file from events.yaml at build time, after each change of it; with --ros2 from ros2.yaml.
function(ligament_generate_events template output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${LIGAMENT_TRACE_TOOL}/../..
            ${LIGAMENT_PYTHON} -P -m ligament.trace.generate_events
            --events ${LIGAMENT_EVENTS} --template ${template} --out ${output} ${ARGN}
    DEPENDS ${LIGAMENT_EVENTS} ${LIGAMENT_FOREIGN_EVENTS} ${LIGAMENT_TRACE_TOOL}/events.py
            ${LIGAMENT_TRACE_TOOL}/generate_events.py ${LIGAMENT_TRACE_TOOL}/templates/${template}
    COMMENT "events.yaml -> ${template}" VERBATIM)
endfunction()

function(ligament_add_trace target)
  set(generated ${CMAKE_BINARY_DIR}/generated/trace)
  set(hooks ${generated}/include/ligament/detail/trace_events.hpp)
  ligament_generate_events(trace_events.hpp.j2 ${hooks})
  set(ros2_hooks ${generated}/include/ligament/detail/ros2_events.hpp)
  ligament_generate_events(trace_events.hpp.j2 ${ros2_hooks} --ros2)
  add_custom_target(ligament_trace_headers DEPENDS ${hooks} ${ros2_hooks})
  add_dependencies(${target} ligament_trace_headers)
  target_sources(${target} PRIVATE ${hooks} ${ros2_hooks})
  target_compile_definitions(${target} PRIVATE LIGAMENT_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${generated}/include>)
  install(FILES ${hooks} ${ros2_hooks} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ligament/detail)
  find_package(PkgConfig)
  if(PKG_CONFIG_FOUND)
    ligament_add_trace_provider(${target} ${generated})
    ligament_add_trace_converter(${generated})
  endif()
endfunction()

# The provider objects: opened by trace::load() and trace::load_ros2(), never linked.
function(ligament_add_trace_provider target generated)
  pkg_check_modules(LTTNG_UST IMPORTED_TARGET lttng-ust>=2.13)
  if(NOT LTTNG_UST_FOUND)
    message(STATUS "LTTng-UST not found: no trace provider (Debian: liblttng-ust-dev)")
    return()
  endif()
  ligament_add_provider_object(ligament-trace-lttng lttng_provider.cpp ligament ${generated})
  ligament_add_provider_object(ligament-trace-ros2 ros2_provider.cpp ros2 ${generated} --ros2)
endfunction()

function(ligament_add_provider_object name source provider generated)
  set(tracepoints ${generated}/lttng/${provider}_tracepoints.h)
  set(hooks ${generated}/lttng/${provider}_hooks.inc)
  ligament_generate_events(lttng_tracepoints.h.j2 ${tracepoints} ${ARGN})
  ligament_generate_events(lttng_hooks.inc.j2 ${hooks} ${ARGN})
  add_library(${name} MODULE src/trace/provider/${source} ${tracepoints} ${hooks})
  # LTTng's macros are C; their warnings are not ours to answer for, so ligament_warnings stays off.
  target_include_directories(${name} PRIVATE src ${generated}/lttng ${generated}/include)
  target_link_libraries(${name} PRIVATE ligament_language PkgConfig::LTTNG_UST ${CMAKE_DL_LIBS})
  add_dependencies(${name} ligament_trace_headers)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
endfunction()

# The native reader of recordings: a program that the Python tool starts.
function(ligament_add_trace_converter generated)
  pkg_check_modules(BABELTRACE2 IMPORTED_TARGET babeltrace2>=2.0)
  if(NOT BABELTRACE2_FOUND)
    message(STATUS "libbabeltrace2 not found: no trace converter (Debian: libbabeltrace2-dev)")
    return()
  endif()
  ligament_generate_events(event_columns.hpp.j2 ${generated}/convert/event_columns.hpp)
  file(GLOB sources CONFIGURE_DEPENDS src/trace/convert/*.cpp)
  add_executable(ligament-trace-convert ${sources} ${generated}/convert/event_columns.hpp)
  ligament_compile_together(ligament-trace-convert)
  target_include_directories(ligament-trace-convert PRIVATE src ${generated}/convert)
  target_link_libraries(ligament-trace-convert PRIVATE ligament_language ligament_warnings
                        PkgConfig::BABELTRACE2 nlohmann_json::nlohmann_json)
  install(TARGETS ligament-trace-convert RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
endfunction()
