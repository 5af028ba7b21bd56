# SPDX-License-Identifier: Apache-2.0
# What the edge reads of the network under libFuzzer: its own sources, without the engine.
set(edge_fuzz ${room_path}/fuzz)
set(LIGAMENT_EDGE_FUZZ_RUNS 200000 CACHE STRING
    "Executions of the edge's fuzz target in the test suite")
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
if(NOT LIGAMENT_CLANGXX)
  add_test(NAME transport/fuzz/edge
           COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
  set_tests_properties(transport/fuzz/edge PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
  return()
endif()

set(edge_fuzz_flags -std=c++20 -O1 -g -fno-omit-frame-pointer
    -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all)
set(edge_fuzz_sources ${edge_fuzz}/edge.cpp)
foreach(source dds/inline_qos dds/names dds/service_wire edge/graph_info edge/service_ways
        edge/way_in)
  list(APPEND edge_fuzz_sources ${PROJECT_SOURCE_DIR}/src/transport/${source}.cpp)
endforeach()
file(GLOB edge_fuzz_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/transport/*/*.hpp)
set(edge_fuzz_out ${CMAKE_CURRENT_BINARY_DIR}/fuzz_edge)
file(MAKE_DIRECTORY ${edge_fuzz_out})
set(edge_fuzz_objects "")
foreach(source ${edge_fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_custom_command(
    OUTPUT ${edge_fuzz_out}/${name}.o
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${LIGAMENT_CLANGXX} ${edge_fuzz_flags}
            "-I$<JOIN:$<TARGET_PROPERTY:ligament_edge,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
            "-I$<JOIN:$<TARGET_PROPERTY:ligament,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
            -c ${source} -o ${edge_fuzz_out}/${name}.o
    DEPENDS ${source} ${edge_fuzz_headers}
    COMMENT "Building ${name}.o with clang" COMMAND_EXPAND_LISTS VERBATIM)
  list(APPEND edge_fuzz_objects ${edge_fuzz_out}/${name}.o)
endforeach()
# The pool is the library's, without sanitizers.
if(NOT edge_fuzz_library)
  set(edge_fuzz_library $<TARGET_FILE:ligament>)
  set(edge_fuzz_rpath $<TARGET_FILE_DIR:ligament>)
endif()
add_custom_command(
  OUTPUT ${edge_fuzz_out}/fuzz_edge
  COMMAND ${LIGAMENT_CLANGXX} ${edge_fuzz_flags} ${edge_fuzz_objects}
          ${edge_fuzz_library} -Wl,-rpath,${edge_fuzz_rpath} -lfmt
          -o ${edge_fuzz_out}/fuzz_edge
  DEPENDS ${edge_fuzz_objects}
  COMMENT "Linking fuzz_edge" VERBATIM)
add_custom_target(fuzz_edge ALL DEPENDS ${edge_fuzz_out}/fuzz_edge)
add_dependencies(fuzz_edge ligament_edge)  # after the generated headers and the library
# What it finds goes into a folder of the build: the seeds are the same each time.
file(MAKE_DIRECTORY ${edge_fuzz_out}/corpus)
add_test(NAME transport/fuzz/edge
         COMMAND ${edge_fuzz_out}/fuzz_edge -runs=${LIGAMENT_EDGE_FUZZ_RUNS} -seed=7 -max_len=300
                 -artifact_prefix=${edge_fuzz_out}/finding- ${edge_fuzz_out}/corpus
                 ${edge_fuzz}/corpus)
set_tests_properties(transport/fuzz/edge PROPERTIES TIMEOUT 600)
