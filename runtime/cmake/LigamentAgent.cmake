# SPDX-License-Identifier: Apache-2.0
# The agent of microcontrollers: `ligament agent`. Its code is a library so that tests can call it.
file(GLOB agent_sources CONFIGURE_DEPENDS src/agent/*.cpp)
list(FILTER agent_sources EXCLUDE REGEX "main\\.cpp$")
# The names of ROS 2 in DDS need no DDS engine.
add_library(ligament_agent STATIC ${agent_sources} src/transport/dds/names.cpp)
target_include_directories(ligament_agent PUBLIC src)
target_link_libraries(ligament_agent PUBLIC ligament ligament_rpmsg_host
                      PRIVATE ligament_warnings nlohmann_json::nlohmann_json)
add_executable(ligament-agent src/agent/main.cpp)
ligament_compile_unoptimized(src/agent/main.cpp)
target_link_libraries(ligament-agent PRIVATE ligament_agent ligament_warnings CLI11::CLI11)
set_target_properties(ligament-agent PROPERTIES INSTALL_RPATH "$ORIGIN/..")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/../firmware # what images of microcontrollers are made of
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ligament PATTERN tests EXCLUDE)
install(TARGETS ligament-agent RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ligament)
