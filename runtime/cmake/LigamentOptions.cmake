# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers, compiler cache and the Python that runs the generators.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# The generators are the `ligament` Python package; the repository's .venv is preferred.
if(NOT LIGAMENT_PYTHON)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/../.venv/bin/python)
    set(python ${CMAKE_CURRENT_SOURCE_DIR}/../.venv/bin/python)
  else()
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(python ${Python3_EXECUTABLE})
  endif()
  # In the cache, so that a project which contains this one generates with the same Python.
  set(LIGAMENT_PYTHON ${python} CACHE FILEPATH "Python that has the package `ligament`")
endif()

option(LIGAMENT_UNITY "Compile several sources at once: a third of the time, a larger step after a change" OFF)
# ligament_compile_together(<target> [APART <source>...]): as LIGAMENT_UNITY says. Sources whose
# file-local names meet those of others stay apart.
function(ligament_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "APART")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LIGAMENT_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# ligament_compile_unoptimized(<source>...): for a `main` that reads its command line and calls the
# library: optimizing CLI11's templates takes half of its compiler's time and gains nothing.
function(ligament_compile_unoptimized)
  set_source_files_properties(${ARGV} PROPERTIES COMPILE_OPTIONS -O0)
endfunction()

add_library(ligament_language INTERFACE)
target_compile_features(ligament_language INTERFACE cxx_std_20)

add_library(ligament_warnings INTERFACE)
target_compile_options(ligament_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       $<$<BOOL:${LIGAMENT_STRICT}>:-Werror>)

# Nobody replaces a function of a library: its own calls go straight, and may be inlined. By a table,
# as -fPIC has them, each call needs two more lines, and those of a publisher that slept are cold.
add_compile_options(-fno-semantic-interposition)
add_link_options(LINKER:-Bsymbolic-functions)

if(LIGAMENT_SANITIZE)
  string(REPLACE ";" "," sanitizers "${LIGAMENT_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # To see whether a vptr can be read it opens a pipe: where a test has used up all descriptors, every
  # object would look broken.
  if(sanitizers MATCHES undefined)
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()
