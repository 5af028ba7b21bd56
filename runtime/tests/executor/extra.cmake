# SPDX-License-Identifier: Apache-2.0
# The counter of heap allocations is the container's.
target_link_libraries(test_executor PRIVATE ligament_container)
