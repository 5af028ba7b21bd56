// SPDX-License-Identifier: Apache-2.0
/// What the edge says of itself and puts on the wire, byte for byte beside what nodes of ROS 2 did
/// (the packets in ../captures). Ours are recorded by the engine, as it sends them.
#include <algorithm>
#include <cstdio>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/rcl_interfaces/msg/log.hpp>
#include <ligament/rcl_interfaces/msg/parameter_event.hpp>
#include <ligament/rcl_interfaces/srv/describe_parameters.hpp>
#include <ligament/rcl_interfaces/srv/get_parameter_types.hpp>
#include <ligament/rcl_interfaces/srv/get_parameters.hpp>
#include <ligament/rcl_interfaces/srv/list_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <ligament/type_description_interfaces/srv/get_type_description.hpp>
#include <numeric>

#include "capture.hpp"
#include "heap_inbox.hpp"
#include "peers.hpp"
#include "transport/dds/names.hpp"
#include "transport/dds/service_wire.hpp"

namespace ligament::edge {
namespace {

using example_interfaces::srv::AddTwoInts;
using StringMessage = std_msgs::msg::String;
using End = Capture::End;

// --- what ends say of themselves -----------------------------------------------------------------

using Hashes = std::map<std::string, dds::TypeHash>;

template <typename... Messages>
void add_hashes(Hashes& hashes) {
  (hashes.emplace(dds::type_to_dds(MessageTraits<Messages>::name),
                  MessageTraits<Messages>::type_hash),
   ...);
}
template <typename... Services>
void add_service_hashes(Hashes& hashes) {
  (add_hashes<typename Services::Request, typename Services::Response>(hashes), ...);
}

/// Of all types in the packets, by their names in DDS.
Hashes hashes_of_ours() {
  namespace srv = rcl_interfaces::srv;
  Hashes hashes{{graph_info_type, graph_info_hash}};
  add_hashes<StringMessage, rcl_interfaces::msg::Log, rcl_interfaces::msg::ParameterEvent>(hashes);
  add_service_hashes<AddTwoInts, srv::DescribeParameters, srv::GetParameterTypes,
                     srv::GetParameters, srv::ListParameters, srv::SetParameters,
                     srv::SetParametersAtomically,
                     type_description_interfaces::srv::GetTypeDescription>(hashes);
  return hashes;
}

/// "serviceid= 1.10.a2...;": the 16 bytes; nothing where it says none.
std::optional<pool::Gid> id_in(const std::string& user_data) {
  const std::size_t key = user_data.find("id=");
  if (key == std::string::npos) {
    return std::nullopt;
  }
  pool::Gid id{};
  std::size_t at = key + 3;
  for (std::uint8_t& byte : id) {
    byte = static_cast<std::uint8_t>(std::stoi(user_data.substr(at), nullptr, 16));
    at = user_data.find_first_of(".;", at) + 1;
  }
  return id;
}

/// What ours would say in its place.
std::string user_data_for(const End& theirs, const dds::TypeHash& hash) {
  const auto id = id_in(theirs.user_data);
  if (!id) {
    return dds::endpoint_user_data(hash);
  }
  const bool is_client = theirs.is_writer == is_request(theirs.topic);
  return dds::service_user_data(is_client ? dds::ServiceEnd::client : dds::ServiceEnd::server, *id,
                                hash);
}

TEST(Captures, EndsSayWhatOursWouldSay) {
  const Hashes hashes = hashes_of_ours();
  for (const char* name : {"talker_listener_cyclonedds", "talker_listener_fastrtps",
                           "service_cyclonedds", "service_fastrtps"}) {
    EXPECT_GE(captured(name).ends().size(), 40U);
    for (const End& theirs : captured(name).ends()) {
      const auto hash = hashes.find(theirs.type);
      ASSERT_NE(hash, hashes.end()) << theirs.type;
      EXPECT_EQ(theirs.user_data, user_data_for(theirs, hash->second)) << name << theirs.topic;
    }
  }
}

TEST(Captures, ParticipantsSayWhatOursSays) {
  const std::string ours = dds::ParticipantOptions().user_data;
  for (const char* name : {"talker_listener", "service"}) {
    const auto& cyclone = captured(name + std::string("_cyclonedds")).participants();
    const auto& fast = captured(name + std::string("_fastrtps")).participants();
    EXPECT_EQ(cyclone.size(), 2U);
    EXPECT_EQ(fast.size(), 2U);
    for (const End& theirs : cyclone) {
      EXPECT_EQ(theirs.user_data, ours);
    }
    for (const End& theirs : fast) {
      EXPECT_EQ(theirs.user_data, ours + '\0');  // rmw_fastrtps counts the end of its text
    }
  }
}

// --- what is sent --------------------------------------------------------------------------------

class OnTheWire : public GraphAndPeers {
 protected:
  void SetUp() override {
    path_ = fmt::format("{}ligament-on-the-wire-{}.pcap", testing::TempDir(), ::getpid());
    const MoreSettings recording("<Tracing><PacketCaptureFile>" + path_ +
                                 "</PacketCaptureFile></Tracing>");
    GraphAndEdge::SetUp();
  }
  void TearDown() override {
    edge_.reset();
    std::remove(path_.c_str());
  }
  /// All that has passed; the edge has ended then.
  Capture recorded() {
    edge_.reset();
    return Capture(path_);
  }
  std::size_t proxies() {
    const auto topics = edge_->figures();
    return std::accumulate(topics.begin(), topics.end(), std::size_t{0},
                           [](std::size_t sum, const TopicFigures& topic) {
                             return sum + topic.publishers + topic.subscriptions;
                           });
  }
  /// A writer outside may be matched with us before we know of it: what it sends then is lost.
  void await_writers(const std::string& topic) {
    spin_until([&] { return figures(topic).remote_writers == 1; });
  }
  void ask_for_the_sum_of_2_and_3(const std::string& service = "add_two_ints") {
    auto client = node_->create_client<AddTwoInts>(service);
    ASSERT_TRUE(client->wait_for_service());
    AddTwoInts::Request request;
    request.a = 2;
    request.b = 3;
    EXPECT_EQ(answer_of(*client, request)->sum, 5);
  }
  std::shared_ptr<Service<AddTwoInts>> adder() {
    return node_->create_service<AddTwoInts>(
        "add_two_ints", [this](const std::shared_ptr<AddTwoInts::Request> request,
                               const std::shared_ptr<AddTwoInts::Response> response) {
          response->sum = request->a + request->b;
          is_asked_ = true;
        });
  }

