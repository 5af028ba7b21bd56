# SPDX-License-Identifier: Apache-2.0
# The nodes of nodes/parallel; their tests lie beside them.
set(parallel_nodes ${CMAKE_CURRENT_LIST_DIR}/../../../nodes/parallel)
add_executable(test_parallel ${parallel_nodes}/tests/parallel_test.cpp)
target_link_libraries(test_parallel PRIVATE ligament ligament_warnings GTest::gtest_main)
target_include_directories(test_parallel PRIVATE ${parallel_nodes})
gtest_discover_tests(test_parallel TEST_PREFIX "parallel/" DISCOVERY_TIMEOUT 60)
# As a container loads it: that it compiles.
add_library(parallel_join MODULE ${parallel_nodes}/join/join_cpu.cpp)
target_link_libraries(parallel_join PRIVATE ligament ligament_warnings)
target_include_directories(parallel_join PRIVATE ${parallel_nodes})
