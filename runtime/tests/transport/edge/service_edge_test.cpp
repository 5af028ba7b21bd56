// SPDX-License-Identifier: Apache-2.0
/// Services through the edge: a server or client of the graph, and a participant that knows DDS
/// only and speaks as rmw_cyclonedds does.
#include <gtest/gtest.h>

#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <mutex>
#include <thread>

#include "graph_and_edge.hpp"
#include "heap_inbox.hpp"
#include "messages.hpp"
#include "transport/dds/names.hpp"
#include "transport/dds/service_wire.hpp"
#include "transport/edge/service_routes.hpp"

namespace ligament::edge {
namespace {

using example_interfaces::srv::AddTwoInts;
using Bytes = std::vector<std::byte>;

template <typename Condition>
void wait_for(const Condition& condition) {
  while (!condition()) {  // the test runner has its own limit
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class ServiceEdge : public GraphAndOther {
 protected:
  /// An end outside of the service `/add`.
  template <typename Message>
  dds::EndpointSpec outside(const std::string& topic, dds::ServiceEnd end) const {
    using Traits = MessageTraits<Message>;
    const pool::Gid id{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    return {topic, dds::type_to_dds(Traits::name), ServicesQoS().profile(),
            dds::service_user_data(end, id, Traits::type_hash), true};
  }
  dds::Reader::Handler collect() {
    return [this](dds::Received&& sample) {
      if (sample.incoming != nullptr) {
        const auto bytes = sample.incoming->bytes();
        const std::lock_guard lock(mutex_);
        got_.emplace_back(bytes.begin(), bytes.end());
      }
    };
  }
  std::size_t got() {
    const std::lock_guard lock(mutex_);
    return got_.size();
  }
  void send(dds::Writer& writer, Bytes bytes) {
    auto memory = std::make_shared<Bytes>(std::move(bytes));
    const std::size_t size = memory->size();
    memory->resize(size + 3);
    const std::span<const std::byte> payload(memory->data(), size);
    EXPECT_EQ(writer.write(payload, std::move(memory), ++timestamp_), dds::WriteResult::sent);
  }

  std::mutex mutex_;
  std::vector<Bytes> got_;
  std::int64_t timestamp_ = 1'700'000'000'000'000'000;
};

TEST_F(ServiceEdge, AServerHereAnswersAClientOutside) {
  auto service = node_->create_service<AddTwoInts>(
      "add", [](const std::shared_ptr<AddTwoInts::Request> request,
                const std::shared_ptr<AddTwoInts::Response> response) {
        response->sum = request->a + request->b;
      });
  auto local = node_->create_client<AddTwoInts>("add");
  auto reader =
      *other_->create_reader(outside<AddTwoInts::Response>("rr/addReply", dds::ServiceEnd::client),
                             std::make_shared<HeapInbox>(), collect());
  auto writer = *other_->create_writer(
      outside<AddTwoInts::Request>("rq/addRequest", dds::ServiceEnd::client));
  wait_for([&] { return writer->matched() == 1 && reader->matched() == 1; });
  // The graph's own client is answered too, and nobody outside hears of that.
  ASSERT_TRUE(local->wait_for_service());
  AddTwoInts::Request request;
  request.a = 2;
  request.b = 3;
  EXPECT_EQ(answer_of(*local, request)->sum, 5);
  const dds::RequestHeader header{{0xa6, 0xc0, 0xe3, 0xc1, 0xae, 0x08, 0xfd, 0x85}, 1};
  send(*writer, dds::with_header(stored(request), header));
  spin_until([&] { return got() == 1; });
  AddTwoInts::Response response;
  response.sum = 5;
  EXPECT_EQ(got_.front(), dds::with_header(stored(response), header));
  EXPECT_EQ(service->statistics().requests, 2U);
  EXPECT_EQ(local->statistics().strayed, 0U);
}

TEST_F(ServiceEdge, AClientHereIsAnsweredByAServerOutside) {
  auto reader =
      *other_->create_reader(outside<AddTwoInts::Request>("rq/addRequest", dds::ServiceEnd::server),
                             std::make_shared<HeapInbox>(), collect());
  auto writer =
      *other_->create_writer(outside<AddTwoInts::Response>("rr/addReply", dds::ServiceEnd::server));
  auto client = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service());
  wait_for([&] { return writer->matched() == 1; });  // the server has found the client, too
  AddTwoInts::Request request;
  request.a = 40;
  request.b = 2;
  auto sent = client->async_send_request(request);
  wait_for([&] { return got() == 1; });
  Bytes asked = got_.front();
  const auto header = dds::take_header(asked);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->sequence, 1);
  asked.resize(asked.size() - dds::request_header_size);
  EXPECT_EQ(asked, stored(request));
  AddTwoInts::Response response;
  response.sum = 42;
  dds::RequestHeader foreign = *header;
  foreign.client[0] ^= 0xffU;  // a reply to a client that is not of this graph
  send(*writer, dds::with_header(stored(response), foreign));
  send(*writer, Bytes(12));  // too short to be a reply
  send(*writer, dds::with_header(stored(response), *header));
  spin_until([&] { return sent.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  const auto answer = sent.get();
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->sum, 42);
  EXPECT_EQ(client->statistics().strayed, 0U);
}

/// Of a writer that was not kept (there were too many): whether its requests have a header, is
/// unknown, and some would pass as arguments.
TEST(Requests, OfWhoIsNotKnownAreRefused) {
  const auto identity =
      identity_of("rq/addRequest", std::make_shared<ServiceClients>(),
                  [](const pool::Gid&) -> std::optional<dds::ServiceForm> { return std::nullopt; });
  Bytes bytes = dds::with_header(stored(AddTwoInts::Request()), {{1, 2, 3}, 1});
  dds::Received sample;
  sample.writer = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1, 3};
  sample.marks.sequence = 1;
  EXPECT_EQ(identity(sample, bytes).arrival, Arrival::malformed);
  sample.marks.related = dds::SampleIdentity{sample.writer, dds::unknown_sequence};
  EXPECT_EQ(identity(sample, bytes).arrival, Arrival::ours);  // it says itself that it has none
}

TEST(ServiceEnds, SayThatTheyBelongTogether) {
  const auto id_of = [](const std::string& node, const std::string& topic,
                        pool::EndpointKind kind) {
    pool::EndpointDescription description;
    description.node = node;
    description.topic = topic;
    description.type_name = "example_interfaces/srv/AddTwoInts_Request";
    const auto proxy = proxy_of(description, kind);
    EXPECT_EQ(proxy.topic, topic);
    EXPECT_EQ(proxy.type, "example_interfaces::srv::dds_::AddTwoInts_Request_");
    return proxy.user_data.substr(0, proxy.user_data.find(';'));
  };
  using Kind = pool::EndpointKind;
  const auto client = id_of("/n", "rq/addRequest", Kind::writer);
  EXPECT_TRUE(client.starts_with("clientid=")) << client;
  EXPECT_EQ(id_of("/n", "rr/addReply", Kind::reader), client);
  EXPECT_NE(id_of("/m", "rr/addReply", Kind::reader), client);
  EXPECT_NE(id_of("/n", "rr/subReply", Kind::reader), client);
  const auto server = id_of("/n", "rr/addReply", Kind::writer);
  EXPECT_TRUE(server.starts_with("serviceid=")) << server;
  EXPECT_EQ(id_of("/n", "rq/addRequest", Kind::reader), server);
}

}  // namespace
}  // namespace ligament::edge