  std::string path_;
  bool is_asked_ = false;
};

/// What ROS 2's nodes have and ours have not.
bool is_left_out(const End& end) {
  const bool is_read_alone = end.topic == graph_info_topic || end.topic == "rt/parameter_events";
  return (is_read_alone && !end.is_writer) ||
         end.topic.find("get_type_description") != std::string::npos;
}

/// Each service's ends have an id of their own.
std::string without_id(const std::string& user_data) {
  const std::size_t key = user_data.find("id=");
  return key == std::string::npos
             ? user_data
             : user_data.substr(0, key) + user_data.substr(user_data.find(';', key));
}

/// What decides who matches whom, and how long samples last. Not the history, which does not; of
/// reliability the kind, and not how long a writer may wait (the outbound route does that).
std::map<std::uint16_t, std::string> policies_of(const End& end) {
  std::map<std::uint16_t, std::string> policies;
  for (const auto& [id, value] : end.parameters) {
    constexpr std::uint16_t reliability = 0x001a;
    const std::set<std::uint16_t> deciding{0x001b, 0x001d, 0x001f, 0x0021, 0x0023,     0x0025,
                                           0x0027, 0x0029, 0x002b, 0x0049, reliability};
    if (deciding.contains(id)) {
      policies.emplace(id, id == reliability ? value.substr(0, 4) : value);
    }
  }
  return policies;
}

/// Whose it says it is, as its guid has it; and as the announcement tells.
std::string whole_participant_of(const End& end) {
  return end.guid.substr(0, 12) + std::string("\0\0\x01\xc1", 4);
}
std::string participant_of(const End& end) {
  const auto found = end.parameters.find(0x0050);
  return found == end.parameters.end() ? std::string() : found->second;
}

/// Nodes of rmw_fastrtps look there for an endpoint's node, from Kilted on.
TEST(Captures, EndsOfFastDdsNameTheirParticipant) {
  for (const End& end : captured("talker_listener_fastrtps").ends()) {
    EXPECT_EQ(participant_of(end), whole_participant_of(end)) << end.topic;
  }
}

TEST_F(OnTheWire, NodesAreAnnouncedAsThoseOfRos) {
  if (fast_peer.empty()) {
    GTEST_SKIP() << "Fast DDS is not installed (Debian: libfastrtps-dev)";
  }
  const auto options = NodeOptions()
                           .context(context_)
                           .enable_rosout(true)
                           .start_parameter_services(true)
                           .start_parameter_event_publisher(true);
  const auto talker = std::make_shared<Node>("talker", options);
  const auto listener = std::make_shared<Node>("listener", options);
  const auto publisher = talker->create_publisher<StringMessage>("chatter", 7);
  const auto subscription =
      listener->create_subscription<StringMessage>("chatter", 10, [](const StringMessage&) {});
  std::vector<End> wanted = captured("talker_listener_cyclonedds").ends();
  std::erase_if(wanted, is_left_out);
  const auto told = static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [](const End& end) { return end.topic != graph_info_topic; }));
  spin_until([&] { return proxies() == told; });
  // Announcements of writers, and of readers, come in their order: who answers a client that is
  // made last knows both ends of that, and has been sent all.
  const auto server = peer(fast_peer, "serve", "/last");
  ask_for_the_sum_of_2_and_3("last");
  const Capture ours = recorded();
  for (const End& theirs : wanted) {
    const End* const own = ours.find(theirs.topic, theirs.is_writer);
    ASSERT_NE(own, nullptr) << theirs.topic;
    EXPECT_EQ(own->type, theirs.type);
    EXPECT_EQ(without_id(own->user_data), without_id(theirs.user_data)) << theirs.topic;
    EXPECT_EQ(policies_of(*own), policies_of(theirs)) << theirs.topic;
    EXPECT_EQ(participant_of(*own), whole_participant_of(*own)) << theirs.topic;
  }
  const std::string prefix = ours.find("rt/chatter", true)->guid.substr(0, 12);
  const auto& all = ours.participants();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&prefix](const End& participant) {
    const std::string& theirs = captured("service_cyclonedds").participants()[0].user_data;
    return participant.guid.starts_with(prefix) && participant.user_data == theirs;
  }));
}

