# SPDX-License-Identifier: Apache-2.0
# Recording a running graph into MCAP, and playing such a file: `ligament record`, `ligament play`.
# Its code is a library of its own so that tests can call its parts.
file(GLOB record_sources CONFIGURE_DEPENDS src/record/*.cpp)
list(FILTER record_sources EXCLUDE REGEX "main\\.cpp$")
add_library(ligament_record STATIC ${record_sources})
target_include_directories(ligament_record PUBLIC src)
target_link_libraries(ligament_record PUBLIC ligament nlohmann_json::nlohmann_json
                      PRIVATE ligament_warnings yaml-cpp)
ligament_compile_together(ligament_record)
add_executable(ligament-bag src/record/main.cpp)
ligament_compile_unoptimized(src/record/main.cpp)
target_link_libraries(ligament-bag PRIVATE ligament_record ligament_warnings CLI11::CLI11)
set_target_properties(ligament-bag PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ligament-bag RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
