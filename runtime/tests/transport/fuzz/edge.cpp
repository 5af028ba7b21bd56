// SPDX-License-Identifier: Apache-2.0
/// What the edge reads of other participants, under libFuzzer: inline QoS, the headers of data
/// submessages, graph messages, names and user data, and whole samples of topics and services.
///
/// The first byte of an input says who reads the rest. What is written is read again and compared.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include "require.hpp"
#include "transport/dds/inline_qos.hpp"
#include "transport/dds/names.hpp"
#include "transport/dds/service_wire.hpp"
#include "transport/edge/graph_info.hpp"
#include "transport/edge/inbound_route.hpp"
#include "transport/edge/service_routes.hpp"

namespace {

using namespace ligament;

/// A copy of its own, so that the sanitizer sees a read beyond the end.
std::vector<std::byte> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void read_parameters(Bytes bytes) {
  const auto list = copy_of(bytes);
  for (const auto order : {std::endian::little, std::endian::big}) {
    if (const auto related = dds::find_related(list, order)) {
      require(dds::find_related(dds::related_parameters(*related), std::endian::little) == related);
      if (const auto identity = dds::to_identity(*related)) {
        require(dds::related_from_identity(*identity) == related);
        require(dds::from_identity(*identity) == std::nullopt ||
                dds::related_from_identity(*identity) != std::nullopt);
      }
    }
  }
}

void open_header(Bytes bytes) {
  const auto before = copy_of(bytes);
  if (const auto header = dds::header_with_related(before)) {
    require(header->size == 24 || header->size == 36);
    require(std::equal(header->bytes.begin() + 4,
                       header->bytes.begin() + static_cast<std::ptrdiff_t>(header->size),
                       before.end() - static_cast<std::ptrdiff_t>(header->size) + 4));
  }
}

void read_graph(Bytes bytes) {
  const auto stored = copy_of(bytes);
  if (const auto info = edge::decode(stored)) {
    const auto again = edge::decode(edge::encode(*info, edge::GidForm::jazzy));
    require(again.has_value() && *again == *info);
  }
}

void read_names(Bytes bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto topic = dds::topic_from_dds(text)) {
    require(dds::topic_to_dds(*topic) == text);
  }
  if (const auto type = dds::type_from_dds(text)) {
    require(dds::type_to_dds(*type).size() == text.size());
  }
  if (const auto hash = dds::hash_in_user_data(text)) {
    require(dds::hash_in_user_data(dds::endpoint_user_data(*hash)) == hash);
  }
  (void)dds::form_of(text);
  if (edge::is_request(text)) {
    require(edge::is_reply(edge::reply_topic_of(text)));
  }
}

/// A topic with a subscription, for what an inbound route publishes.
struct Subscribed {
  Subscribed() {
    pool::EndpointDescription description;
    description.topic = "/fuzzed";
    description.type_name = "test_msgs/msg/Bytes";
    description.node = "/fuzz";
    reader = *domain->create_reader(description, *waiter);
    writer = *domain->create_writer(description, {.max_loans = 8});
    // Each end finds the other for itself: what is published in between is taken a little later.
    while (writer->matched_readers() == 0 || reader->matched_writers() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::shared_ptr<pool::Domain> domain =
      *pool::Domain::join({.name = "fuzz-edge-" + std::to_string(::getpid()), .run_id = "run"});
  std::unique_ptr<pool::Waiter> waiter = *domain->create_waiter();
  std::unique_ptr<pool::Reader> reader;
  std::shared_ptr<pool::Writer> writer;
};

/// One sample of a topic, or of half a service, from a writer of either form. What is delivered is
/// what came, but for option bytes and header.
void receive(Bytes bytes, const char* topic) {
  constexpr std::size_t largest = 4096;
  if (bytes.size() < 2 || bytes.size() > largest) {
    return;
  }
  static const auto clients = std::make_shared<edge::ServiceClients>();
  const auto form = std::to_integer<int>(bytes[0]) % 2 == 0 ? dds::ServiceForm::header
                                                            : dds::ServiceForm::related;
  edge::InboundRoute in(
      {edge::identity_of(topic, clients, [form](const pool::Gid&) { return form; }), false});
  dds::Received sample;
  if (std::to_integer<int>(bytes[1]) % 2 != 0) {
    sample.marks.related = dds::find_related(bytes, std::endian::little);
    sample.marks.sequence = static_cast<std::int64_t>(bytes.size());
  }
  sample.writer.back() = 3;
  const Bytes rest = bytes.subspan(2);
  static Subscribed subscribed;
  in.set_writer(subscribed.writer, largest);
  sample.size = rest.size();
  sample.incoming = in.receive(rest.size(), sample.marks);
  std::copy(rest.begin(), rest.end(), sample.incoming->bytes().begin());
  in.publish(std::move(sample));
  const auto taken = *subscribed.reader->take();
  require(in.figures().received == (taken ? 1U : 0U));
  if (taken) {
    const Bytes payload = taken->payload();
    const std::size_t header = rest.size() - payload.size();
    require(header == 0 || header == dds::request_header_size);
    require(payload.size() >= 4 && payload[0] == rest[0] && payload[1] == rest[1]);
    require(std::equal(payload.begin() + 4, payload.end(),
                       rest.begin() + static_cast<std::ptrdiff_t>(header + 4), rest.end()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Bytes rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      read_parameters(rest);
      break;
    case 1:
      open_header(rest);
      break;
    case 2:
      read_graph(rest);
      break;
    case 3:
      read_names(rest);
      break;
    case 4:
      receive(rest, "/topic");
      break;
    case 5:
      receive(rest, "rq/addRequest");
      break;
    default:
      receive(rest, "rr/addReply");
      break;
  }
  return 0;
}
