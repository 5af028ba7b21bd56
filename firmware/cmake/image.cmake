# SPDX-License-Identifier: Apache-2.0
# Images for cores beside the host:
#
#   ligament_add_image(<target> BOARD <board> OS <bare|freertos> SOURCES <file>...
#                      [INCLUDES <folder>...] [DEFINES <NAME=VALUE>...] [MEMORY <file>])
#     Makes <target>.elf and <target>.map from the sources, one of which has `main`; the board, the
#     client, RPMsg and the app (app/include/ligament/app.h) come along, and what is not called is
#     left out. DEFINES are the app's sizes. MEMORY is a memory map; left out: the board's
#     (memory.cmake). The size is printed. freertos.cmake says where FreeRTOS is looked for.
#   ligament_add_messages(<target> TYPES <package/kind/Name>...)
#     Generates C99 of message types; the target includes "package/kind/name.h". Python is
#     LIGAMENT_PYTHON, else python3; it must have the package `ligament`.
#
# The project is configured with arm-none-eabi.cmake, which lies beside this file. LIGAMENT_STRICT
# makes warnings errors.
include_guard(GLOBAL)
get_filename_component(LIGAMENT_FIRMWARE ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
include(${CMAKE_CURRENT_LIST_DIR}/freertos.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/memory.cmake)

function(ligament_add_image target)
  cmake_parse_arguments(PARSE_ARGV 1 image "" "BOARD;OS;MEMORY" "SOURCES;INCLUDES;DEFINES")
  set(board ${LIGAMENT_FIRMWARE}/board/${image_BOARD})
  _ligament_check_image(${target} "${image_BOARD}" "${image_OS}" "${image_SOURCES}")
  include(${board}/board.cmake) # board_sources, board_script, board_flags, ...
  _ligament_add_client(ligament_client_${image_BOARD})
  if("${image_OS}" STREQUAL "freertos") # quoted: a caller may have a variable of that name
    ligament_add_freertos(ligament_freertos_${image_BOARD} ${target})
    list(APPEND board_sources ${board_freertos_sources})
    set(system ligament_freertos_${image_BOARD})
  endif()
  list(TRANSFORM board_sources PREPEND ${board}/)
  _ligament_as_c(${board_sources})
  set(app ${LIGAMENT_FIRMWARE}/app)
  add_executable(${target} ${image_SOURCES} ${board_sources} ${app}/src/app.c
                 ${app}/src/faults.c ${app}/src/trace.c ${app}/src/${image_OS}.c)
  target_include_directories(${target} PRIVATE ${image_INCLUDES} ${LIGAMENT_FIRMWARE}/board
                             ${app}/include ${LIGAMENT_FIRMWARE}/node/include)
  target_compile_definitions(${target} PRIVATE ${image_DEFINES})
  ligament_use_memory(${target} ${board} "${image_MEMORY}")
  set_target_properties(${target} PROPERTIES SUFFIX .elf LINK_DEPENDS ${board}/${board_script})
  target_link_options(${target} PRIVATE ${board_flags} -nostartfiles --specs=nano.specs
    -T ${board}/${board_script} -Wl,--gc-sections -Wl,--fatal-warnings -Wl,-Map=${target}.map)
  target_link_libraries(${target} PRIVATE ligament_client_${image_BOARD} ${system} m)
  string(REGEX REPLACE "gcc(\\.exe)?$" "size" size ${CMAKE_C_COMPILER})
  add_custom_command(TARGET ${target} POST_BUILD COMMAND ${size} $<TARGET_FILE:${target}> VERBATIM)
endfunction()

# The client and RPMsg for a board, compiled once for all images of a project. What links it is
# compiled in the same way.
function(_ligament_add_client target)
  if(TARGET ${target})
    return()
  endif()
  file(GLOB parts CONFIGURE_DEPENDS ${LIGAMENT_FIRMWARE}/core/src/*.c
       ${LIGAMENT_FIRMWARE}/rpmsg/src/*.c)
  add_library(${target} STATIC ${parts} ${LIGAMENT_FIRMWARE}/port/rpmsg/rpmsg_port.c
              ${LIGAMENT_FIRMWARE}/port/microros/microros.c)
  target_include_directories(${target} PUBLIC ${LIGAMENT_FIRMWARE}/core/include
    ${LIGAMENT_FIRMWARE}/rpmsg/include ${LIGAMENT_FIRMWARE}/port/rpmsg
    ${LIGAMENT_FIRMWARE}/port/microros)
  target_compile_features(${target} PUBLIC c_std_99)
  target_compile_options(${target} PUBLIC ${board_flags} -Os -g -Wall -Wextra
    $<$<BOOL:${LIGAMENT_STRICT}>:-Werror> -ffunction-sections -fdata-sections)
endfunction()

# Assembly, also in a project without the language ASM.
function(_ligament_as_c)
  set(assembly ${ARGN})
  list(FILTER assembly INCLUDE REGEX "[.]S$")
  set_source_files_properties(${assembly} PROPERTIES LANGUAGE C
                              COMPILE_OPTIONS "-x;assembler-with-cpp")
endfunction()

function(_ligament_check_image target board os sources)
  set(where "ligament_add_image(${target})")
  file(GLOB boards RELATIVE ${LIGAMENT_FIRMWARE}/board ${LIGAMENT_FIRMWARE}/board/*/board.cmake)
  list(TRANSFORM boards REPLACE "/board.cmake$" "")
  if(NOT board IN_LIST boards)
    list(JOIN boards ", " known)
    message(FATAL_ERROR "${where}: there is no board '${board}'; there are: ${known}")
  endif()
  if(NOT os MATCHES "^(bare|freertos)$")
    message(FATAL_ERROR "${where}: OS is '${os}'; there are: bare, freertos")
  endif()
  if(NOT sources)
    message(FATAL_ERROR "${where}: SOURCES are missing: one has `main`")
  endif()
  if(NOT CMAKE_C_COMPILER MATCHES "arm-none-eabi-gcc")
    message(FATAL_ERROR "${where}: the compiler is ${CMAKE_C_COMPILER}; configure with "
                        "-DCMAKE_TOOLCHAIN_FILE=${LIGAMENT_FIRMWARE}/cmake/arm-none-eabi.cmake")
  endif()
endfunction()

function(ligament_add_messages target)
  cmake_parse_arguments(PARSE_ARGV 1 messages "" "" "TYPES")
  if(NOT LIGAMENT_PYTHON)
    find_program(LIGAMENT_PYTHON python3 REQUIRED)
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_messages)
  # -P: a folder named `ligament` below the current one must not pass for the package.
  execute_process(COMMAND ${LIGAMENT_PYTHON} -P -m ligament.messages c99 --out ${out}
                  --types ${messages_TYPES} RESULT_VARIABLE failed ERROR_VARIABLE why)
  if(failed)
    message(FATAL_ERROR "ligament_add_messages(${target}): ${LIGAMENT_PYTHON} (-DLIGAMENT_PYTHON) "
                        "cannot generate them:\n${why}")
  endif()
  target_include_directories(${target} PRIVATE ${out})
endfunction()
