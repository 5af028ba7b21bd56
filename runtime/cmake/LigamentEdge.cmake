# SPDX-License-Identifier: Apache-2.0
# The edge: the one part that needs a DDS engine. Without Cyclone DDS (Debian: cyclonedds-dev) the
# rest is built, and graphs stay on their host.
find_package(CycloneDDS 0.10 QUIET)
if(NOT CycloneDDS_FOUND)
  message(STATUS "Cyclone DDS is not here: no edge (Debian: cyclonedds-dev)")
  return()
endif()

enable_language(C)  # for what the engine's headers do not show to C++
file(GLOB edge_sources CONFIGURE_DEPENDS src/transport/dds/*.c src/transport/dds/*.cpp
     src/transport/edge/*.cpp)
list(FILTER edge_sources EXCLUDE REGEX "(main|inside)\\.cpp$")
add_library(ligament_edge STATIC ${edge_sources})
set_target_properties(ligament_edge ligament_container PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(ligament_edge PUBLIC src)
target_link_libraries(ligament_edge PUBLIC ligament ligament_container CycloneDDS::ddsc
                      PRIVATE ligament_warnings)
ligament_compile_together(ligament_edge APART src/transport/dds/raw_type.cpp
                         src/transport/edge/outbound_route.cpp)
add_executable(ligament-edge src/transport/edge/main.cpp)
ligament_compile_unoptimized(src/transport/edge/main.cpp)
target_link_libraries(ligament-edge PRIVATE ligament_edge ligament_warnings CLI11::CLI11 fmt::fmt)
install(TARGETS ligament-edge RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
set_target_properties(ligament-edge PROPERTIES INSTALL_RPATH "$ORIGIN/..")

# What runs in a ROS domain, for `ligament graph --live` and `ligament import`.
add_executable(ligament-look src/transport/look/main.cpp src/transport/look/look.cpp)
target_link_libraries(ligament-look PRIVATE ligament_edge ligament_warnings CLI11::CLI11 fmt::fmt)
install(TARGETS ligament-look RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
set_target_properties(ligament-look PROPERTIES INSTALL_RPATH "$ORIGIN/..")

# The edge for a container to load: one without an edge carries no DDS engine.
add_library(ligament-inner-edge MODULE src/transport/edge/inside.cpp)
target_link_libraries(ligament-inner-edge PRIVATE ligament_edge ligament_warnings)
set_target_properties(ligament-inner-edge PROPERTIES OUTPUT_NAME ligament-edge PREFIX lib
                      INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ligament-inner-edge LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)

# The ends that `ligament bench dds` measures. The engine's own comes with its compiler of IDL.
if(LIGAMENT_BUILD_BENCHMARKS AND COMMAND idlc_generate)
  add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/../benchmarks/dds/ends benchmarks/dds/ends)
endif()
