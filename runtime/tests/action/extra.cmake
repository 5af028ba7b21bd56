# SPDX-License-Identifier: Apache-2.0
# The other process of the tests with two: a server or a client. With rclpy: test_ros2_actions.py.
add_executable(action_peer ${CMAKE_CURRENT_LIST_DIR}/action_peer.cpp
               ${CMAKE_CURRENT_LIST_DIR}/action_peer_client.cpp)
target_link_libraries(action_peer PRIVATE ligament ligament_warnings nlohmann_json::nlohmann_json)
ligament_generate_messages(action_peer PACKAGE_DIRS ${CMAKE_CURRENT_LIST_DIR}/test_msgs)
add_dependencies(test_action action_peer)
ligament_generate_messages(test_action PACKAGE_DIRS ${CMAKE_CURRENT_LIST_DIR}/test_msgs)
