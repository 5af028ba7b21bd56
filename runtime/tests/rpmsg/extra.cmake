# SPDX-License-Identifier: Apache-2.0
# Both sides of RPMsg: the core's, in C, and the host's. Firmware for an emulated core; fuzzing.
enable_language(C)
set(firmware ${PROJECT_SOURCE_DIR}/../firmware/rpmsg)
include(${firmware}/CMakeLists.txt)
if(LIGAMENT_SANITIZE MATCHES "thread")  # it knows no fences, and says so
  target_compile_options(ligament_rpmsg PRIVATE -Wno-tsan)
endif()
set(xrce_port ${PROJECT_SOURCE_DIR}/../firmware/port/rpmsg)
target_sources(test_rpmsg PRIVATE ${xrce_port}/rpmsg_port.c)
target_include_directories(test_rpmsg PRIVATE ${xrce_port})
target_link_libraries(test_rpmsg PRIVATE ligament_agent ligament_rpmsg_host ligament_rpmsg
                      firmware_under_test)

# --- the firmware that the emulated core runs -----------------------------------------------------
find_program(LIGAMENT_QEMU_ARM qemu-system-arm)
find_program(LIGAMENT_ARM_GCC arm-none-eabi-gcc)
set(no_emulator "")
if(NOT LIGAMENT_QEMU_ARM)
  set(no_emulator "SKIPPED: an emulated core needs qemu-system-arm (apt install qemu-system-arm)")
elseif(NOT LIGAMENT_ARM_GCC)
  set(no_emulator "SKIPPED: firmware needs arm-none-eabi-gcc (apt install gcc-arm-none-eabi libnewlib-arm-none-eabi)")
else()
  # Built as everybody's images are. Without the old one there is always work to do: `dev/setup`
  # looks for Ninja's words that there was none.
  set(images ${PROJECT_SOURCE_DIR}/../firmware)
  set(images_out ${CMAKE_CURRENT_BINARY_DIR}/mcu_images)
  set(echo_elf ${images_out}/rpmsg_echo.elf)
  file(GLOB_RECURSE image_files CONFIGURE_DEPENDS ${images}/app/* ${images}/board/*
       ${images}/cmake/* ${images}/core/* ${images}/port/* ${images}/rpmsg/*
       ${images}/tests/images/*)
  add_custom_command(
    OUTPUT ${echo_elf}
    COMMAND ${CMAKE_COMMAND} -S ${images}/tests/images -B ${images_out} -G Ninja --log-level=WARNING
            -DCMAKE_TOOLCHAIN_FILE=${images}/cmake/arm-none-eabi.cmake -DLIGAMENT_STRICT=ON
    COMMAND ${CMAKE_COMMAND} -E rm -f ${echo_elf}
    COMMAND ${CMAKE_COMMAND} --build ${images_out} -- --quiet
    DEPENDS ${image_files}
    COMMENT "Building images for an emulated Cortex-M4F" VERBATIM)
  add_custom_target(rpmsg_echo_firmware DEPENDS ${echo_elf})
  add_dependencies(test_rpmsg rpmsg_echo_firmware)
endif()
target_compile_definitions(test_rpmsg PRIVATE LIGAMENT_NO_EMULATOR="${no_emulator}"
  LIGAMENT_QEMU_ARM="${LIGAMENT_QEMU_ARM}" LIGAMENT_ECHO_ELF="${echo_elf}")

# --- fuzzing: libFuzzer comes with clang, whichever compiler builds the rest ----------------------
find_program(LIGAMENT_CLANGXX
             NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
find_program(LIGAMENT_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
set(fuzz_out ${CMAKE_CURRENT_BINARY_DIR}/fuzz_rpmsg)
set(LIGAMENT_FUZZ_RUNS 100000 CACHE STRING "Executions of each fuzz target in the test suite")
# rpmsg_fuzz_program(OUT FLAG...): OUT/fuzz_rpmsg; target of OUT's name.
function(rpmsg_fuzz_program out)
  file(MAKE_DIRECTORY ${out})
  file(GLOB core_sources CONFIGURE_DEPENDS ${firmware}/src/*.c)
  file(GLOB host_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rpmsg/*.cpp)
  file(GLOB both_headers CONFIGURE_DEPENDS ${firmware}/src/*.h ${firmware}/include/ligament/*.h
       ${PROJECT_SOURCE_DIR}/src/rpmsg/*.hpp)
  set(objects "")
  foreach(source ${core_sources})
    get_filename_component(name ${source} NAME)
    add_custom_command(OUTPUT ${out}/${name}.o
      COMMAND ${LIGAMENT_CLANG} -std=c99 ${ARGN} -fsanitize=fuzzer-no-link -I${firmware}/include
              -c ${source} -o ${out}/${name}.o
      DEPENDS ${source} ${both_headers} VERBATIM)
    list(APPEND objects ${out}/${name}.o)
  endforeach()
  add_custom_command(OUTPUT ${out}/fuzz_rpmsg
    COMMAND ${LIGAMENT_CLANGXX} -std=c++20 ${ARGN} -fsanitize=fuzzer -I${firmware}/include
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            ${fuzz_source} ${host_sources} ${objects} -lfmt -o ${out}/fuzz_rpmsg
    DEPENDS ${fuzz_source} ${host_sources} ${objects} ${both_headers}
    COMMENT "Building fuzz_rpmsg with clang" VERBATIM)
endfunction()

if(LIGAMENT_CLANGXX AND LIGAMENT_CLANG)
  set(fuzz_source ${CMAKE_CURRENT_LIST_DIR}/fuzz/fuzz.cpp)
  rpmsg_fuzz_program(${fuzz_out} -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined
                     -fno-sanitize-recover=all)
  rpmsg_fuzz_program(${fuzz_out}_fast -O2 -g1)
  add_custom_target(fuzz_rpmsg ALL DEPENDS ${fuzz_out}/fuzz_rpmsg)
  add_custom_target(fuzz_rpmsg_fast DEPENDS ${fuzz_out}_fast/fuzz_rpmsg)
  add_test(NAME rpmsg/fuzz
           COMMAND ${fuzz_out}/fuzz_rpmsg -runs=${LIGAMENT_FUZZ_RUNS} -seed=1 -max_len=400
                   -artifact_prefix=${fuzz_out}/crash-)
else()
  add_test(NAME rpmsg/fuzz
           COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: fuzzing needs clang++ (apt install clang)")
  set_tests_properties(rpmsg/fuzz PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
endif()
