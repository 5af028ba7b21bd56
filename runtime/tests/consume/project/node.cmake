# SPDX-License-Identifier: Apache-2.0
# What a user's project says; the same for both ways to get Ligament.
set(here ${CMAKE_CURRENT_LIST_DIR})
ligament_add_node(counter SOURCES ${here}/counter.cpp CLASS consume::Counter)
ligament_generate_messages(counter PACKAGE_DIRS ${here}/consume_msgs)

add_library(no_exceptions OBJECT ${here}/no_exceptions.cpp)
target_compile_options(no_exceptions PRIVATE -fno-exceptions)
target_link_libraries(no_exceptions PRIVATE ligament::ligament)

# Built by a test that expects the failure.
add_library(wrong_callback OBJECT EXCLUDE_FROM_ALL ${here}/wrong_callback.cpp)
target_link_libraries(wrong_callback PRIVATE ligament::ligament)

string(MD5 domain ${CMAKE_BINARY_DIR})  # of its own, as tests run side by side
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/counter.json CONTENT
"{\"schema\": \"ligament/container/1\", \"graph\": \"consume\", \"run_id\": \"1\",
 \"variant\": \"default\", \"container\": \"one\", \"domain\": \"${domain}\", \"nodes\": [
  {\"id\": \"/counter\", \"name\": \"counter\", \"namespace\": \"/\", \"type\": \"consume/counter\",
   \"library\": \"$<TARGET_FILE:counter>\", \"class\": \"consume::Counter\"}]}
")
enable_testing()
# Without a status descriptor the container ends when its nodes are done.
add_test(NAME run_counter
         COMMAND ligament::container ${CMAKE_CURRENT_BINARY_DIR}/counter.json)
