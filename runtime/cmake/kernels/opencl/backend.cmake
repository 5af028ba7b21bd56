# SPDX-License-Identifier: Apache-2.0
# OpenCL: the kernels are compiled for the device that is there, so that an error is one of the
# build; what is installed is their source, which a program compiles for its own device.
function(ligament_kernel_opencl target name)
  if(NOT TARGET ligament::kernel-check)
    message(FATAL_ERROR "ligament_add_kernel(${name}): the Ligament runtime was built without "
                        "OpenCL (Debian: ocl-icd-opencl-dev)")
  endif()
  if(kernel_INCLUDE)
    message(FATAL_ERROR "ligament_add_kernel(${name}): a device's compiler has no files to include: "
                        "list what ${kernel_INCLUDE} has for the kernels in SOURCES, first")
  endif()
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ligament::kernel-check ${kernel_SOURCES}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${kernel_SOURCES}
    COMMENT "Compiling the kernels of ${name}" VERBATIM)
  add_custom_target(${target} DEPENDS ${stamp})
endfunction()
