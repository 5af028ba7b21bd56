// SPDX-License-Identifier: Apache-2.0
/// \file Messages out of a ROS 2 recording, in file order, as the bytes that were recorded.
///
///   auto reader = open_mcap("drive.mcap");
///   while (auto message = *(*reader)->next()) use(message->topic, message->data);
///
/// What is read is never trusted: each length is checked against what is there before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ligament/expected.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "camera/frame_source.hpp"

namespace ligament::nodes::image {

/// A topic of a recording.
struct BagTopic {
  std::string name;
  std::string type;      ///< sensor_msgs/msg/Image
  std::string encoding;  ///< how messages are serialised: cdr
};

/// One recorded message. Valid until the next call of next() or rewind().
struct BagMessage {
  const BagTopic* topic = nullptr;
  std::int64_t log_time_ns = 0;
  std::span<const std::byte> data;
};

class BagReader : public Replay<BagMessage> {
 public:
  /// Topics found so far; all of them once next() has returned nothing.
  [[nodiscard]] virtual std::vector<BagTopic> topics() const = 0;
};

using BagResult = expected<std::unique_ptr<BagReader>, SourceError>;

/// A .db3 file of rosbag2's sqlite3 storage. With `message_zstd` each message is a zstd frame.
[[nodiscard]] BagResult open_sqlite_bag(const std::filesystem::path& path, bool message_zstd);
/// A .mcap file.
[[nodiscard]] BagResult open_mcap(const std::filesystem::path& path, bool message_zstd);

}  // namespace ligament::nodes::image
