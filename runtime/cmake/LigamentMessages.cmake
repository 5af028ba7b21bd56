# SPDX-License-Identifier: Apache-2.0
# Message definitions -> C++ headers, by `python -m ligament.messages`.
#
#   ligament_generate_messages(<target> PACKAGE_DIRS <dir>... [DISTRO jazzy])
#     Headers for the .msg, .srv and .action files of these package folders, generated at build time
#     and put on the target's include path as <ligament/PACKAGE/KIND/name.hpp>. The standard types
#     that they use come from the installed library. Python is LIGAMENT_PYTHON, else python3; it must
#     have the `ligament` package.
#
# ligament_add_message_headers(<target>) is for the library itself: all standard types.
include_guard(GLOBAL)

# One custom command that runs the generator when a definition or the generator itself changed.
# Unchanged headers keep their time stamps, so a rerun rebuilds only what differs.
function(_ligament_run_generator name out)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGUMENTS;DEPENDS")
  set(stamp ${out}.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${LIGAMENT_PYTHON} -m ligament.messages generate --out ${out} ${arg_ARGUMENTS}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${arg_DEPENDS}
    COMMENT "Generating message headers (${name})"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${stamp})
endfunction()

function(ligament_add_message_headers target)
  set(root ${PROJECT_SOURCE_DIR}/..)
  set(out ${PROJECT_BINARY_DIR}/gen/messages/include)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${root}/tool/ligament/messages/*.py ${root}/tool/ligament/messages/templates/*.j2
       ${root}/spec/interfaces/*)
  _ligament_run_generator(ligament_message_headers ${out}
    ARGUMENTS --distro jazzy DEPENDS ${sources})
  add_dependencies(${target} ligament_message_headers)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${out}>)
  install(DIRECTORY ${out}/ligament DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ligament)
endfunction()
