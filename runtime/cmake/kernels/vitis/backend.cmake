# SPDX-License-Identifier: Apache-2.0
# AMD Vitis: its project files are written into <name>.vitis/ when CMake configures; <target> runs
# v++ on them. Without v++ the configuration fails, and the files stay, for a machine that has it.
#
# LIGAMENT_VITIS_PLATFORM: the platform (.xpfm) or part. LIGAMENT_VITIS_CLOCK_HZ: the kernel's clock.
# LIGAMENT_VITIS_TARGET: sw_emu, hw_emu or hw.
set(LIGAMENT_VITIS_PLATFORM "" CACHE STRING "Platform (.xpfm) that Vitis compiles kernels for")
set(LIGAMENT_VITIS_CLOCK_HZ 100000000 CACHE STRING "Clock of kernels in Vitis. Unit: hertz")
set(LIGAMENT_VITIS_TARGET hw_emu CACHE STRING "sw_emu, hw_emu or hw")

function(ligament_kernel_vitis target name)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.vitis)
  set(part ${LIGAMENT_VITIS_PLATFORM})
  math(EXPR period_ps "1000000000000 / ${LIGAMENT_VITIS_CLOCK_HZ}")
  string(REGEX REPLACE "([0-9][0-9][0-9])$" ".\\1" period "${period_ps}")
  set(files "")
  set(includes "")
  set(flags "")
  foreach(folder IN LISTS kernel_INCLUDE)
    string(APPEND flags " -I${folder}")
    string(APPEND includes "include=${folder}\n")
  endforeach()
  foreach(source IN LISTS kernel_SOURCES)
    string(APPEND files "add_files {${source}} -cflags {${flags}}\n")
  endforeach()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/hls.tcl.in ${out}/hls.tcl @ONLY)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kernel.cfg.in ${out}/kernel.cfg @ONLY)
  find_program(vpp NAMES v++ NO_CACHE)
  if(NOT vpp)
    message(FATAL_ERROR "ligament_add_kernel(${name}): v++ of AMD Vitis is not on the PATH: source "
                        "its settings64.sh, or take vitis out of BACKENDS (its project files are "
                        "in ${out})")
  endif()
  if(NOT LIGAMENT_VITIS_PLATFORM)
    message(FATAL_ERROR "ligament_add_kernel(${name}): Vitis needs a platform: give "
                        "-DLIGAMENT_VITIS_PLATFORM=FILE.xpfm")
  endif()
  set(object ${out}/${name}.xo)
  set(binary ${out}/${name}.xclbin)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${vpp} -c --config ${out}/kernel.cfg -o ${object} ${kernel_SOURCES}
    DEPENDS ${kernel_SOURCES} ${out}/kernel.cfg
    WORKING_DIRECTORY ${out} COMMENT "Vitis: compiling ${name}" VERBATIM)
  add_custom_command(
    OUTPUT ${binary}
    COMMAND ${vpp} -l -t ${LIGAMENT_VITIS_TARGET} --platform ${LIGAMENT_VITIS_PLATFORM}
            -o ${binary} ${object}
    DEPENDS ${object} WORKING_DIRECTORY ${out} COMMENT "Vitis: linking ${name}" VERBATIM)
  add_custom_target(${target} DEPENDS ${binary})
  install(FILES ${binary} DESTINATION lib/${PROJECT_NAME})
endfunction()
