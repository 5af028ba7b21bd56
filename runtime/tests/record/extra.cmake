# SPDX-License-Identifier: Apache-2.0
# Its room is a library of its own.
target_link_libraries(test_record PRIVATE ligament_record)
