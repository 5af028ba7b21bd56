# SPDX-License-Identifier: Apache-2.0
# Verilator: the module TOP as C++, in <name>/: V<TOP>.h, V<TOP>__ALL.a and libverilated.a.
function(ligament_kernel_verilated target name)
  _ligament_find_python()
  set(command ${LIGAMENT_PYTHON} -P -m ligament.build.verilate)
  execute_process(COMMAND ${command} --print-include RESULT_VARIABLE failed
                  ERROR_VARIABLE mistakes OUTPUT_QUIET)
  if(failed)
    message(FATAL_ERROR "ligament_add_kernel(${name}): ${mistakes}")
  endif()
  list(TRANSFORM kernel_INCLUDE PREPEND --include= OUTPUT_VARIABLE includes)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  set(archives ${out}/V${kernel_TOP}__ALL.a ${out}/libverilated.a)
  add_custom_command(
    OUTPUT ${archives} ${out}/V${kernel_TOP}.h
    COMMAND ${command} --model-only --top ${kernel_TOP} --out ${out} ${includes}
            ${kernel_SOURCES}
    DEPENDS ${kernel_SOURCES}
    COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(${target} DEPENDS ${archives})
  install(FILES ${archives} DESTINATION lib/${PROJECT_NAME}/${name})
  install(DIRECTORY ${out}/ DESTINATION lib/${PROJECT_NAME}/${name} FILES_MATCHING PATTERN "*.h")
endfunction()
