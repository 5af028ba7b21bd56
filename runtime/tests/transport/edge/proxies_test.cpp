// SPDX-License-Identifier: Apache-2.0
/// What others see of the graph's ends, as `ros2 topic info -v` shows it, and where payloads lie.
#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>

#include <cstring>
#include <ligament/std_msgs/msg/string.hpp>
#include <optional>

#include "graph_and_edge.hpp"
#include "transport/dds/names.hpp"
#include "transport/dds/raw_type.hpp"

namespace ligament::edge {
namespace {

using StringMessage = std_msgs::msg::String;
using namespace std::chrono_literals;

class Proxies : public GraphAndOther {
 protected:
  /// The other's view of the one publisher, or subscription, of a topic.
  dds::RemoteEndpoint seen(const std::string& topic, bool is_writer) {
    std::optional<dds::RemoteEndpoint> found;
    spin_until([&] {
      for (const auto& endpoint : other_->remote_endpoints(dds::topic_to_dds(topic))) {
        if (endpoint.is_writer == is_writer) {
          found = endpoint;
        }
      }
      return found.has_value();
    });
    return *found;
  }
};

TEST_F(Proxies, ShowTheQosOfAPublisher) {
  const auto publisher = node_->create_publisher<StringMessage>(
      "shown", QoS(7)
                   .reliable()
                   .transient_local()
                   .deadline(100ms)
                   .lifespan(5s)
                   .liveliness(LivelinessPolicy::manual_by_topic)
                   .liveliness_lease_duration(2s));
  const QoSProfile qos = seen("/shown", true).qos;
  EXPECT_EQ(qos.reliability, ReliabilityPolicy::reliable);
  EXPECT_EQ(qos.durability, DurabilityPolicy::transient_local);
  EXPECT_EQ(qos.deadline_ns, 100'000'000);
  EXPECT_EQ(qos.lifespan_ns, 5'000'000'000);
  EXPECT_EQ(qos.liveliness, LivelinessPolicy::manual_by_topic);
  EXPECT_EQ(qos.liveliness_lease_ns, 2'000'000'000);
}

TEST_F(Proxies, ShowTheQosOfASubscription) {
  const auto subscription = node_->create_subscription<StringMessage>(
      "shown", QoS(7).best_effort().deadline(300ms), [](const StringMessage&) {});
  const QoSProfile qos = seen("/shown", false).qos;
  EXPECT_EQ(qos.reliability, ReliabilityPolicy::best_effort);
  EXPECT_EQ(qos.durability, DurabilityPolicy::volatile_);
  EXPECT_EQ(qos.deadline_ns, 300'000'000);
  EXPECT_EQ(qos.lifespan_ns, 0);
  EXPECT_EQ(qos.liveliness, LivelinessPolicy::automatic);
  EXPECT_EQ(qos.liveliness_lease_ns, 0);
}

TEST_F(Proxies, ShowTypeHashAndGid) {
  const auto publisher = node_->create_publisher<StringMessage>("shown", 1);
  const dds::RemoteEndpoint proxy = seen("/shown", true);
  EXPECT_EQ(proxy.type, "std_msgs::msg::dds_::String_");
  EXPECT_EQ(dds::hash_in_user_data(proxy.user_data), MessageTraits<StringMessage>::type_hash);
  EXPECT_TRUE(std::equal(proxy.gid.begin(), proxy.gid.begin() + 12, proxy.participant.begin()));
}

TEST_F(Proxies, AreThoseThatRosGivesToLogLines) {
  const auto logging =
      std::make_shared<Node>("logging", NodeOptions().context(context_).enable_rosout(true));
  const QoSProfile qos = seen("/rosout", true).qos;
  EXPECT_EQ(qos.reliability, ReliabilityPolicy::reliable);
  EXPECT_EQ(qos.durability, DurabilityPolicy::transient_local);
  EXPECT_EQ(qos.lifespan_ns, 10'000'000'000);
}

// --- payloads ------------------------------------------------------------------------------------

/// Memory for one payload, which says how often it was asked for.
class OneInbox final : public dds::Inbox {
 public:
  struct Memory final : dds::Incoming {
    explicit Memory(std::vector<std::byte>& bytes_in) : memory(bytes_in) {}
    std::span<std::byte> bytes() override { return memory; }
    std::vector<std::byte>& memory;
  };
  std::unique_ptr<dds::Incoming> receive(std::size_t size, const dds::Marks&) override {
    ++asked;
    memory.resize(size);
    return std::make_unique<Memory>(memory);
  }
  std::vector<std::byte> memory;
  int asked = 0;
};

struct Unref {
  void operator()(ddsi_serdata* data) const { ddsi_serdata_unref(data); }
};
struct UnrefType {
  void operator()(ddsi_sertype* type) const { ddsi_sertype_unref(type); }
};
using Data = std::unique_ptr<ddsi_serdata, Unref>;
using Type = std::unique_ptr<ddsi_sertype, UnrefType>;

std::vector<std::byte> some_payload() {
  std::vector<std::byte> bytes(103);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i);
  }
  return bytes;
}

TEST(Payloads, AreSentFromWhereTheyLieAndKeptUntilTheEngineIsDone) {
  const Type type(dds::make_raw_type("test_msgs::msg::dds_::Bytes_", nullptr));
  auto owner = std::make_shared<std::vector<std::byte>>(some_payload());
  const std::span<const std::byte> bytes(owner->data(), 100);
  const std::weak_ptr<const void> kept = owner;
  Data data(dds::make_raw_data(type.get(), bytes, std::move(owner), 1));
  for (const std::size_t from : {0U, 64U}) {
    ddsrt_iovec_t part{};
    ddsi_serdata* const again = ddsi_serdata_to_ser_ref(data.get(), from, 36, &part);
    EXPECT_EQ(part.iov_base, bytes.data() + from);
    EXPECT_EQ(part.iov_len, 36U);
    ddsi_serdata_to_ser_unref(again, &part);
  }
  EXPECT_FALSE(kept.expired());
  data.reset();
  EXPECT_TRUE(kept.expired());
}

TEST(Payloads, AreReceivedIntoTheMemoryThatIsHandedOn) {
  auto inbox = std::make_shared<OneInbox>();
  const Type type(dds::make_raw_type("test_msgs::msg::dds_::Bytes_", inbox));
  auto bytes = some_payload();
  const std::array<ddsrt_iovec_t, 2> parts{
      {{.iov_base = bytes.data(), .iov_len = 60}, {.iov_base = bytes.data() + 60, .iov_len = 43}}};
  const Data data(ddsi_serdata_from_ser_iov(type.get(), SDK_DATA, parts.size(), parts.data(), 103));
  ASSERT_NE(data, nullptr);
  const auto incoming = dds::take_incoming(*data);
  ASSERT_NE(incoming, nullptr);
  EXPECT_EQ(incoming->bytes().data(), inbox->memory.data());
  EXPECT_EQ(inbox->memory, bytes);
  EXPECT_EQ(inbox->asked, 1);
  EXPECT_EQ(dds::take_incoming(*data), nullptr);  // once
}

}  // namespace
}  // namespace ligament::edge
