# SPDX-License-Identifier: Apache-2.0
# What is inside the library of cores' nodes.
target_link_libraries(test_mcu PRIVATE ligament_mcu ligament_agent)
