# SPDX-License-Identifier: Apache-2.0
# RPMsg with a core over shared memory, the host's side. The layout of the memory is the core's header.
file(GLOB rpmsg_sources CONFIGURE_DEPENDS src/rpmsg/*.cpp)
add_library(ligament_rpmsg_host STATIC ${rpmsg_sources})
target_include_directories(ligament_rpmsg_host PUBLIC src
                           ${PROJECT_SOURCE_DIR}/../firmware/rpmsg/include)
target_link_libraries(ligament_rpmsg_host PUBLIC ligament PRIVATE ligament_warnings)
ligament_compile_together(ligament_rpmsg_host)
