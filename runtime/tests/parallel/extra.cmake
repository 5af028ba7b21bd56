# SPDX-License-Identifier: Apache-2.0
# The nodes of nodes/parallel; their tests lie beside them.
set(parallel_nodes ${CMAKE_CURRENT_LIST_DIR}/../../../nodes/parallel)
add_executable(test_parallel ${parallel_nodes}/tests/parallel_test.cpp)
target_link_libraries(test_parallel PRIVATE ligament ligament_warnings GTest::gtest_main)
target_include_directories(test_parallel PRIVATE ${parallel_nodes})
gtest_discover_tests(test_parallel TEST_PREFIX "parallel/" DISCOVERY_TIMEOUT 60)
