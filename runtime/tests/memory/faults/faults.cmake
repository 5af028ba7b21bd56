# SPDX-License-Identifier: Apache-2.0
# Death, stops and shortages under load. The tests fork their processes themselves: with the pool
# that has crash points (labels), and with the library as it is (kills, soak).
set(faults_sources ${room_path}/faults/crew.cpp ${room_path}/faults/ends.cpp
                   ${room_path}/faults/roles.cpp)

add_executable(test_memory_labels ${faults_sources} ${room_path}/faults/labels_test.cpp)
target_link_libraries(test_memory_labels PRIVATE pool_with_crash_points ligament_warnings
                      GTest::gtest_main)
target_compile_definitions(test_memory_labels PRIVATE LIGAMENT_REPO="${CMAKE_SOURCE_DIR}/..")
gtest_discover_tests(test_memory_labels TEST_PREFIX "memory/" DISCOVERY_TIMEOUT 60
                     PROPERTIES TIMEOUT 600)
