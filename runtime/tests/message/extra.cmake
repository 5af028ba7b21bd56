# SPDX-License-Identifier: Apache-2.0
# Every type through the codec, driven with bytes from rosbags; fuzzing; a user's package.
add_library(every_feature_msgs INTERFACE)
target_link_libraries(every_feature_msgs INTERFACE ligament)
ligament_generate_messages(every_feature_msgs PACKAGE_DIRS ${CMAKE_CURRENT_LIST_DIR}/every_feature_msgs)

# It counts allocations by operators of its own, which others must not see; at -O1 gcc warns of them
# (-Wmismatched-new-delete), as it sees only half of the pair.
set_source_files_properties(${room_path}/allocation_test.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O2)

# --- round trip: a generated program, one object per part -----------------------------------------
set(roundtrip ${CMAKE_CURRENT_LIST_DIR}/roundtrip)
set(roundtrip_out ${CMAKE_CURRENT_BINARY_DIR}/roundtrip)
set(roundtrip_parts 6)
set(roundtrip_sources "")
math(EXPR last_part "${roundtrip_parts} - 1")
foreach(part RANGE ${last_part})
  list(APPEND roundtrip_sources ${roundtrip_out}/part_${part}.cpp)
endforeach()
file(GLOB every_feature_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/every_feature_msgs/*/*)
add_custom_command(
  OUTPUT ${roundtrip_out}/generated.stamp
  BYPRODUCTS ${roundtrip_sources} ${roundtrip_out}/registry.hpp
  COMMAND ${LIGAMENT_PYTHON} ${roundtrip}/generate.py ${roundtrip_out} ${roundtrip_parts}
          ${LIGAMENT_DISTRO} ${CMAKE_CURRENT_LIST_DIR}/every_feature_msgs
  COMMAND ${CMAKE_COMMAND} -E touch ${roundtrip_out}/generated.stamp
  DEPENDS ${roundtrip}/generate.py ${roundtrip}/part.cpp.j2 ${roundtrip}/registry.hpp.j2
          ${every_feature_files} ${LIGAMENT_MESSAGE_GENERATOR_SOURCES}
  COMMENT "Generating the message round-trip program" VERBATIM)
add_custom_target(message_roundtrip_sources DEPENDS ${roundtrip_out}/generated.stamp)
add_executable(message_roundtrip ${roundtrip}/main.cpp ${roundtrip_sources})
add_dependencies(message_roundtrip message_roundtrip_sources)
target_include_directories(message_roundtrip PRIVATE ${roundtrip} ${roundtrip_out})
target_link_libraries(message_roundtrip PRIVATE ligament every_feature_msgs)
# Some 300 types: compiled for the compiler's memory, not for speed.
target_compile_options(message_roundtrip PRIVATE -O0 -g0)
set_target_properties(message_roundtrip PROPERTIES UNITY_BUILD OFF)
add_test(NAME message/roundtrip
         COMMAND ${LIGAMENT_PYTHON} -m pytest -q -rs -p no:cacheprovider ${roundtrip}/test_roundtrip.py)
set_tests_properties(message/roundtrip PROPERTIES
  ENVIRONMENT "LIGAMENT_ROUNDTRIP=$<TARGET_FILE:message_roundtrip>;LIGAMENT_DISTRO=${LIGAMENT_DISTRO}")

# --- unit tests use the same package --------------------------------------------------------------
target_link_libraries(test_message PRIVATE every_feature_msgs)

# --- fuzzing: libFuzzer comes with clang, whichever compiler builds the rest -----------------------
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(fuzz ${CMAKE_CURRENT_LIST_DIR}/fuzz)
set(fuzz_out ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
set(LIGAMENT_FUZZ_RUNS 100000 CACHE STRING "Executions of each fuzz target in the test suite")
if(LIGAMENT_CLANGXX)
  file(GLOB message_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/message/*.cpp)
  file(GLOB message_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/message/*.hpp
       ${PROJECT_SOURCE_DIR}/include/ligament/message/*.hpp)
  file(MAKE_DIRECTORY ${fuzz_out})
  add_custom_command(
    OUTPUT ${fuzz_out}/fuzz_message
    COMMAND ${LIGAMENT_CLANGXX} -std=c++20 -O1 -g -fno-omit-frame-pointer
            -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            -I${PROJECT_BINARY_DIR}/gen/messages/include
            -I${CMAKE_CURRENT_BINARY_DIR}/every_feature_msgs_messages/include
            -I${CMAKE_CURRENT_LIST_DIR} ${fuzz}/fuzz.cpp ${message_sources}
            -o ${fuzz_out}/fuzz_message
    DEPENDS ${fuzz}/fuzz.cpp ${message_sources} ${message_headers} ligament_message_headers
            every_feature_msgs_messages
    COMMENT "Building fuzz_message with clang" VERBATIM)
  add_custom_target(fuzz_message ALL DEPENDS ${fuzz_out}/fuzz_message)
  add_test(NAME message/fuzz
           COMMAND ${LIGAMENT_PYTHON} ${fuzz}/run.py ${fuzz_out}/fuzz_message ${fuzz_out}
                   ${LIGAMENT_FUZZ_RUNS})
else()
  add_test(NAME message/fuzz
           COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
  set_tests_properties(message/fuzz PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
endif()
