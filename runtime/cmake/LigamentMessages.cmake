# SPDX-License-Identifier: Apache-2.0
# Message definitions -> C++ headers, by `python -m ligament.messages`.
#
#   ligament_generate_messages(<target> PACKAGE_DIRS <dir>... [DISTRO <distro>])
#     Headers for the .msg, .srv and .action files of these package folders, generated at build time
#     and put on the target's include path as <ligament/PACKAGE/KIND/name.hpp>. The standard types
#     that they use come from the installed library, in the distribution that it was built for
#     (LIGAMENT_DISTRO, default jazzy); DISTRO may only repeat that one. Python is LIGAMENT_PYTHON,
#     else python3; it must have the `ligament` package.
#
# ligament_add_message_headers(<target>) is for the library itself: all standard types.
include_guard(GLOBAL)

# One custom command that runs the generator when a definition or the generator itself changed.
# Unchanged headers keep their time stamps, so a rerun rebuilds only what differs.
function(_ligament_run_generator name out)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGUMENTS;DEPENDS")
  set(stamp ${out}.stamp)
  set(command ${LIGAMENT_PYTHON} -P -m ligament.messages generate --out ${out} ${arg_ARGUMENTS})
  # -P: a folder named `ligament` below the current one must not pass for the package.
  # Ninja has to know the headers by name, else what includes them is rebuilt one build too late.
  execute_process(COMMAND ${command} --list OUTPUT_VARIABLE headers ERROR_VARIABLE mistakes
                  RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "message definitions (${name}):\n${mistakes}")
  endif()
  string(REPLACE "\n" ";" headers "${headers}")
  add_custom_command(
    OUTPUT ${stamp}
    BYPRODUCTS ${headers}
    COMMAND ${command}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${arg_DEPENDS}
    COMMENT "Generating message headers (${name})"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${stamp})
endfunction()

# The Python that has the generator; a project may choose with -DLIGAMENT_PYTHON=...
function(_ligament_find_python)
  if(NOT LIGAMENT_PYTHON)
    find_program(LIGAMENT_PYTHON python3 REQUIRED)
  endif()
  execute_process(COMMAND ${LIGAMENT_PYTHON} -P -c "import ligament.messages"
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(FATAL_ERROR "${LIGAMENT_PYTHON} has no package 'ligament', which generates code; "
                        "give the Python that has it: -DLIGAMENT_PYTHON=PATH")
  endif()
endfunction()

function(ligament_generate_messages target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DISTRO" "PACKAGE_DIRS")
  if(NOT arg_PACKAGE_DIRS)
    message(FATAL_ERROR "ligament_generate_messages(${target}): PACKAGE_DIRS is missing: the "
                        "folders that hold msg/, srv/ or action/")
  endif()
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/LigamentDistro.cmake OPTIONAL)  # installed beside
  if(NOT arg_DISTRO)
    set(arg_DISTRO ${LIGAMENT_DISTRO})
  elseif(NOT arg_DISTRO STREQUAL LIGAMENT_DISTRO)
    message(FATAL_ERROR "ligament_generate_messages(${target}): DISTRO ${arg_DISTRO}, but the "
                        "library was built for ${LIGAMENT_DISTRO}; rebuild the library with "
                        "-DLIGAMENT_DISTRO=${arg_DISTRO}, or use its distribution")
  endif()
  _ligament_find_python()
  set(definitions "")
  set(folders "")
  foreach(folder IN LISTS arg_PACKAGE_DIRS)
    get_filename_component(folder ${folder} ABSOLUTE)
    file(GLOB found CONFIGURE_DEPENDS ${folder}/package.xml ${folder}/msg/*.msg
         ${folder}/srv/*.srv ${folder}/action/*.action)
    list(APPEND definitions ${found})
    list(APPEND folders ${folder})
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_messages/include)
  _ligament_run_generator(${target}_messages ${out}
    ARGUMENTS --distro ${arg_DISTRO} --packages-only --package-dir ${folders}
    DEPENDS ${definitions} ${LIGAMENT_MESSAGE_GENERATOR_SOURCES})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${out}>)
  else()
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${out}>)
  endif()
  add_dependencies(${target} ${target}_messages)
endfunction()

function(ligament_add_message_headers target)
  set(LIGAMENT_DISTRO jazzy CACHE STRING "ROS 2 distribution whose definitions are used")
  file(WRITE ${PROJECT_BINARY_DIR}/LigamentDistro.cmake
       "# SPDX-License-Identifier: Apache-2.0\nset(LIGAMENT_DISTRO ${LIGAMENT_DISTRO})\n")
  set(root ${PROJECT_SOURCE_DIR}/..)
  set(out ${PROJECT_BINARY_DIR}/gen/messages/include)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${root}/tool/ligament/messages/*.py ${root}/tool/ligament/messages/templates/*.j2
       ${root}/spec/interfaces/*)
  # Inside the repository, headers of other packages follow a changed generator too.
  set(LIGAMENT_MESSAGE_GENERATOR_SOURCES ${sources} CACHE INTERNAL "")
  _ligament_run_generator(ligament_message_headers ${out}
    ARGUMENTS --distro ${LIGAMENT_DISTRO} DEPENDS ${sources})
  add_dependencies(${target} ligament_message_headers)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${out}>)
  install(DIRECTORY ${out}/ligament DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_CURRENT_FUNCTION_LIST_FILE} ${PROJECT_BINARY_DIR}/LigamentDistro.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ligament)
endfunction()
