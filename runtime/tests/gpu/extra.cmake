# SPDX-License-Identifier: Apache-2.0
# Kernels run on whatever OpenCL device there is: PoCL where there is no GPU.
if(TARGET ligament_gpu)
  target_link_libraries(test_gpu PRIVATE ligament_gpu)

  # A process to be killed while its device reads.
  add_executable(gpu_peer ${room_path}/gpu_peer.cpp)
  target_link_libraries(gpu_peer PRIVATE ligament_gpu ligament_warnings)
  add_dependencies(test_gpu gpu_peer)
  target_compile_definitions(test_gpu PRIVATE GPU_PEER="$<TARGET_FILE:gpu_peer>")
endif()
