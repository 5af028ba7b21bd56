# SPDX-License-Identifier: Apache-2.0
# The other process of the tests with two.
add_executable(modes_peer ${CMAKE_CURRENT_LIST_DIR}/modes_peer.cpp)
target_link_libraries(modes_peer PRIVATE ligament ligament_warnings)
add_dependencies(test_node modes_peer)
