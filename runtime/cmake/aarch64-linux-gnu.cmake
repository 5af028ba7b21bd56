# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Linux boards with 64-bit Arm processors, by Debian's g++-aarch64-linux-gnu.
#
#   cmake ... -DCMAKE_TOOLCHAIN_FILE=FILE [-DLIGAMENT_SYSROOT=FOLDER]
#
# LIGAMENT_SYSROOT: the board's libraries and headers, as a tree with usr/ in it: what dev/arm64 makes,
# or a copy of a board's root file system with its -dev packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

if(NOT IS_DIRECTORY "${LIGAMENT_SYSROOT}/usr")
  message(FATAL_ERROR "the board's libraries are needed: -DLIGAMENT_SYSROOT=FOLDER, a tree with usr/ "
                      "in it (in Ligament's repository, dev/arm64 makes one); given is "
                      "'${LIGAMENT_SYSROOT}'")
endif()
# CMake reads this file again for each small program that it tries.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LIGAMENT_SYSROOT)
set(CMAKE_SYSROOT ${LIGAMENT_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

foreach(language C CXX)
  set(ligament_compiler_C gcc)
  set(ligament_compiler_CXX g++)
  find_program(LIGAMENT_ARM64_${language} aarch64-linux-gnu-${ligament_compiler_${language}})
  if(NOT LIGAMENT_ARM64_${language})
    message(FATAL_ERROR "the compiler aarch64-linux-gnu-${ligament_compiler_${language}} is not on "
                        "PATH: apt install g++-aarch64-linux-gnu")
  endif()
  set(CMAKE_${language}_COMPILER ${LIGAMENT_ARM64_${language}})
endforeach()

# Libraries, headers and packages are the board's; programs are this machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# Programs that are built run here under user emulation, where there is one: tests, mainly.
find_program(LIGAMENT_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(LIGAMENT_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${LIGAMENT_QEMU_AARCH64} -L ${CMAKE_SYSROOT})
endif()
