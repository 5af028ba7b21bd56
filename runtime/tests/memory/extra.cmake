# SPDX-License-Identifier: Apache-2.0
# The other process of the multi-process tests: obeys commands on its standard input.
add_executable(pool_peer ${room_path}/pool_peer.cpp)
target_link_libraries(pool_peer PRIVATE ligament ligament_warnings fmt::fmt)
if(TARGET test_memory)
  add_dependencies(test_memory pool_peer)
  target_compile_definitions(test_memory PRIVATE POOL_PEER="$<TARGET_FILE:pool_peer>")
endif()

# Ring and holds with crash points, apart from the library, which has none.
add_executable(test_memory_protocol ${room_path}/protocol/protocol_test.cpp
               ${CMAKE_SOURCE_DIR}/src/memory/blocks.cpp)
target_link_libraries(test_memory_protocol PRIVATE ligament_language ligament_warnings
                      GTest::gtest_main Threads::Threads)
target_include_directories(test_memory_protocol PRIVATE ${room_path} ${CMAKE_SOURCE_DIR}/src
                           ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(test_memory_protocol PRIVATE LIGAMENT_CRASH_POINTS)
gtest_discover_tests(test_memory_protocol TEST_PREFIX "memory/" DISCOVERY_TIMEOUT 60)
