# SPDX-License-Identifier: Apache-2.0
# Both sides of RPMsg: the core's, in C, and the host's.
enable_language(C)
include(${PROJECT_SOURCE_DIR}/../firmware/rpmsg/CMakeLists.txt)
target_link_libraries(test_rpmsg PRIVATE ligament_rpmsg_host ligament_rpmsg)
