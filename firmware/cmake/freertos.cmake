# SPDX-License-Identifier: Apache-2.0
# FreeRTOS's kernel for images with OS freertos:
#
#   ligament_find_freertos(<result>)
#     The folder with tasks.c, or nothing. It is LIGAMENT_FREERTOS (a CMake variable, or one of the
#     environment) for a tree of your own; else that of the crate which os/freertos/Cargo.toml
#     names, where `cargo fetch` has brought it.
include_guard(GLOBAL)
set(_ligament_freertos_manifest ${CMAKE_CURRENT_LIST_DIR}/../os/freertos/Cargo.toml)

function(ligament_find_freertos result)
  set(folder "${LIGAMENT_FREERTOS}")
  if(NOT folder)
    set(folder "$ENV{LIGAMENT_FREERTOS}")
  endif()
  if(NOT folder)
    _ligament_freertos_of_cargo(folder)
  elseif(NOT EXISTS ${folder}/tasks.c)
    message(FATAL_ERROR "LIGAMENT_FREERTOS is ${folder}, which has no tasks.c: it should be the "
                        "folder of the FreeRTOS kernel's sources")
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(_ligament_freertos_of_cargo result)
  set(${result} "" PARENT_SCOPE)
  find_program(LIGAMENT_CARGO cargo)
  if(NOT LIGAMENT_CARGO)
    return()
  endif()
  execute_process(COMMAND ${LIGAMENT_CARGO} metadata --offline --locked --format-version 1
                          --manifest-path ${_ligament_freertos_manifest}
                  OUTPUT_VARIABLE metadata ERROR_QUIET RESULT_VARIABLE failed)
  # The path, and not the whole text, as CMake takes long to read that much JSON.
  if(NOT failed AND metadata MATCHES "\"manifest_path\":\"([^\"]*/freertos-next-[^\"]*)/Cargo.toml\"")
    set(${result} "${CMAKE_MATCH_1}/FreeRTOS-Kernel" PARENT_SCOPE)
  endif()
endfunction()

# The kernel for a board, compiled once for all images of a project.
function(ligament_add_freertos target image)
  ligament_find_freertos(kernel)
  if(NOT kernel)
    message(FATAL_ERROR "ligament_add_image(${image}): OS freertos needs FreeRTOS's kernel, which is "
                        "not here. Get it by `cargo fetch --locked --manifest-path "
                        "${_ligament_freertos_manifest}` (cargo 1.68 or newer), or give the folder "
                        "of yours: LIGAMENT_FREERTOS=PATH")
  endif()
  if(NOT board_freertos_port)
    message(FATAL_ERROR "ligament_add_image(${image}): this board has no FreeRTOS")
  endif()
  if(TARGET ${target})
    return()
  endif()
  set(port ${kernel}/portable/GCC/${board_freertos_port})
  file(GLOB port_sources ${port}/*.c ${port}/*.S)
  _ligament_as_c(${port_sources})
  add_library(${target} STATIC ${kernel}/tasks.c ${kernel}/queue.c ${kernel}/list.c
              ${kernel}/stream_buffer.c ${port_sources})
  target_include_directories(${target} SYSTEM PUBLIC ${kernel}/include ${port}
    ${LIGAMENT_FIRMWARE}/os/freertos ${board})
  target_compile_options(${target} PRIVATE ${board_flags} -Os -g -w -ffunction-sections
                         -fdata-sections)
endfunction()
