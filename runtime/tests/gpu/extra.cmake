# SPDX-License-Identifier: Apache-2.0
# Kernels run on whatever OpenCL device there is: PoCL where there is no GPU. CUDA's run on its twin,
# and are compiled by NVIDIA's own compiler where Python has its wheels (dev/setup --test installs them).
if(TARGET ligament_gpu)
  # CUDA's driver and compiler as the processors play them.
  add_library(cuda_twin SHARED
    ${room_path}/twin/compiler.cpp ${room_path}/twin/device.cpp ${room_path}/twin/memory.cpp
    ${room_path}/twin/shared.cpp ${room_path}/twin/stream.cpp ${room_path}/twin/world.cpp
    ${CMAKE_SOURCE_DIR}/src/gpu/mapping.cpp ${CMAKE_SOURCE_DIR}/src/gpu/cuda/signature.cpp
    ${CMAKE_SOURCE_DIR}/src/gpu/parameter.cpp)
  set_target_properties(cuda_twin PROPERTIES UNITY_BUILD OFF)  # types of the API with fields of its own
  target_include_directories(cuda_twin PRIVATE ${CMAKE_SOURCE_DIR}/src ${room_path})
  target_link_libraries(cuda_twin PRIVATE ligament ligament_warnings ${CMAKE_DL_LIBS})
  target_compile_definitions(cuda_twin PRIVATE
    CUDA_TWIN_COMPILER="${CMAKE_CXX_COMPILER}"
    CUDA_TWIN_CACHE="${CMAKE_CURRENT_BINARY_DIR}/cuda_twin")

  target_sources(test_gpu PRIVATE ${room_path}/opencl_shim.cpp
    ${CMAKE_SOURCE_DIR}/../benchmarks/uma/bandwidth.cpp)
  foreach(name in_place overlap queue)  # their file-local names are those of others
    set_source_files_properties(${room_path}/${name}_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  target_link_libraries(test_gpu PRIVATE ligament_gpu cuda_twin OpenCL::OpenCL)
  target_compile_definitions(test_gpu PRIVATE CUDA_TWIN_LIBRARY="$<TARGET_FILE:cuda_twin>")

  execute_process(
    COMMAND ${LIGAMENT_PYTHON} -c "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    OUTPUT_VARIABLE python_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(cuda_headers ${python_packages}/nvidia/cuda_runtime/include)
  set(nvrtc_home ${python_packages}/nvidia/cuda_nvrtc)
  target_compile_definitions(test_gpu PRIVATE NVRTC_LIBRARY="${nvrtc_home}/lib/libnvrtc.so.12")
  if(EXISTS ${cuda_headers}/cuda.h AND EXISTS ${nvrtc_home}/include/nvrtc.h)
    target_sources(test_gpu PRIVATE ${room_path}/cuda_abi.cpp)
    set_source_files_properties(${room_path}/cuda_abi.cpp PROPERTIES
      INCLUDE_DIRECTORIES "${cuda_headers};${nvrtc_home}/include" SKIP_UNITY_BUILD_INCLUSION ON)
  endif()

  # A process to be killed while its device reads.
  add_executable(gpu_peer ${room_path}/gpu_peer.cpp)
  target_link_libraries(gpu_peer PRIVATE ligament_gpu ligament_warnings)
  # The other end of a queue topic.
  add_executable(queue_peer ${room_path}/queue_peer.cpp)
  target_link_libraries(queue_peer PRIVATE ligament_gpu ligament_warnings)
  add_dependencies(test_gpu gpu_peer queue_peer)
  target_compile_definitions(test_gpu PRIVATE
    GPU_PEER="$<TARGET_FILE:gpu_peer>" QUEUE_PEER="$<TARGET_FILE:queue_peer>")
  # What is skipped without a GPU, with the twin as the installed driver: as of a card that does not
  # register what a process may only read.
  add_test(NAME gpu/as_on_a_card
    COMMAND test_gpu --gtest_filter=*/cuda*:*real_card*-*/cuda_twin*)
  set(twin $<TARGET_FILE:cuda_twin>)
  set_tests_properties(gpu/as_on_a_card PROPERTIES ENVIRONMENT
    "CUDA_TWIN=discrete no-read-only;LIGAMENT_CUDA_DRIVER=${twin};LIGAMENT_NVRTC=${twin}")
endif()
