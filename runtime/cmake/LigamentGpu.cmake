# SPDX-License-Identifier: Apache-2.0
# Kernels: a library that only nodes with kernels link, so that all others need no driver. CUDA's is
# looked for when it is needed, so nothing of NVIDIA's is needed to build. Without
# OpenCL's headers (Debian: ocl-icd-opencl-dev) the rest is built, and GPU nodes cannot be.
find_package(OpenCL QUIET)
if(NOT OpenCL_FOUND)
  message(STATUS "OpenCL is not here: no GPU nodes (Debian: ocl-icd-opencl-dev)")
  return()
endif()

file(GLOB gpu_sources CONFIGURE_DEPENDS src/gpu/*.cpp src/gpu/opencl/*.cpp src/gpu/cuda/*.cpp)
list(FILTER gpu_sources EXCLUDE REGEX "check\\.cpp$")
add_library(ligament_gpu SHARED ${gpu_sources})
add_library(ligament::gpu ALIAS ligament_gpu)
ligament_compile_together(ligament_gpu APART src/gpu/program.cpp)
target_include_directories(ligament_gpu PRIVATE src)
target_link_libraries(ligament_gpu PUBLIC ligament PRIVATE ligament_warnings OpenCL::OpenCL ${CMAKE_DL_LIBS})
set_target_properties(ligament_gpu PROPERTIES EXPORT_NAME gpu INSTALL_RPATH "$ORIGIN")
install(TARGETS ligament_gpu EXPORT ligamentTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

add_executable(ligament-kernel-check src/gpu/check.cpp)
target_include_directories(ligament-kernel-check PRIVATE src)
target_link_libraries(ligament-kernel-check PRIVATE ligament_gpu ligament_warnings OpenCL::OpenCL)
set_target_properties(ligament-kernel-check PROPERTIES
  EXPORT_NAME kernel-check INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ligament-kernel-check EXPORT ligamentTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
