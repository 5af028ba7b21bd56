// SPDX-License-Identifier: Apache-2.0
/// \file What the nodes of a parallel step tell each other: parts, and the word to go on.
///
/// A *part* is an Image: its stamp's seconds are the number of the step, its frame the number of
/// the worker that made it, its data whatever the workers agree on. `go` is a number: 0 asks who is
/// there, each further one starts the next group of workers.
#pragma once

#include <atomic>
#include <charconv>
#include <compare>
#include <cstdint>
#include <ligament/publisher.hpp>
#include <ligament/sample.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/u_int32.hpp>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ligament::nodes::parallel {

using Part = sensor_msgs::msg::Image;
using Go = std_msgs::msg::UInt32;
using PartSample = std::shared_ptr<const Sample<Part>>;

/// Steps are counted from 1; step 0 is a worker that says that it is there.
struct PartId {
  std::uint32_t worker = 0;
  std::uint32_t step = 0;
  auto operator<=>(const PartId&) const = default;
};

/// Nothing, where the message is no part.
[[nodiscard]] inline std::optional<PartId> id_of(const Sample<Part>& sample) {
  const auto& header = sample.view().header();
  const std::string_view frame = header.frame_id();
  PartId id{0, static_cast<std::uint32_t>(header.stamp().sec())};
  const auto read = std::from_chars(frame.data(), frame.data() + frame.size(), id.worker);
  const bool is_number = read.ec == std::errc() && read.ptr == frame.data() + frame.size();
  return is_number && header.stamp().sec() >= 0 ? std::optional(id) : std::nullopt;
}

/// Memory for a part; the data is to be filled. Nothing, where none was lent, which the publisher
/// has counted and told.
[[nodiscard]] inline std::optional<LoanedMessage<Part>> lend_part(Publisher<Part>& publisher,
                                                                  const PartId& id,
                                                                  std::size_t bytes) {
  const std::string frame = std::to_string(id.worker);
  sensor_msgs::msg::ImageShape shape;
  shape.header.frame_id = frame.size();
  shape.data = bytes;
  auto loan = publisher.borrow_loaned_message(shape);
  if (!loan) {
    return std::nullopt;
  }
  auto& part = loan->get();
  part.header().stamp().set_sec(static_cast<std::int32_t>(id.step));
  part.header().stamp().set_nanosec(0);
  part.header().set_frame_id(frame);
  part.set_height(0);
  part.set_width(0);
  part.set_encoding("");
  part.set_is_bigendian(0);
  part.set_step(0);
  return std::move(*loan);
}

/// The workers, by group: those of a group work at the same time, groups one after the other. They
/// are numbered group after group.
///
///   Plan{{2, 2}}   two nodes, when both are done two others
///   Plan{{4}}      four at once
struct Plan {
  std::vector<std::uint32_t> groups;

  [[nodiscard]] std::uint32_t workers() const {
    return std::accumulate(groups.begin(), groups.end(), 0U);
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t worker) const {
    std::uint32_t group = 0;
    for (std::uint32_t last = groups[0]; worker >= last && group + 1 < groups.size();) {
      last += groups[++group];
    }
    return group;
  }
};

/// Parts that have come, the last two steps of each worker. Memory that nobody needs any more is
/// filled again while caches still have it, so a part is kept only for who needs it.
class Inbox {
 public:
  /// A null sample: the part has come, and is not needed here.
  void add(const PartId& id, PartSample sample) {
    parts_[id] = std::move(sample);
    // A range, not one by one: where a part was lost, those before it must go all the same, or
    // each loss would hold one more block.
    if (id.step >= 2) {
      parts_.erase(parts_.lower_bound({id.worker, 0}),
                   parts_.upper_bound({id.worker, id.step - 2}));
    }
  }
  [[nodiscard]] bool has(const PartId& id) const { return parts_.contains(id); }
  /// Null: it has not come, or is not needed.
  [[nodiscard]] PartSample find(const PartId& id) const {
    const auto found = parts_.find(id);
    return found == parts_.end() ? nullptr : found->second;
  }
  /// From here on it is not needed.
  void let_go(const PartId& id) {
    if (const auto found = parts_.find(id); found != parts_.end()) {
      found->second = nullptr;
    }
  }

 private:
  std::map<PartId, PartSample> parts_;
};

/// Parts that a node has made and taken, and how many of these were copied because the topic's mode
/// says so (greetings aside).
struct PartCounts {
  std::uint64_t made = 0;
  std::uint64_t made_copied = 0;
  std::uint64_t came = 0;
  std::uint64_t came_copied = 0;
};

/// Counts in the node's threads, read in any. Relaxed: figures.
class Tally {
 public:
  void made(bool is_copy) { count(made_, made_copied_, is_copy); }
  void came(bool is_copy) { count(came_, came_copied_, is_copy); }
  [[nodiscard]] PartCounts counts() const {
    constexpr auto relaxed = std::memory_order_relaxed;
    return {made_.load(relaxed), made_copied_.load(relaxed), came_.load(relaxed),
            came_copied_.load(relaxed)};
  }

 private:
  using Count = std::atomic<std::uint64_t>;
  static void count(Count& all, Count& copied, bool is_copy) {
    all.fetch_add(1, std::memory_order_relaxed);
    copied.fetch_add(is_copy ? 1 : 0, std::memory_order_relaxed);
  }
  Count made_{0};
  Count made_copied_{0};
  Count came_{0};
  Count came_copied_{0};
};

}  // namespace ligament::nodes::parallel
