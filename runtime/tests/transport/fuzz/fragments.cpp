// SPDX-License-Identifier: Apache-2.0
/// Fragments of samples, as the engine hands them on, under libFuzzer: it has checked that they lie
/// within their datagrams, whose bytes are others' all the same.
///
/// An input: the sample's size, then for each fragment the datagram's size, where the submessage
/// begins, where the payload, which bytes of the sample it is, and the datagram.
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_misc.h>
#include <dds/ddsi/q_protocol.h>
#include <dds/ddsi/q_radmin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "../edge/heap_inbox.hpp"
#include "require.hpp"
#include "transport/dds/raw_type.hpp"

namespace {

using namespace ligament;

/// Gives memory of exactly the size that was asked for, so that the sanitizer sees what goes
/// beyond.
class Inbox final : public edge::HeapInbox {
 public:
  std::unique_ptr<dds::Incoming> receive(std::size_t size, const dds::Marks& marks) override {
    constexpr std::size_t refused = 0xfff;
    return size == refused ? nullptr : HeapInbox::receive(size, marks);
  }
};

class Input {
 public:
  explicit Input(Bytes bytes) : rest_(bytes) {}
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  std::uint16_t number() {
    std::uint16_t number = 0;
    const Bytes bytes = take(sizeof number);
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  Bytes take(std::size_t size) {
    const Bytes bytes = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(bytes.size());
    return bytes;
  }

 private:
  Bytes rest_;
};

/// A datagram as the engine keeps it, and what it says of the fragment in it.
struct Fragment {
  explicit Fragment(Input& input) {
    const std::uint16_t size = input.number();
    data.submsg_zoff = input.number();
    const std::uint16_t payload_at = input.number();
    data.min = input.number();
    const std::uint16_t length = input.number();
    const Bytes datagram = input.take(size);
    memory.resize(sizeof(nn_rmsg) + datagram.size());
    std::copy(datagram.begin(), datagram.end(), memory.begin() + sizeof(nn_rmsg));
    data.rmsg = reinterpret_cast<nn_rmsg*>(memory.data());
    data.rmsg->chunk.u.size = static_cast<std::uint32_t>(datagram.size());
    // What the engine has seen to.
    data.payload_zoff =
        static_cast<std::uint16_t>(std::min<std::size_t>(payload_at, datagram.size()));
    data.maxp1 = data.min + static_cast<std::uint32_t>(
                                std::min<std::size_t>(length, datagram.size() - data.payload_zoff));
  }
  [[nodiscard]] Bytes payload() const {
    return Bytes(memory).subspan(sizeof(nn_rmsg) + data.payload_zoff, data.maxp1 - data.min);
  }
  /// The header of the data submessage, if the datagram has one before the payload.
  [[nodiscard]] bool has_header() const {
    return data.submsg_zoff != 0 &&
           data.submsg_zoff + sizeof(Data_DataFrag_common_t) <= data.payload_zoff;
  }
  std::vector<std::byte> memory;
  nn_rdata data{};
};

/// The sample, where the fragments have all of it and come in their order.
std::vector<std::byte> whole(const std::deque<Fragment>& fragments, std::size_t size) {
  std::vector<std::byte> sample;
  for (const Fragment& fragment : fragments) {
    const std::size_t known = sample.size();
    if (fragment.data.min > known) {
      return {};
    }
    if (fragment.data.maxp1 > known) {
      const Bytes news = fragment.payload().subspan(known - fragment.data.min);
      sample.insert(sample.end(), news.begin(), news.end());
    }
    if (sample.size() >= size) {
      sample.resize(size);
    }
  }
  return sample;
}

void check_marks(const dds::Marks& marks, const Fragment& first) {
  if (!first.has_header()) {
    require(marks.sequence == 0 && marks.writer == pool::Gid{} && !marks.related);
    return;
  }
  const std::byte* const datagram = first.memory.data() + sizeof(nn_rmsg);
  for (std::size_t i = 0; i < 12; ++i) {  // words that the engine has turned round
    require(marks.writer[i] == std::to_integer<std::uint8_t>(datagram[8 + (i ^ 3U)]));
  }
  Data_DataFrag_common_t header;
  std::memcpy(&header, datagram + first.data.submsg_zoff, sizeof header);
  require(marks.sequence == fromSN(header.writerSN));
  require(!marks.related || (header.smhdr.flags & DATA_FLAG_INLINE_QOS) != 0);
}

void receive(Input input) {
  static const auto inbox = std::make_shared<Inbox>();
  static ddsi_sertype* const type = dds::make_raw_type("test_msgs::msg::dds_::Bytes_", inbox);
  const std::size_t size = input.number() % 4096U;
  std::deque<Fragment> fragments;
  do {
    fragments.emplace_back(input);
  } while (!input.is_empty());
  for (std::size_t i = 1; i < fragments.size(); ++i) {
    fragments[i - 1].data.nextfrag = &fragments[i].data;
  }
  ddsi_serdata* const data = ddsi_serdata_from_ser(type, SDK_DATA, &fragments.front().data, size);
  const auto expected = whole(fragments, size);
  require(data == nullptr || expected.size() == size);
  if (data == nullptr) {
    return;
  }
  require(ddsi_serdata_size(data) == size);
  check_marks(dds::marks_of(*data), fragments.front());
  const auto incoming = dds::take_incoming(*data);
  require(incoming != nullptr && std::ranges::equal(incoming->bytes(), expected));
  ddsi_serdata_unref(data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  receive(Input({reinterpret_cast<const std::byte*>(data), size}));
  return 0;
}
