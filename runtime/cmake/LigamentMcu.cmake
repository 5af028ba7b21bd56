# SPDX-License-Identifier: Apache-2.0
# Nodes on microcontrollers: a library that only their generated components link. The agent and the
# link to the core are inside.
file(GLOB mcu_sources CONFIGURE_DEPENDS src/mcu/*.cpp)
add_library(ligament_mcu SHARED ${mcu_sources})
add_library(ligament::mcu ALIAS ligament_mcu)
target_include_directories(ligament_mcu PRIVATE src PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/../firmware/node/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/../firmware/core/include>)
target_link_libraries(ligament_mcu PUBLIC ligament
                      PRIVATE ligament_agent ligament_rpmsg_host ligament_warnings ${CMAKE_DL_LIBS})
set_target_properties(ligament_agent ligament_rpmsg_host PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(ligament_mcu PROPERTIES EXPORT_NAME mcu INSTALL_RPATH "$ORIGIN")
ligament_compile_together(ligament_mcu)
install(TARGETS ligament_mcu EXPORT ligamentTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
