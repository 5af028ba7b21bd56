# SPDX-License-Identifier: Apache-2.0
# The pool under libFuzzer: its sources without the system layer, which machine.cpp stands in for.
# libFuzzer comes with clang, whichever compiler builds the rest.
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(pool_fuzz ${room_path}/fuzz)
set(pool_fuzz_targets take reclaim directory bell)
set(LIGAMENT_POOL_FUZZ_RUNS 50000 CACHE STRING
    "Executions of each fuzz target of the pool in the test suite")

if(NOT LIGAMENT_CLANGXX)
  foreach(target ${pool_fuzz_targets})
    add_test(NAME memory/fuzz/${target}
             COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
    set_tests_properties(memory/fuzz/${target} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
  endforeach()
  return()
endif()

set(pool_fuzz_launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
set(pool_fuzz_flags -std=c++20 -O2 -g -fno-omit-frame-pointer -DLIGAMENT_CRASH_POINTS
    -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src -I${pool_fuzz})
# Two builds: with the sanitizers; and without, several times as fast, where guard pages and the
# checks of the standard library see an access outside.
set(pool_fuzz_sanitize -fsanitize=address,undefined -fno-sanitize-recover=all)
set(pool_fuzz_fast -D_GLIBCXX_ASSERTIONS -DLIGAMENT_FUZZ_FAST)
# trace-loads: the hostile peer acts before each read of its pages (machine.hpp).
set(pool_fuzz_coverage -fsanitize-coverage=inline-8bit-counters,pc-table,trace-loads)
file(GLOB pool_fuzz_headers CONFIGURE_DEPENDS ${pool_fuzz}/*.hpp
     ${PROJECT_SOURCE_DIR}/src/memory/*.hpp ${PROJECT_SOURCE_DIR}/src/memory/os/*.hpp
     ${PROJECT_SOURCE_DIR}/include/ligament/*.hpp ${PROJECT_SOURCE_DIR}/include/ligament/detail/*.hpp)
file(GLOB pool_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/memory/*.cpp)

# pool_fuzz_compile(object source flags...)
function(pool_fuzz_compile object source)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${pool_fuzz_launcher} ${LIGAMENT_CLANGXX} ${pool_fuzz_flags} ${ARGN} -c ${source}
            -o ${object}
    DEPENDS ${source} ${pool_fuzz_headers}
    COMMENT "Building ${object} with clang" VERBATIM)
endfunction()

# pool_fuzz_build(folder target flags...): the fuzzers, so compiled.
function(pool_fuzz_build out custom_target)
  file(MAKE_DIRECTORY ${out})
  # An archive, so that what no target reaches (sockets, the housekeeping thread) is left out.
  set(objects "")
  foreach(source ${pool_fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    pool_fuzz_compile(${out}/${name}.o ${source} ${ARGN} ${pool_fuzz_coverage})
    list(APPEND objects ${out}/${name}.o)
  endforeach()
  pool_fuzz_compile(${out}/machine.o ${pool_fuzz}/machine.cpp)
  add_custom_command(
    OUTPUT ${out}/libpool.a
    COMMAND ${CMAKE_COMMAND} -E rm -f ${out}/libpool.a
    COMMAND ${CMAKE_AR} rcs ${out}/libpool.a ${objects}
    DEPENDS ${objects} COMMENT "Collecting the pool for its fuzzers" VERBATIM)
  set(fuzzers "")
  foreach(target ${pool_fuzz_targets})
    set(fuzzer ${out}/fuzz_pool_${target})
    pool_fuzz_compile(${fuzzer}.o ${pool_fuzz}/${target}.cpp ${ARGN})
    add_custom_command(
      OUTPUT ${fuzzer}
      COMMAND ${LIGAMENT_CLANGXX} ${ARGN} -fsanitize=fuzzer ${fuzzer}.o ${out}/machine.o
              ${out}/libpool.a -lfmt -o ${fuzzer}
      DEPENDS ${fuzzer}.o ${out}/machine.o ${out}/libpool.a
      COMMENT "Building fuzz_pool_${target} with clang" VERBATIM)
    list(APPEND fuzzers ${fuzzer})
  endforeach()
  add_custom_target(${custom_target} DEPENDS ${fuzzers})
endfunction()

set(pool_fuzz_out ${CMAKE_CURRENT_BINARY_DIR}/fuzz_pool)
pool_fuzz_build(${pool_fuzz_out} fuzz_pool ${pool_fuzz_sanitize})
add_custom_target(fuzz_pool_built ALL)  # the suite needs these; the fast ones are built on request
add_dependencies(fuzz_pool_built fuzz_pool)
pool_fuzz_build(${pool_fuzz_out}_fast fuzz_pool_fast ${pool_fuzz_fast})

foreach(target ${pool_fuzz_targets})
  # Always the same executions: the seeds, then so many mutations of them from one random seed.
  add_test(NAME memory/fuzz/${target}
           COMMAND ${LIGAMENT_PYTHON} ${pool_fuzz}/run.py ${pool_fuzz_out}
                   ${pool_fuzz_out}/test --target ${target} --runs ${LIGAMENT_POOL_FUZZ_RUNS} --seed 1 --fresh)
  set_tests_properties(memory/fuzz/${target} PROPERTIES TIMEOUT 600)
endforeach()
