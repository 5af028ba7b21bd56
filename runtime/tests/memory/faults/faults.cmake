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

add_executable(test_memory_kills ${faults_sources} ${room_path}/faults/storm.cpp
               ${room_path}/faults/kills_test.cpp ${room_path}/faults/shortage_test.cpp)
target_link_libraries(test_memory_kills PRIVATE ligament ligament_warnings fmt::fmt GTest::gtest_main)
target_include_directories(test_memory_kills PRIVATE ${room_path} ${CMAKE_SOURCE_DIR}/src)
gtest_discover_tests(test_memory_kills TEST_PREFIX "memory/" DISCOVERY_TIMEOUT 60
                     PROPERTIES TIMEOUT 600)

# `dev/soak` runs it for an hour, the tests for some seconds.
add_executable(pool_soak ${faults_sources} ${room_path}/faults/storm.cpp ${room_path}/faults/soak.cpp)
target_link_libraries(pool_soak PRIVATE ligament ligament_warnings fmt::fmt
                      nlohmann_json::nlohmann_json)
target_include_directories(pool_soak PRIVATE ${room_path} ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(pool_soak PRIVATE $<$<BOOL:${LIGAMENT_SANITIZE}>:LIGAMENT_SANITIZED>)
add_test(NAME memory/soak COMMAND pool_soak --minutes 0.33)
set_tests_properties(memory/soak PROPERTIES TIMEOUT 300)

# Has a clock of its own, for this program only.
add_executable(test_memory_clock ${room_path}/faults/clock_test.cpp)
target_link_libraries(test_memory_clock PRIVATE pool_with_crash_points ligament_warnings
                      GTest::gtest_main)
target_compile_definitions(test_memory_clock PRIVATE POOL_PEER="")
gtest_discover_tests(test_memory_clock TEST_PREFIX "memory/" DISCOVERY_TIMEOUT 60)
