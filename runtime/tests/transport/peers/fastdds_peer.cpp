// SPDX-License-Identifier: Apache-2.0
/// Another vendor's DDS implementation as the other end of the edge's tests: Fast DDS, with the
/// names and the use of sample identities that rmw_fastrtps has. Payloads are hex digits.
///
///   fastdds_peer DOMAIN talk TOPIC TYPE PAYLOAD...    sends each, once somebody listens and its
///                                                     input says so; stays until that ends
///   fastdds_peer DOMAIN listen TOPIC TYPE COUNT       prints so many payloads, a line each
///   fastdds_peer DOMAIN call SERVICE A B              example_interfaces/srv/AddTwoInts: the sum;
///                                                     begins as `talk` does
///   fastdds_peer DOMAIN serve SERVICE [BYTES]         answers until its input ends; the reply is
///                                                     filled up to so many bytes
/// TOPIC and TYPE are those of DDS. Waits for at most 300 s for whatever it waits for.
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ends.hpp"

#ifdef __SANITIZE_ADDRESS__
/// Debian's libfastrtps deletes its statistics' listeners by their base's size.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char* __asan_default_options() { return "new_delete_type_mismatch=0"; }
#endif

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::string>;

constexpr const char* user_data =
    "typehash=RIHS01_0000000000000000000000000000000000000000000000000000000000000000;";

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

void print_hex(const Bytes& bytes) {
  for (const std::uint8_t byte : bytes) {
    std::printf("%02x", byte);
  }
  std::puts("");
  std::fflush(stdout);
}

/// A type that is its serialised bytes, encapsulation included.
class RawType final : public dds::TopicDataType {
 public:
  explicit RawType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = 4096;  // to begin with; payloads grow
    m_isGetKeyDefined = false;
  }
  bool serialize(void* data, rtps::SerializedPayload_t* payload) override {
    const auto& bytes = *static_cast<Bytes*>(data);
    if (payload->max_size < bytes.size()) {
      return false;
    }
    payload->length = static_cast<std::uint32_t>(bytes.size());
    payload->encapsulation = CDR_LE;
    std::memcpy(payload->data, bytes.data(), bytes.size());
    return true;
  }
  bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
    static_cast<Bytes*>(data)->assign(payload->data, payload->data + payload->length);
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return static_cast<std::uint32_t>(static_cast<Bytes*>(data)->size()); };
  }
  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, rtps::InstanceHandle_t*, bool) override { return false; }
};

/// Over the loopback interface alone, as the tests' other participants (extra.cmake).
dds::DomainParticipantQos over_loopback() {
  dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->interfaceWhiteList = {"127.0.0.1"};
  udp->maxInitialPeersRange = 61;
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  rtps::Locator_t everybody;
  rtps::IPLocator::setIPv4(everybody, "127.0.0.1");
  everybody.port = 0;
  qos.wire_protocol().builtin.initialPeersList.push_back(everybody);
  const std::string enclave("enclave=/;\0", 11);
  qos.user_data().data_vec({enclave.begin(), enclave.end()});
  return qos;
}

template <typename Qos>
Qos as_ros_has_it(Qos qos) {
  qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
  qos.durability().kind = dds::VOLATILE_DURABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = 10;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().off();
  qos.user_data().data_vec({user_data, user_data + std::strlen(user_data)});
  return qos;
}

dds::DataWriterQos writer_qos() {
  auto qos = as_ros_has_it(dds::DATAWRITER_QOS_DEFAULT);
  qos.publish_mode().kind = dds::ASYNCHRONOUS_PUBLISH_MODE;  // which large samples need
  return qos;
}

