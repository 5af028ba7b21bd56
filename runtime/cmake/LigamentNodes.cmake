# SPDX-License-Identifier: Apache-2.0
# Node libraries.
#
#   ligament_add_node(<name> MANIFEST <node.yaml> [IMPLEMENTATIONS <kind>...])
#     A node type of a package, in all its implementations: LigamentPackage.cmake.
#
#   ligament_add_node(<target> SOURCES <file>... CLASS <name> [<name>...])
#     A shared library that a container can load. CLASS: the full names of the node classes that the
#     sources register with LIGAMENT_REGISTER_NODE; after each build the library is opened once and
#     asked for them, so that a missing symbol or a mistyped name is an error of the build.
include_guard(GLOBAL)

function(ligament_add_node target)
  if("MANIFEST" IN_LIST ARGN)
    _ligament_add_node_of_manifest(${ARGV})
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CLASS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "ligament_add_node(${target}): SOURCES is missing")
  endif()
  if(NOT arg_CLASS)
    message(FATAL_ERROR "ligament_add_node(${target}): CLASS is missing: the full name of the node "
                        "class, as in LIGAMENT_REGISTER_NODE")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ligament_add_node(${target}): unknown argument "
                        "'${arg_UNPARSED_ARGUMENTS}'; there are SOURCES and CLASS, or MANIFEST")
  endif()
  add_library(${target} SHARED ${arg_SOURCES})
  target_link_libraries(${target} PUBLIC ligament::ligament)
  # A user's own warnings are the user's choice; undefined symbols are never wanted.
  target_link_options(${target} PRIVATE $<$<NOT:$<BOOL:${LIGAMENT_SANITIZE}>>:-Wl,--no-undefined>)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  foreach(class IN LISTS arg_CLASS)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ligament::container --has-class ${class} $<TARGET_FILE:${target}>
      VERBATIM)
  endforeach()
endfunction()
