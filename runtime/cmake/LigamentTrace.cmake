# SPDX-License-Identifier: Apache-2.0
# Trace: headers derived from spec/events/events.yaml; the LTTng provider object where LTTng-UST is;
# the converter where libbabeltrace2 is. libligament itself links neither.
set(LIGAMENT_EVENTS ${CMAKE_CURRENT_LIST_DIR}/../../spec/events/events.yaml)
set(LIGAMENT_TRACE_TOOL ${CMAKE_CURRENT_LIST_DIR}/../../tool/ligament/trace)

# Make one file from events.yaml at build time, after each change of it.
function(ligament_generate_events template output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${LIGAMENT_TRACE_TOOL}/../..
            ${LIGAMENT_PYTHON} -m ligament.trace.generate_events
            --events ${LIGAMENT_EVENTS} --template ${template} --out ${output}
    DEPENDS ${LIGAMENT_EVENTS} ${LIGAMENT_TRACE_TOOL}/events.py
            ${LIGAMENT_TRACE_TOOL}/generate_events.py ${LIGAMENT_TRACE_TOOL}/templates/${template}
    COMMENT "events.yaml -> ${template}" VERBATIM)
endfunction()

function(ligament_add_trace target)
  set(generated ${CMAKE_BINARY_DIR}/generated/trace)
  set(hooks ${generated}/include/ligament/detail/trace_events.hpp)
  ligament_generate_events(trace_events.hpp.j2 ${hooks})
  add_custom_target(ligament_trace_headers DEPENDS ${hooks})
  add_dependencies(${target} ligament_trace_headers)
  target_sources(${target} PRIVATE ${hooks})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${generated}/include>)
  install(FILES ${hooks} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ligament/detail)
endfunction()
