# SPDX-License-Identifier: Apache-2.0
# Ligament as others use it: from an installed tree, and as a part of their own project.
# (Not under a sanitizer: a user's project would need the same flags, and nothing new is run.)
if(LIGAMENT_SANITIZE)
  return()
endif()
set(consume_bin ${CMAKE_CURRENT_BINARY_DIR}/consume)
set(consume_options -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DLIGAMENT_PYTHON=${LIGAMENT_PYTHON})

add_test(NAME consume/install COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR}
         --prefix ${consume_bin}/prefix)
set_tests_properties(consume/install PROPERTIES FIXTURES_SETUP consume_prefix)

# A whole runtime is compiled once more: as quickly as it can be.
set(consume_add_subdirectory_options -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=
    -DLIGAMENT_UNITY=ON)
foreach(way find_package add_subdirectory)
  add_test(NAME consume/${way} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_LIST_DIR}/${way} ${consume_bin}/${way}
    --build-generator Ninja
    --build-options ${consume_options} -DCMAKE_PREFIX_PATH=${consume_bin}/prefix
                    ${consume_${way}_options}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
endforeach()
set_tests_properties(consume/find_package PROPERTIES
  FIXTURES_REQUIRED consume_prefix FIXTURES_SETUP consume_built)

# The compiler's words are the library's: a sentence, not a page of templates.
add_test(NAME consume/wrong_callback_does_not_compile
         COMMAND ${CMAKE_COMMAND} --build ${consume_bin}/find_package --target wrong_callback)
set_tests_properties(consume/wrong_callback_does_not_compile PROPERTIES
  FIXTURES_REQUIRED "consume_prefix;consume_built"
  PASS_REGULAR_EXPRESSION "a subscription's callback takes Sample<T>")
