# SPDX-License-Identifier: Apache-2.0
# The other process of the multi-process tests: obeys commands on its standard input.
add_executable(pool_peer ${room_path}/pool_peer.cpp)
target_link_libraries(pool_peer PRIVATE ligament ligament_warnings fmt::fmt)
if(TARGET test_memory)
  add_dependencies(test_memory pool_peer)
  target_compile_definitions(test_memory PRIVATE POOL_PEER="$<TARGET_FILE:pool_peer>")
endif()
