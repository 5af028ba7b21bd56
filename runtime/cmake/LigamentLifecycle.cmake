# SPDX-License-Identifier: Apache-2.0
# ligament-lifecycle, which configures and activates the lifecycle nodes of a running graph.
add_executable(ligament-lifecycle src/lifecycle/main.cpp src/lifecycle/bring_up.cpp)
ligament_compile_unoptimized(src/lifecycle/main.cpp)
target_include_directories(ligament-lifecycle PRIVATE src)
target_link_libraries(ligament-lifecycle PRIVATE ligament ligament_warnings CLI11::CLI11
                      nlohmann_json::nlohmann_json fmt::fmt)
set_target_properties(ligament-lifecycle PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ligament-lifecycle RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
