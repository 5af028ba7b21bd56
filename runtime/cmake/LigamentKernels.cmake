# SPDX-License-Identifier: Apache-2.0
# Kernels without a node (spec/build/cmake.md).
#
#   ligament_add_kernel(<name> SOURCES <file>... [INCLUDE <folder>...] [TOP <name>]
#                       [BACKENDS <name>...])
#     A target <name>, and one <name>-<back-end> for each: opencl, verilated, native, vitis. TOP is
#     the kernel's function or module; default: <name>. Sources, and what a back-end makes, are
#     installed in lib/<project>.
#   acceleration_kernel(NAME <name> FILE <file> [INCLUDE <folder>...])
#     The same with the signature of REP-2008's draft.
#
# A back-end is a folder of kernels/ with a backend.cmake, which defines
# ligament_kernel_<back-end>(<target> <name>): it reads kernel_SOURCES, kernel_INCLUDE, kernel_TOP, all
# absolute, and makes <target>. LIGAMENT_KERNEL_BACKENDS has further folders of such folders.
include_guard(GLOBAL)

function(ligament_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 kernel "" "TOP" "SOURCES;INCLUDE;BACKENDS")
  if(kernel_UNPARSED_ARGUMENTS OR NOT kernel_SOURCES)
    message(FATAL_ERROR "ligament_add_kernel(${name}): there are SOURCES (needed), INCLUDE, TOP "
                        "and BACKENDS ${kernel_UNPARSED_ARGUMENTS}")
  endif()
  foreach(list IN ITEMS kernel_SOURCES kernel_INCLUDE)
    set(absolute "")
    foreach(path IN LISTS ${list})
      get_filename_component(path "${path}" ABSOLUTE)
      if(NOT EXISTS "${path}")
        message(FATAL_ERROR "ligament_add_kernel(${name}): there is no '${path}'")
      endif()
      list(APPEND absolute "${path}")
    endforeach()
    set(${list} "${absolute}")
  endforeach()
  if(NOT kernel_TOP)
    set(kernel_TOP ${name})
  endif()
  if(NOT kernel_BACKENDS)
    _ligament_backend_of(kernel_BACKENDS ${name} ${kernel_SOURCES})
  endif()
  set(own ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kernels)
  add_custom_target(${name} ALL)
  install(FILES ${kernel_SOURCES} DESTINATION lib/${PROJECT_NAME})
  foreach(backend IN LISTS kernel_BACKENDS)
    set(found "")
    foreach(folder IN LISTS own LIGAMENT_KERNEL_BACKENDS)
      if(NOT found AND EXISTS "${folder}/${backend}/backend.cmake")
        set(found "${folder}/${backend}/backend.cmake")
      endif()
    endforeach()
    if(NOT found)
      file(GLOB known RELATIVE ${own} ${own}/*)
      list(JOIN known ", " known)
      message(FATAL_ERROR "ligament_add_kernel(${name}): there is no back-end '${backend}' in "
                          "${own} (${known}) or LIGAMENT_KERNEL_BACKENDS")
    endif()
    include("${found}")
    cmake_language(CALL ligament_kernel_${backend} ${name}-${backend} ${name})
    add_dependencies(${name} ${name}-${backend})
  endforeach()
endfunction()

# _ligament_backend_of(<variable> <name> <source>...): what the first source's suffix means.
function(_ligament_backend_of variable name first)
  if(first MATCHES "\\.cl$")
    set(${variable} opencl PARENT_SCOPE)
  elseif(first MATCHES "\\.s?v$")
    set(${variable} verilated PARENT_SCOPE)
  elseif(first MATCHES "\\.(cpp|cc|cxx)$")
    set(${variable} native PARENT_SCOPE)
  else()
    message(FATAL_ERROR "ligament_add_kernel(${name}): nothing here compiles '${first}'; give "
                        "BACKENDS, or a file .cl (OpenCL), .sv or .v (Verilator), .cpp (HLS C++)")
  endif()
endfunction()

function(acceleration_kernel)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;FILE" "INCLUDE")
  if(NOT arg_NAME OR NOT arg_FILE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "acceleration_kernel: there are NAME and FILE (both needed) and INCLUDE "
                        "${arg_UNPARSED_ARGUMENTS}")
  endif()
  ligament_add_kernel(${arg_NAME} SOURCES ${arg_FILE} INCLUDE ${arg_INCLUDE})
endfunction()
