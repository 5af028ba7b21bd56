# SPDX-License-Identifier: Apache-2.0
# Installation: `find_package(ligament)` gives ligament::ligament, ligament::container and the
# functions for packages of nodes (spec/build/cmake.md). The tree can be moved: all paths in it are
# relative, and the container finds the library beside it.
include(CMakePackageConfigHelpers)
include(LigamentNodes)
include(LigamentPackage)
include(LigamentKernels)

set(ligament_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ligament)

set_target_properties(ligament-container PROPERTIES
  EXPORT_NAME container
  INSTALL_RPATH "$ORIGIN/..")
add_executable(ligament::container ALIAS ligament-container)

install(TARGETS ligament ligament_language EXPORT ligamentTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ligament-container EXPORT ligamentTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/ligament
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ligamentTargets NAMESPACE ligament:: DESTINATION ${ligament_cmake_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/ligamentConfig.cmake.in ${PROJECT_BINARY_DIR}/ligamentConfig.cmake
  INSTALL_DESTINATION ${ligament_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ligamentConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ligamentConfig.cmake
              ${PROJECT_BINARY_DIR}/ligamentConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/LigamentNodes.cmake
              ${CMAKE_CURRENT_LIST_DIR}/LigamentPackage.cmake
              ${CMAKE_CURRENT_LIST_DIR}/LigamentKernels.cmake
        DESTINATION ${ligament_cmake_dir})
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/kernels DESTINATION ${ligament_cmake_dir})
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/package.xml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ligament)

# For another architecture: how to compile for it, and what it is (`ligament build --target`).
if(CMAKE_CROSSCOMPILING AND CMAKE_TOOLCHAIN_FILE)
  if(NOT CMAKE_SYSTEM_PROCESSOR)
    message(FATAL_ERROR "${CMAKE_TOOLCHAIN_FILE} sets no CMAKE_SYSTEM_PROCESSOR: set it to what "
                        "`uname -m` says on the board")
  endif()
  # Under a name of its own: the given file may be called toolchain.cmake, too.
  set(ligament_toolchain toolchain-given.cmake)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake.in ${PROJECT_BINARY_DIR}/toolchain.cmake @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/toolchain.cmake DESTINATION ${ligament_cmake_dir})
  install(FILES ${CMAKE_TOOLCHAIN_FILE} DESTINATION ${ligament_cmake_dir}
          RENAME ${ligament_toolchain})
  string(REPLACE "\\" "\\\\" ligament_emulator "${CMAKE_CROSSCOMPILING_EMULATOR}")
  string(REPLACE "\"" "\\\"" ligament_emulator "${ligament_emulator}")
  list(JOIN ligament_emulator "\", \"" ligament_emulator)
  if(ligament_emulator)
    set(ligament_emulator "\"${ligament_emulator}\"")
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/target.json
       "{\"schema\": \"ligament/target/1\", \"architecture\": \"${CMAKE_SYSTEM_PROCESSOR}\", "
       "\"emulator\": [${ligament_emulator}]}\n")
  install(FILES ${PROJECT_BINARY_DIR}/target.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ligament)
endif()
