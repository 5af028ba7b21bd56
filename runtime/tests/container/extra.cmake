# SPDX-License-Identifier: Apache-2.0
# The libraries of nodes that the tests load, and the container that they start.
add_library(test_container_nodes MODULE ${CMAKE_CURRENT_LIST_DIR}/test_nodes.cpp)
target_link_libraries(test_container_nodes PRIVATE ligament ligament_warnings)
foreach(version first second)
  add_library(test_container_${version} MODULE ${CMAKE_CURRENT_LIST_DIR}/versioned_node.cpp)
  target_link_libraries(test_container_${version} PRIVATE ligament ligament_warnings)
  target_compile_definitions(test_container_${version} PRIVATE LIGAMENT_TEST_VERSION="${version}")
endforeach()
if(TARGET test_container)
  target_link_libraries(test_container PRIVATE ligament_container)
  add_dependencies(test_container ligament-container test_container_nodes test_container_first
                   test_container_second)
  target_compile_definitions(test_container PRIVATE
    LIGAMENT_CONTAINER="$<TARGET_FILE:ligament-container>"
    LIGAMENT_TEST_FIRST="$<TARGET_FILE:test_container_first>"
    LIGAMENT_TEST_SECOND="$<TARGET_FILE:test_container_second>"
    LIGAMENT_TEST_NODES="$<TARGET_FILE:test_container_nodes>")
endif()