/// The same node with as many ends: only the gids differ.
TEST_F(OnTheWire, TheGraphIsToldAsByRos) {
  const auto has_ends = [](const GraphInfo& info, std::size_t readers, std::size_t writers) {
    return info.nodes.size() == 1 && info.nodes[0].name == "talker" &&
           info.nodes[0].readers.size() == readers && info.nodes[0].writers.size() == writers;
  };
  const auto without_gids = [](std::string message) {
    const auto info = decode(bytes_of(message));
    std::vector<Gid> gids{info->participant};
    gids.insert(gids.end(), info->nodes[0].readers.begin(), info->nodes[0].readers.end());
    gids.insert(gids.end(), info->nodes[0].writers.begin(), info->nodes[0].writers.end());
    for (const Gid& gid : gids) {
      const std::size_t at = message.find(text_of(gid));
      message.replace(at, gid.size(), gid.size(), '\0');
    }
    return message;
  };
  const auto talker = std::make_shared<Node>("talker", NodeOptions().context(context_));
  const auto subscription =
      talker->create_subscription<StringMessage>("in", 10, [](const StringMessage&) {});
  const auto first = talker->create_publisher<StringMessage>("out", 10);
  const auto second = talker->create_publisher<StringMessage>("more", 10);
  std::mutex mutex;
  std::string ours;
  const auto other = *dds::Participant::create({.domain = domain_id_}, [] {});
  dds::EndpointSpec wanted{graph_info_topic, graph_info_type, {}, "x", true};
  wanted.qos.durability = DurabilityPolicy::transient_local;
  const auto reader =
      *other->create_reader(wanted, std::make_shared<HeapInbox>(), [&](dds::Received&& sample) {
        const std::lock_guard guard(mutex);
        const auto info = decode(sample.incoming->bytes());
        ours = info && has_ends(*info, 1, 2) ? text_of(sample.incoming->bytes()) : ours;
      });
  spin_until([&] {
    const std::lock_guard guard(mutex);
    return !ours.empty();
  });
  std::size_t compared = 0;
  for (const auto& sample : captured("talker_listener_cyclonedds").samples(graph_info_topic)) {
    if (has_ends(*decode(bytes_of(sample.payload)), 1, 2)) {
      EXPECT_EQ(without_gids(ours), without_gids(sample.payload));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 1U);
}

/// But for the client's 8 bytes, which differ.
void expect_same_with_header(const Capture::Sample& ours, const Capture::Sample& theirs) {
  const auto without_client = [](std::string payload) { return payload.replace(4, 8, 8, '\0'); };
  EXPECT_EQ(without_client(ours.payload), without_client(theirs.payload));
  EXPECT_EQ(ours.inline_qos, theirs.inline_qos);  // none
}

TEST_F(OnTheWire, RequestsHaveTheHeaderOfRos) {
  if (python_peer.empty()) {
    GTEST_SKIP() << "the Python binding of Cyclone DDS is not installed";
  }
  const auto server = peer(python_peer, "serve", "/add_two_ints");
  ask_for_the_sum_of_2_and_3();
  const char* topic = "rq/add_two_intsRequest";
  expect_same_with_header(recorded().first(topic), captured("service_cyclonedds").first(topic));
}

TEST_F(OnTheWire, RepliesHaveTheHeaderOfRos) {
  if (python_peer.empty()) {
    GTEST_SKIP() << "the Python binding of Cyclone DDS is not installed";
  }
  const auto service = adder();
  const auto client = peer(python_peer, "call", "/add_two_ints", "2", "3");
  spin_until([&] { return is_asked_; });
  EXPECT_EQ(client->line(), "5");
  const char* topic = "rr/add_two_intsReply";
  expect_same_with_header(recorded().first(topic), captured("service_cyclonedds").first(topic));
}

/// But for the identities' GUIDs, which differ.
void expect_same_with_identity(const Capture::Sample& ours, const Capture::Sample& theirs) {
  const auto without_guids = [](std::string list) {
    for (const std::size_t at : {4U, 32U}) {
      list.replace(at, 16, 16, '\0');
    }
    return list;
  };
  ASSERT_EQ(ours.inline_qos.size(), dds::related_size);
  EXPECT_EQ(ours.inline_qos.substr(4, 16), ours.inline_qos.substr(32, 16));
  EXPECT_EQ(without_guids(ours.inline_qos), without_guids(theirs.inline_qos));
  EXPECT_EQ(ours.payload, theirs.payload);
  EXPECT_EQ(ours.header.substr(0, 2), theirs.header.substr(0, 2));  // kind and flags
  EXPECT_EQ(ours.header.substr(4, 4), theirs.header.substr(4, 4));  // where inline QoS begins
}

TEST_F(OnTheWire, RequestsHaveTheIdentityOfRos) {
  if (fast_peer.empty()) {
    GTEST_SKIP() << "Fast DDS is not installed (Debian: libfastrtps-dev)";
  }
  const auto server = peer(fast_peer, "serve", "/add_two_ints");
  ask_for_the_sum_of_2_and_3();
  const Capture all = recorded();
  const auto ours = all.first("rq/add_two_intsRequest");
  expect_same_with_identity(ours, captured("service_fastrtps").first("rq/add_two_intsRequest"));
  const End* const reply_reader = all.find("rr/add_two_intsReply", false);
  ASSERT_NE(reply_reader, nullptr);
  EXPECT_EQ(ours.inline_qos.substr(4, 16), reply_reader->guid);
}

TEST_F(OnTheWire, RepliesHaveTheIdentityOfRos) {
  if (fast_peer.empty()) {
    GTEST_SKIP() << "Fast DDS is not installed (Debian: libfastrtps-dev)";
  }
  const auto service = adder();
  const auto client = peer(fast_peer, "call", "/add_two_ints", "2", "3");
  await_writers("rq/add_two_intsRequest");
  client->say_begin();
  spin_until([&] { return is_asked_; });
  EXPECT_EQ(client->line(), "5 12");
  const char* topic = "rr/add_two_intsReply";
  expect_same_with_identity(recorded().first(topic), captured("service_fastrtps").first(topic));
}

// --- first acknowledgements ----------------------------------------------------------------------

/// No heartbeat was there yet, and an answer is asked for. Base and count are another matter.
bool is_first_ack(const Capture::Control& control) {
  const std::string& bytes = control.submessage;
  return bytes.starts_with(std::string("\x06\x01\x18\x00", 4)) && bytes.size() == 28 &&
         bytes.substr(20, 4) == std::string(4, '\0');
}

struct Asked {
  std::size_t times = 0;
  bool is_answered = false;
  std::size_t times_after = 0;
};
/// By the writer that was asked, of another participant of Fast DDS.
std::map<std::string, Asked> asked_of_fastdds(const Capture& all) {
  std::map<std::string, Asked> asked;
  for (const Capture::Control& control : all.controls()) {
    const std::string writer = control.submessage.substr(8, 4);
    if (is_first_ack(control) && control.to.starts_with("\x01\x0f")) {
      EXPECT_EQ(number_at<std::uint32_t>(control.submessage, 16), 0U);
      EXPECT_NE(number_at<std::uint32_t>(control.submessage, 24), 0U);
      Asked& one = asked[control.to + writer];
      ++one.times;
      one.times_after += one.is_answered ? 1 : 0;
    } else if (const auto known = asked.find(control.from + writer); known != asked.end()) {
      known->second.is_answered = known->second.is_answered || control.submessage[0] == '\7';
    }
  }
  return asked;
}

/// They are sent when a writer is found, and not 10 ms later, when its heartbeat may be there.
class AtOnceOnTheWire : public OnTheWire {
 protected:
  void SetUp() override {
    const MoreSettings at_once("<Internal><PreEmptiveAckDelay>0 s</PreEmptiveAckDelay></Internal>");
    OnTheWire::SetUp();
  }
};

TEST_F(AtOnceOnTheWire, FastDdsIsAskedForHeartbeatsUntilOneHasCome) {
  if (fast_peer.empty()) {
    GTEST_SKIP() << "Fast DDS is not installed (Debian: libfastrtps-dev)";
  }
  std::size_t heard = 0;
  const auto subscription = node_->create_subscription<StringMessage>(
      "chatter", 10, [&](const StringMessage&) { ++heard; });
  const std::string stored = "00010000020000006800";  // "h"
  std::vector<std::unique_ptr<Child>> talkers;
  while (talkers.size() < 4) {  // one may be heard before it is asked
    talkers.push_back(
        peer(fast_peer, "talk", "rt/chatter", "std_msgs::msg::dds_::String_", stored));
  }
  spin_until([&] { return figures("/chatter").remote_writers == talkers.size(); });
  for (const auto& talker : talkers) {
    talker->say_begin();
  }
  spin_until([&] { return heard == talkers.size(); });
  const auto asked = asked_of_fastdds(recorded());
  EXPECT_TRUE(std::any_of(asked.begin(), asked.end(),
                          [](const auto& one) { return one.second.is_answered; }));
  for (const auto& [writer, one] : asked) {
    EXPECT_LE(one.times_after, 1U) << "of " << one.times;  // one may be on its way
  }
}

}  // namespace
}  // namespace ligament::edge
