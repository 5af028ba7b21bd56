// SPDX-License-Identifier: Apache-2.0
/// What clients create, byte by byte: in three forms, refused, used again, deleted.
#include "fake_client.hpp"

namespace ligament::xrce::test {
namespace {

TEST(Entities, ThreeFormsAreTheSame) {
  Client binary;
  binary.make_writer(qos_flag::reliable | qos_flag::keep_last | qos_flag::transient_local);
  Client xml;
  xml.log_in();
  EXPECT_EQ(xml.status_of(create({node, 0, Form::xml,
                                  text_value("<dds><participant><rtps><name>board</name></rtps>"
                                             "</participant></dds>")})),
            Status::ok);
  EXPECT_EQ(xml.status_of(create({publisher, node, Form::xml, text_value("")})), Status::ok);
  EXPECT_EQ(xml.status_of(create(
                {writer, publisher, Form::xml,
                 text_value("<dds><data_writer><topic><kind>NO_KEY</kind><name>rt/chatter</name>"
                            "<dataType>std_msgs::msg::dds_::String_</dataType><historyQos>"
                            "<kind>KEEP_LAST</kind><depth>12</depth></historyQos></topic><qos>"
                            "<durability><kind>TRANSIENT_LOCAL</kind></durability></qos>"
                            "</data_writer></dds>")})),
            Status::ok);
  Client reference;
  reference.log_in();
  EXPECT_EQ(reference.status_of(create({node, 0, Form::reference, text_value("board")})),
            Status::ok);
  EXPECT_EQ(reference.status_of(create({publisher, node, Form::reference, text_value("p")})),
            Status::ok);
  EXPECT_EQ(reference.status_of(create({writer, publisher, Form::reference, text_value("w")})),
            Status::ok);
  EXPECT_EQ(xml.bus.nodes, binary.bus.nodes);
  EXPECT_EQ(reference.bus.nodes, binary.bus.nodes);
  auto wanted = binary.bus.writers.at(0);
  wanted.qos.depth = 12;
  for (const Client* other : {&xml, &reference}) {
    const auto& made = other->bus.writers.at(0);
    EXPECT_EQ(made.topic, wanted.topic);
    EXPECT_EQ(made.type_name, wanted.type_name);
    EXPECT_EQ(made.node, wanted.node);
    EXPECT_EQ(made.qos, wanted.qos);
  }
}

TEST(Entities, AttributesWithoutSpaceBetweenThemAreRead) {
  Client client;
  client.log_in();
  EXPECT_EQ(client.status_of(create({node, 0, Form::binary, participant_value("a")})), Status::ok);
  const auto requester = object(1, Kind::requester);
  EXPECT_EQ(client.status_of(create(
                {requester, node, Form::xml,
                 text_value("<dds><requester profile_name=\"x\"service_name=\"/add\""
                            "request_type=\"a::srv::dds_::B_Request_\"reply_type=\"r\"/></dds>")})),
            Status::ok);
  EXPECT_EQ(client.bus.writers.at(0).topic, "rq/addRequest");
  EXPECT_EQ(client.bus.writers.at(0).type_name, "a/srv/B_Request");
  EXPECT_EQ(client.bus.readers.at(0).topic, "rr/addReply");
}

TEST(Entities, AnIdIsUsedAgainAsTheFlagsSay) {
  Client client;
  client.make_writer();
  const auto same = end_value(topic, qos_flag::reliable | qos_flag::keep_last);
  const auto other = end_value(topic, qos_flag::keep_last);
  const auto with = [&](const Message& value, std::uint8_t flags, std::uint16_t request = 20) {
    return client.status_of(create({writer, publisher, Form::binary, value, flags, request}));
  };
  EXPECT_EQ(with(same, 0), Status::already_exists);
  EXPECT_EQ(with(same, flag::reuse, 77), Status::ok_matched);  // another request, the same object
  EXPECT_EQ(client.bus.writers.size(), 1U);
  Message padded = same;
  padded.at(3) = std::byte{0x5A};  // between the bool and the flags: what was in the memory before
  EXPECT_EQ(with(padded, flag::reuse), Status::ok_matched);
  EXPECT_EQ(with(other, flag::reuse), Status::mismatch);
  EXPECT_EQ(with(other, flag::reuse | flag::replace), Status::ok);
  EXPECT_EQ(client.bus.writers.size(), 2U);
  EXPECT_EQ(client.bus.open_writers.size(), 1U);
  EXPECT_EQ(with(other, flag::replace), Status::ok);
  EXPECT_EQ(client.bus.writers.size(), 3U);
}

TEST(Entities, WhatThePoolLacksIsRefused) {
  Client client;
  client.make_writer();
  std::uint16_t number = 2;
  for (const std::uint16_t flags :
       {qos_flag::exclusive, qos_flag::transient, qos_flag::persistent}) {
    EXPECT_EQ(client.status_of(create({object(number++, Kind::writer), publisher, Form::binary,
                                       end_value(topic, flags)})),
              Status::incompatible);
  }
  EXPECT_EQ(client.bus.writers.size(), 1U);
}

/// The value of a publisher, subscriber, or of an end, with what follows its flags and depth.
template <typename Write>
Message value_with(const Write& write) {
  Message value;
  CdrWriter to(value);
  write(to);
  return value;
}
Message end_with(const std::vector<bool>& before, const std::function<void(CdrWriter&)>& write) {
  return value_with([&](CdrWriter& to) {
    to.id(topic);
    to.boolean(true);
    to.u16(qos_flag::reliable | qos_flag::keep_last);
    for (const bool is_there : before) {
      to.boolean(is_there);
    }
    write(to);
  });
}

TEST(Entities, PoliciesThatThePoolLacksAreRefusedInBinary) {
  Client client;
  client.make_reader();
  const auto status = [&](unsigned number, Kind kind, const Message& value) {
    const std::uint16_t parent = kind == Kind::writer   ? publisher
                                 : kind == Kind::reader ? subscriber
                                                        : node;
    return client.status_of(create({object(number, kind), parent, Form::binary, value}));
  };
  const Message partition = value_with([](CdrWriter& to) {
    to.boolean(false);
    to.boolean(true);
    to.boolean(true);
    to.u32(1);
    to.string("left");
    to.boolean(false);
  });
  const Message group_data = value_with([](CdrWriter& to) {
    to.boolean(false);
    to.boolean(true);
    to.boolean(false);
    to.boolean(true);
    to.u32(1);
    to.u8(7);
  });
  for (const Message& value : {partition, group_data}) {
    EXPECT_EQ(status(2, Kind::publisher, value), Status::incompatible);
    EXPECT_EQ(status(2, Kind::subscriber, value), Status::incompatible);
  }
  // Neither depth nor deadline nor lifespan; then data of the user's.
  const Message user_data = end_with({false, false, false, true}, [](CdrWriter& to) {
    to.u32(1);
    to.u8(7);
    to.boolean(false);
    to.boolean(false);
  });
  EXPECT_EQ(status(2, Kind::writer, user_data), Status::incompatible);
  EXPECT_EQ(status(2, Kind::reader, user_data), Status::incompatible);
  const Message least_time = end_with({false, false, false, false, true}, [](CdrWriter& to) {
    to.u32(10);
    to.boolean(false);
  });
  const Message filter = end_with({false, false, false, false, false, true},
                                  [](CdrWriter& to) { to.string("data > 1"); });
  EXPECT_EQ(status(2, Kind::reader, least_time), Status::incompatible);
  EXPECT_EQ(status(2, Kind::reader, filter), Status::incompatible);
  EXPECT_EQ(client.bus.writers.size(), 1U);
  EXPECT_EQ(client.bus.readers.size(), 1U);
}

TEST(Entities, DeadlineAndLifespanAreMillisecondsInBinary) {
  Client client;
  client.make_writer();
  const Message value = end_with({false, true}, [](CdrWriter& to) {
    to.u32(20);
    to.boolean(true);
    to.u32(3000);
    to.boolean(false);
    to.boolean(false);
  });
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary, value})),
            Status::ok);
  EXPECT_EQ(client.bus.writers.back().qos.deadline_ns, 20'000'000);
  EXPECT_EQ(client.bus.writers.back().qos.lifespan_ns, 3'000'000'000);
}

