# SPDX-License-Identifier: Apache-2.0
# What comes from a wire under libFuzzer: the agent's side, and the firmware's.
set(agent_fuzz ${room_path}/fuzz)
set(LIGAMENT_AGENT_FUZZ_RUNS 100000 CACHE STRING
    "Executions of each fuzz target of the agent and its client in the test suite")
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(agent_src ${PROJECT_SOURCE_DIR}/src/agent)
set(agent_core bus cdr message streams xml names representation representation_binary
    representation_xml entities session session_fragments session_publish session_output agent agent_login framing)
list(TRANSFORM agent_core PREPEND ${agent_src}/)
list(TRANSFORM agent_core APPEND .cpp)
list(APPEND agent_core ${PROJECT_SOURCE_DIR}/src/transport/dds/names.cpp)
file(GLOB agent_fuzz_headers CONFIGURE_DEPENDS ${agent_src}/*.hpp ${agent_fuzz}/*.hpp
     ${room_path}/*.hpp ${firmware}/core/include/ligament/*.h ${firmware}/core/src/*.h
     ${firmware}/params/include/ligament/*.h ${firmware}/params/src/*.h)

set(agent_fuzz_sanitize -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer
    -fno-sanitize-recover=all)
set(agent_fuzz_fast -O2 -g1 -fsanitize=fuzzer)

# agent_fuzz_program(NAME FOLDER FLAGS SOURCE...): FOLDER/fuzz_NAME of NAME.cpp and these sources.
function(agent_fuzz_program name out flags)
  file(MAKE_DIRECTORY ${out}/${name}/corpus)
  set(objects "")
  foreach(source ${agent_fuzz}/${name}.cpp ${ARGN})
    get_filename_component(object ${source} NAME_WE)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    set(object ${out}/${name}/${folder}_${object}.o)  # several are called `names`
    set(language -std=c++20)
    if(source MATCHES "\\.c$")
      set(language -x c -std=c99)
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${LIGAMENT_CLANGXX} ${language} ${flags}
              -I${PROJECT_SOURCE_DIR}/src -I${room_path} -I${firmware}/core/include
              -I${firmware}/core/src -I${firmware}/params/include -I${firmware}/params/src
              "-I$<JOIN:$<TARGET_PROPERTY:ligament,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
              -c ${source} -o ${object}
      DEPENDS ${source} ${agent_fuzz_headers}
      COMMENT "Building ${name} of ${source} with clang" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(
    OUTPUT ${out}/fuzz_${name}
    COMMAND ${LIGAMENT_CLANGXX} ${flags} ${objects} $<TARGET_FILE:ligament>
            -Wl,-rpath,$<TARGET_FILE_DIR:ligament> -lfmt -o ${out}/fuzz_${name}
    DEPENDS ${objects}
    COMMENT "Linking fuzz_${name}" VERBATIM)
endfunction()

# add_agent_fuzz(NAME SOURCE...): with sanitizers, for the suite; and without, for dev/fuzz --fast.
add_custom_target(fuzz_agent)
add_custom_target(fuzz_agent_fast)
function(add_agent_fuzz name)
  if(NOT LIGAMENT_CLANGXX)
    add_test(NAME agent/fuzz/${name}
             COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
    set_tests_properties(agent/fuzz/${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
    return()
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/fuzz_agent)
  agent_fuzz_program(${name} ${out} "${agent_fuzz_sanitize}" ${ARGN})
  agent_fuzz_program(${name} ${out}_fast "${agent_fuzz_fast}" ${ARGN})
  add_custom_target(fuzz_${name} ALL DEPENDS ${out}/fuzz_${name})
  add_custom_target(fuzz_${name}_fast DEPENDS ${out}_fast/fuzz_${name})
  add_dependencies(fuzz_${name} ligament)  # after the generated headers
  add_dependencies(fuzz_${name}_fast ligament)
  add_dependencies(fuzz_agent fuzz_${name})
  add_dependencies(fuzz_agent_fast fuzz_${name}_fast)
  add_test(NAME agent/fuzz/${name}
           COMMAND ${out}/fuzz_${name} -runs=${LIGAMENT_AGENT_FUZZ_RUNS} -seed=7 -max_len=2048
                   -artifact_prefix=${out}/${name}/finding- ${out}/${name}/corpus
                   ${agent_fuzz}/corpus/${name})
  set_tests_properties(agent/fuzz/${name} PROPERTIES TIMEOUT 600)
endfunction()

add_agent_fuzz(xrce_agent ${agent_core})
set(forms ${agent_core})
list(FILTER forms INCLUDE REGEX "(cdr|message|xml|representation[a-z_]*)\\.cpp$")
add_agent_fuzz(xrce_representation ${forms})
add_agent_fuzz(xrce_frames ${agent_src}/framing.cpp ${firmware}/core/src/framing.c)
add_agent_fuzz(xrce_client ${firmware_sources})
add_agent_fuzz(xrce_parameters ${firmware_sources})
