// SPDX-License-Identifier: Apache-2.0
/// \file The status lines: one JSON object per line. Schema: spec/run/status.schema.json.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace ligament::container {

/// Writes whole lines; from any thread. Without a descriptor it writes nothing.
class StatusChannel {
 public:
  explicit StatusChannel(int descriptor) : descriptor_(descriptor) {}

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// May block while the reader does not read: never called on the executor's thread while it runs.
  void send(const nlohmann::json& line);
  /// An `error` line; `node` is empty where the container itself is meant.
  void send_error(const std::string& node, const std::string& text);

 private:
  int descriptor_;
  std::mutex mutex_;
};

}  // namespace ligament::container
