# SPDX-License-Identifier: Apache-2.0
# The edge, where its DDS engine is. The other participants of these tests are in the same process.
if(TARGET ligament_edge)
  file(GLOB edge_tests CONFIGURE_DEPENDS ${room_path}/edge/*_test.cpp)
  # With what a container loads of it, which is no part of the library.
  add_executable(test_edge ${edge_tests} ${CMAKE_SOURCE_DIR}/src/transport/edge/inside.cpp)
  target_link_libraries(test_edge PRIVATE ligament_edge ligament_warnings GTest::gtest_main
                        GTest::gmock fmt::fmt)
  target_include_directories(test_edge PRIVATE ${room_path}/edge)
  # Their file-local names are those of others.
  foreach(name cyclone_python fastdds first_acks first_heartbeats lingering service_edge
               service_wire type_lookups)
    set_source_files_properties(${room_path}/edge/${name}_test.cpp PROPERTIES
                                SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/transport/edge/inside.cpp PROPERTIES
                              SKIP_UNITY_BUILD_INCLUSION ON)
  add_dependencies(test_edge ligament-edge)
  target_compile_definitions(test_edge PRIVATE LIGAMENT_EDGE="$<TARGET_FILE:ligament-edge>"
                             LIGAMENT_CAPTURES="${room_path}/captures")

  # Another vendor's implementation as an independent peer, where it is installed.
  find_package(fastcdr QUIET)
  find_package(fastrtps 2.9 QUIET)
  if(fastrtps_FOUND)
    set(bench_peers ${CMAKE_CURRENT_LIST_DIR}/../../../benchmarks/transport/peers)
    add_executable(fastdds_peer ${room_path}/peers/fastdds_peer.cpp)
    target_include_directories(fastdds_peer PRIVATE ${bench_peers}/fastdds ${bench_peers}/common)
    target_link_libraries(fastdds_peer PRIVATE ligament_language fastrtps fastcdr)
    add_dependencies(test_edge fastdds_peer)
    target_compile_definitions(test_edge PRIVATE FASTDDS_PEER="$<TARGET_FILE:fastdds_peer>")
  else()
    message(STATUS "tests with Fast DDS are skipped: not installed (Debian: libfastrtps-dev)")
  endif()

  # The same engine behind another language's types and serialisation, where that is installed.
  execute_process(COMMAND ${LIGAMENT_PYTHON} -c "import cyclonedds.domain" RESULT_VARIABLE missing
                  OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    target_compile_definitions(test_edge PRIVATE CYCLONE_PYTHON="${LIGAMENT_PYTHON}"
                               CYCLONE_PYTHON_PEER="${room_path}/peers/cyclone_python.py")
  else()
    message(STATUS "tests with Cyclone DDS's Python binding are skipped: not installed")
  endif()

  # Over the loopback interface without multicast: no network is needed, and none hears us.
  string(CONCAT loopback
    "CYCLONEDDS_URI=<General><Interfaces><NetworkInterface name='lo' multicast='false'/>"
    "</Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>"
    "<Peers><Peer address='127.0.0.1'/></Peers></Discovery>")
  gtest_discover_tests(test_edge TEST_PREFIX "transport/" DISCOVERY_TIMEOUT 60
                       PROPERTIES ENVIRONMENT "${loopback}")
  include(${room_path}/fuzz/fuzz.cmake)
else()
  message(STATUS "tests of the edge are left out: no Cyclone DDS")
endif()
