# SPDX-License-Identifier: Apache-2.0
# What is inside the library of cores' nodes.
target_link_libraries(test_mcu PRIVATE ligament_mcu ligament_agent)
# The core's side of its trace, which needs three functions of a board.
enable_language(C)
set(firmware ${PROJECT_SOURCE_DIR}/../firmware)
target_sources(test_mcu PRIVATE ${firmware}/app/src/trace.c)
target_include_directories(test_mcu PRIVATE ${firmware}/app/include ${firmware}/board
                           ${firmware}/node/include ${firmware}/rpmsg/include)
