# SPDX-License-Identifier: Apache-2.0
# What the edge reads of the network under libFuzzer: its own sources.
set(edge_fuzz ${room_path}/fuzz)
set(LIGAMENT_EDGE_FUZZ_RUNS 200000 CACHE STRING
    "Executions of each of the edge's fuzz targets in the test suite")
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
# The pool is the library's, without sanitizers.
if(NOT edge_fuzz_library)
  set(edge_fuzz_library $<TARGET_FILE:ligament>)
  set(edge_fuzz_rpath $<TARGET_FILE_DIR:ligament>)
endif()
file(GLOB edge_fuzz_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/transport/*/*.hpp
     ${edge_fuzz}/*.hpp ${room_path}/edge/heap_inbox.hpp)

# add_edge_fuzz(NAME LIBRARIES SOURCE...): NAME.cpp with these sources of src/transport.
function(add_edge_fuzz name libraries)
  if(NOT LIGAMENT_CLANGXX)
    add_test(NAME transport/fuzz/${name}
             COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
    set_tests_properties(transport/fuzz/${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/transport/ OUTPUT_VARIABLE sources)
  set(flags -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer
      -fno-sanitize-recover=all)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/fuzz_edge)
  file(MAKE_DIRECTORY ${out}/${name})
  set(objects "")
  foreach(source ${edge_fuzz}/${name}.cpp ${sources})
    get_filename_component(object ${source} NAME_WE)
    set(language -std=c++20)
    if(source MATCHES "\\.c$")
      set(language -x c -std=gnu11)
    endif()
    add_custom_command(
      OUTPUT ${out}/${name}/${object}.o
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${LIGAMENT_CLANGXX} ${language} ${flags}
              "-I$<JOIN:$<TARGET_PROPERTY:ligament_edge,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
              "-I$<JOIN:$<TARGET_PROPERTY:ligament,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
              -c ${source} -o ${out}/${name}/${object}.o
      DEPENDS ${source} ${edge_fuzz_headers}
      COMMENT "Building ${object}.o with clang" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${out}/${name}/${object}.o)
  endforeach()
  add_custom_command(
    OUTPUT ${out}/fuzz_${name}
    COMMAND ${LIGAMENT_CLANGXX} ${flags} ${objects} ${libraries} -o ${out}/fuzz_${name}
    DEPENDS ${objects}
    COMMENT "Linking fuzz_${name}" VERBATIM)
  add_custom_target(fuzz_${name} ALL DEPENDS ${out}/fuzz_${name})
  add_dependencies(fuzz_${name} ligament_edge)  # after the generated headers and the library
  # What it finds goes into a folder of the build: the seeds are the same each time.
  file(MAKE_DIRECTORY ${out}/${name}/corpus)
  add_test(NAME transport/fuzz/${name}
           COMMAND ${out}/fuzz_${name} -runs=${LIGAMENT_EDGE_FUZZ_RUNS} -seed=7 -max_len=300
                   -artifact_prefix=${out}/${name}/finding- ${out}/${name}/corpus
                   ${edge_fuzz}/corpus/${name})
  set_tests_properties(transport/fuzz/${name} PROPERTIES TIMEOUT 600)
endfunction()

add_edge_fuzz(edge "${edge_fuzz_library};-Wl,-rpath,${edge_fuzz_rpath};-lfmt"
              dds/inline_qos.cpp dds/names.cpp dds/service_wire.cpp edge/graph_info.cpp
              edge/service_routes.cpp edge/inbound_route.cpp)
# Of the engine only what holds received fragments.
add_edge_fuzz(fragments "$<TARGET_FILE:CycloneDDS::ddsc>"
              dds/raw_type.cpp dds/inline_qos.cpp dds/inline_qos_sender.cpp dds/sockets.cpp
              dds/first_acks.cpp dds/first_heartbeats.cpp dds/send_pace.cpp dds/type_lookups.cpp
              dds/domain_sockets.c dds/engine_match.c)
