# SPDX-License-Identifier: Apache-2.0
# The other process of the tests with two: a server or a client.
add_executable(service_peer ${CMAKE_CURRENT_LIST_DIR}/service_peer.cpp)
target_link_libraries(service_peer PRIVATE ligament ligament_warnings)
add_dependencies(test_service service_peer)
