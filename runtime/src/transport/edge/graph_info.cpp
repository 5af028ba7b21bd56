// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/graph_info.hpp"

#include <algorithm>
#include <cstring>
#include <ligament/message/reader.hpp>

namespace ligament::edge {

namespace {

constexpr std::size_t longest_name = 256;

/// Writes a body; alignment counts from its first byte, after the encapsulation.
class Body {
 public:
  explicit Body(GidForm form) : gid_bytes_(static_cast<std::size_t>(form)) {
    bytes_ = {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
  }

  void count(std::size_t value) {
    while (bytes_.size() % 4 != 0) {
      bytes_.push_back(std::byte{0});
    }
    const auto word = static_cast<std::uint32_t>(value);
    append(&word, sizeof word);
  }
  void gid(const Gid& gid) {
    append(gid.data(), gid.size());
    bytes_.resize(bytes_.size() + gid_bytes_ - gid.size());
  }
  void gids(const std::vector<Gid>& list) {
    count(list.size());
    for (const Gid& one : list) {
      gid(one);
    }
  }
  void text(const std::string& value) {
    count(value.size() + 1);
    append(value.c_str(), value.size() + 1);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* source, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(source);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::byte> bytes_;
  std::size_t gid_bytes_;
};

using Input = detail::Reader<const std::byte>;

template <std::size_t gid_bytes>
bool read_gid(Input& input, Gid& gid) {
  std::array<std::uint8_t, gid_bytes> wide{};
  if (!input(wide)) {
    return false;
  }
  std::copy_n(wide.begin(), gid.size(), gid.begin());
  return std::all_of(wide.begin() + gid.size(), wide.end(), [](auto byte) { return byte == 0; });
}

template <std::size_t gid_bytes>
bool read_gids(Input& input, std::vector<Gid>& gids) {
  std::size_t count = 0;
  if (!input.sequence(count, gid_bytes, detail::no_bound)) {
    return false;
  }
  gids.resize(count);
  return std::all_of(gids.begin(), gids.end(),
                     [&input](Gid& gid) { return read_gid<gid_bytes>(input, gid); });
}

template <std::size_t gid_bytes>
bool read_node(Input& input, NodeInfo& node) {
  const detail::Bounds bounds{detail::no_bound, longest_name};
  return input(node.name_space, bounds) && input(node.name, bounds) &&
         read_gids<gid_bytes>(input, node.readers) && read_gids<gid_bytes>(input, node.writers);
}

template <std::size_t gid_bytes>
expected<GraphInfo, CodecError> decode_as(std::span<const std::byte> body) {
  constexpr std::size_t smallest_node = 4 * 4;
  Input input(body);
  GraphInfo info;
  std::size_t count = 0;
  if (!read_gid<gid_bytes>(input, info.participant) ||
      !input.sequence(count, smallest_node, detail::no_bound)) {
    return unexpected<CodecError>(CodecError::truncated);
  }
  info.nodes.resize(count);
  for (NodeInfo& node : info.nodes) {
    if (!read_node<gid_bytes>(input, node)) {
      return unexpected<CodecError>(CodecError::truncated);
    }
  }
  if (body.size() - input.position() > detail::max_trailing_bytes) {
    return unexpected<CodecError>(CodecError::trailing_bytes);
  }
  return info;
}

}  // namespace

std::vector<std::byte> encode(const GraphInfo& info, GidForm form) {
  Body body(form);
  body.gid(info.participant);
  body.count(info.nodes.size());
  for (const NodeInfo& node : info.nodes) {
    body.text(node.name_space);
    body.text(node.name);
    body.gids(node.readers);
    body.gids(node.writers);
  }
  return body.take();
}

expected<GraphInfo, CodecError> decode(std::span<const std::byte> stored) {
  if (auto checked = detail::check_encapsulation(stored); !checked) {
    return unexpected<CodecError>(checked.error());
  }
  const auto body = stored.subspan(encapsulation_size);
  if (auto info = decode_as<static_cast<std::size_t>(GidForm::jazzy)>(body)) {
    return info;
  }
  return decode_as<static_cast<std::size_t>(GidForm::humble)>(body);
}

}  // namespace ligament::edge