template <typename Condition>
void wait_for(const char* what, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(300);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      throw std::runtime_error(std::string("waited 300 s for ") + what);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Of requests: it tells of none without being asked.
dds::DataWriterQos quiet_writer_qos() {
  auto qos = writer_qos();
  qos.reliable_writer_qos().times.heartbeatPeriod = {3600, 0};
  return qos;
}

struct Out {
  Out(peer::Node& node, const std::string& topic, const std::string& type,
      const dds::DataWriterQos& qos = writer_qos())
      : writer(node, node.topic(topic, dds::TypeSupport(new RawType(type))), qos) {}
  peer::Writer writer;
};

struct In {
  In(peer::Node& node, const std::string& topic, const std::string& type)
      : reader(node, node.topic(topic, dds::TypeSupport(new RawType(type))),
               as_ros_has_it(dds::DATAREADER_QOS_DEFAULT)) {}
  bool take(Bytes& bytes, dds::SampleInfo& info) {
    return reader->take_next_sample(&bytes, &info) == peer::ReturnCode_t::RETCODE_OK &&
           info.valid_data;
  }
  peer::Reader reader;
};

/// A line, or its end.
bool input_came() {
  pollfd input{0, POLLIN, 0};
  return ::poll(&input, 1, 2) == 1 && (input.revents & (POLLHUP | POLLIN)) != 0;
}

void talk(peer::Node& node, const Words& words) {
  Out out(node, words.at(0), words.at(1));
  wait_for("a listener", [&] { return out.writer.subscribers() != 0; });
  wait_for("the word to begin", input_came);
  for (std::size_t i = 2; i < words.size(); ++i) {
    Bytes bytes = from_hex(words[i]);
    out.writer->write(&bytes);
  }
  out.writer->wait_for_acknowledgments({10, 0});
  char word = 0;
  while (::read(STDIN_FILENO, &word, 1) > 0) {  // what it said is told on while it is there
  }
}

void listen(peer::Node& node, const Words& words) {
  In in(node, words.at(0), words.at(1));
  for (int left = std::stoi(words.at(2)); left > 0; --left) {
    Bytes bytes;
    dds::SampleInfo info;
    wait_for("a sample", [&] { return in.take(bytes, info); });
    print_hex(bytes);
  }
}

constexpr const char* request_type = "example_interfaces::srv::dds_::AddTwoInts_Request_";
constexpr const char* reply_type = "example_interfaces::srv::dds_::AddTwoInts_Response_";

Bytes stored(std::initializer_list<std::int64_t> numbers) {
  Bytes bytes{0, 1, 0, 0};
  for (const std::int64_t number : numbers) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof number);
  }
  return bytes;
}

std::int64_t number_at(const Bytes& bytes, std::size_t at) {
  std::int64_t number = 0;
  std::memcpy(&number, &bytes.at(at + sizeof number - 1) - (sizeof number - 1), sizeof number);
  return number;
}

/// The request names the reply reader; the reply comes back with that and the request's number.
void call(peer::Node& node, const Words& words) {
  In replies(node, "rr" + words.at(0) + "Reply", reply_type);
  Out requests(node, "rq" + words.at(0) + "Request", request_type, quiet_writer_qos());
  wait_for("the server",
           [&] { return requests.writer.subscribers() != 0 && replies.reader.publishers() != 0; });
  wait_for("the word to begin", input_came);
  Bytes request = stored({std::stoll(words.at(1)), std::stoll(words.at(2))});
  rtps::WriteParams params;
  params.related_sample_identity().writer_guid(replies.reader->guid());
  requests.writer->write(&request, params);
  const auto number = params.sample_identity().sequence_number();
  Bytes reply;
  dds::SampleInfo info;
  wait_for("the reply", [&] {
    return replies.take(reply, info) &&
           info.related_sample_identity.writer_guid() == replies.reader->guid() &&
           info.related_sample_identity.sequence_number() == number;
  });
  std::printf("%lld %zu\n", static_cast<long long>(number_at(reply, 4)), reply.size());
}

void serve(peer::Node& node, const Words& words) {
  In requests(node, "rq" + words.at(0) + "Request", request_type);
  Out replies(node, "rr" + words.at(0) + "Reply", reply_type);
  while (!input_came()) {
    Bytes request;
    dds::SampleInfo info;
    if (!requests.take(request, info)) {
      continue;
    }
    rtps::WriteParams params;
    params.related_sample_identity() = info.sample_identity;
    if (info.related_sample_identity.writer_guid() != rtps::GUID_t::unknown()) {
      params.related_sample_identity().writer_guid() = info.related_sample_identity.writer_guid();
    }
    Bytes reply = stored({number_at(request, 4) + number_at(request, 12)});
    reply.resize(std::max(reply.size(), words.size() > 1 ? std::stoul(words[1]) : 0));
    wait_for("the client", [&] { return replies.writer.subscribers() != 0; });
    replies.writer->write(&reply, params);
  }
}

void run(const Words& words) {
  peer::Node node(std::stoi(words.at(0)), over_loopback());
  const Words rest(words.begin() + 2, words.end());
  if (words.at(1) == "talk") {
    talk(node, rest);
  } else if (words.at(1) == "listen") {
    listen(node, rest);
  } else if (words.at(1) == "call") {
    call(node, rest);
  } else if (words.at(1) == "serve") {
    serve(node, rest);
  } else {
    throw std::invalid_argument("talk, listen, call or serve, not " + words.at(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(Words(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fastdds_peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
