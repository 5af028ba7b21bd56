# SPDX-License-Identifier: Apache-2.0
# The other process of the multi-process tests: obeys commands on its standard input.
add_executable(pool_peer ${room_path}/pool_peer.cpp)
target_link_libraries(pool_peer PRIVATE ligament ligament_warnings fmt::fmt)
target_include_directories(pool_peer PRIVATE ${CMAKE_SOURCE_DIR}/src)  # as its worse self
if(TARGET test_memory)
  add_dependencies(test_memory pool_peer)
  target_compile_definitions(test_memory PRIVATE POOL_PEER="$<TARGET_FILE:pool_peer>")
endif()

include(${room_path}/fuzz/fuzz.cmake)

# The pool once more with crash points, apart from the library, which has none: tests that stop a
# process or a thread at a step of the protocol.
file(GLOB_RECURSE pool_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/memory/*.cpp)
add_library(pool_with_crash_points STATIC ${pool_sources})
target_link_libraries(pool_with_crash_points PUBLIC ligament_language fmt::fmt Threads::Threads
                      PRIVATE ligament_warnings)
target_include_directories(pool_with_crash_points PUBLIC ${CMAKE_SOURCE_DIR}/src
                           ${CMAKE_SOURCE_DIR}/include ${room_path})
target_compile_definitions(pool_with_crash_points PUBLIC LIGAMENT_CRASH_POINTS)

add_executable(pool_peer_with_steps ${room_path}/pool_peer.cpp)
target_link_libraries(pool_peer_with_steps PRIVATE pool_with_crash_points ligament_warnings)

add_executable(test_memory_protocol ${room_path}/protocol/protocol_test.cpp
               ${room_path}/protocol/qos_steps_test.cpp
               ${room_path}/protocol/steps_test.cpp)
target_link_libraries(test_memory_protocol PRIVATE pool_with_crash_points ligament_warnings
                      GTest::gtest_main)
target_compile_definitions(test_memory_protocol PRIVATE
                           POOL_PEER="$<TARGET_FILE:pool_peer_with_steps>")
set_source_files_properties(${room_path}/lies_test.cpp ${room_path}/qos_time_test.cpp
                            ${room_path}/protocol/qos_steps_test.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # names of others
add_dependencies(test_memory_protocol pool_peer_with_steps)
gtest_discover_tests(test_memory_protocol TEST_PREFIX "memory/" DISCOVERY_TIMEOUT 60)

include(${room_path}/faults/faults.cmake)
