# SPDX-License-Identifier: Apache-2.0
# Kernels run on whatever OpenCL device there is: PoCL where there is no GPU.
if(TARGET ligament_gpu)
  target_link_libraries(test_gpu PRIVATE ligament_gpu)
endif()