TEST(Entities, WhatDoesNotExistIsRefused) {
  Client client;
  client.make_writer();
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), object(9, Kind::publisher),
                                     Form::binary, end_value(topic, 0)})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary,
                                     end_value(object(9, Kind::topic), 0)})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(
                create({object(2, Kind::participant), 0, Form::reference, text_value("nobody")})),
            Status::unknown_reference);
  EXPECT_EQ(client.status_of(
                create({object(2, Kind::topic), node, Form::xml, text_value("<dds><topic>")})),
            Status::invalid_data);
  EXPECT_EQ(client.status_of(create({object(2, Kind::topic), node, Form::binary, {}})),
            Status::invalid_data);
  client.bus.unknown_types.insert("a/msg/B");
  EXPECT_EQ(client.status_of(create({object(2, Kind::topic), node, Form::binary,
                                     topic_value("rt/b", "a::msg::dds_::B_")})),
            Status::ok);
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary,
                                     end_value(object(2, Kind::topic), 0)})),
            Status::unknown_reference);
}

TEST(Entities, WhatBelongsToADeletedObjectIsDeleted) {
  Client client;
  client.make_reader();
  EXPECT_EQ(client.status_of(removal(node)), Status::ok);
  EXPECT_TRUE(client.bus.nodes.empty());
  EXPECT_TRUE(client.bus.open_writers.empty());
  EXPECT_TRUE(client.bus.open_readers.empty());
  EXPECT_EQ(client.status_of(removal(node)), Status::unknown_reference);
}

TEST(Entities, OfTypesThatRosDoesNotHaveWorkAndAreTold) {
  Client client;
  client.make_writer();
  EXPECT_EQ(client.said.size(), 1U) << "that it logged in";
  const std::uint16_t other = object(2, Kind::topic);
  EXPECT_EQ(client.status_of(
                create({other, node, Form::binary, topic_value("HelloWorldTopic", "HelloWorld")})),
            Status::ok);
  EXPECT_EQ(client.said.size(), 1U) << "a topic alone is nothing yet";
  EXPECT_EQ(client.status_of(create({object(2, Kind::writer), publisher, Form::binary,
                                     end_value(other, qos_flag::keep_last)})),
            Status::ok);
  ASSERT_EQ(client.said.size(), 2U);
  EXPECT_NE(client.said[1].find("HelloWorld is none of ROS 2"), std::string::npos)
      << client.said[1];
}

TEST(Entities, NamesBecomeThoseOfRos) {
  Client client;
  client.log_in();
  const std::vector<std::pair<std::string, std::string>> names{{"/ns/imu", "/ns/imu"},
                                                               {"imu node", "/imu_node"},
                                                               {"//a///b/", "/a/b"},
                                                               {"2nd", "/_2nd"},
                                                               {"", "/xrce_client_01020304"}};
  for (std::uint16_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(client.status_of(create({object(i + 1U, Kind::participant), 0, Form::binary,
                                       participant_value(names[i].first)})),
              Status::ok);
    EXPECT_TRUE(client.bus.nodes.contains(names[i].second)) << names[i].first;
  }
}

}  // namespace
}  // namespace ligament::xrce::test
