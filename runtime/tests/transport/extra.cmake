# SPDX-License-Identifier: Apache-2.0
# The edge, where its DDS engine is. The other participants of these tests are in the same process.
if(TARGET ligament_edge)
  file(GLOB edge_tests CONFIGURE_DEPENDS ${room_path}/edge/*_test.cpp)
  add_executable(test_edge ${edge_tests})
  target_link_libraries(test_edge PRIVATE ligament_edge ligament_warnings GTest::gtest_main
                        GTest::gmock fmt::fmt)
  # Over the loopback interface without multicast: no network is needed, and none hears us.
  string(CONCAT loopback
    "CYCLONEDDS_URI=<General><Interfaces><NetworkInterface name='lo' multicast='false'/>"
    "</Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>"
    "<Peers><Peer address='127.0.0.1'/></Peers></Discovery>")
  gtest_discover_tests(test_edge TEST_PREFIX "transport/" DISCOVERY_TIMEOUT 60
                       PROPERTIES ENVIRONMENT "${loopback}")
else()
  message(STATUS "tests of the edge are left out: no Cyclone DDS")
endif()
