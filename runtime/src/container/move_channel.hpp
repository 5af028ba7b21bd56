// SPDX-License-Identifier: Apache-2.0
/// \file What two containers say to each other while a node moves from one to the other:
/// spec/run/moving.md, "Protocol".
#pragma once

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace ligament::container {

/// One end of the stream between them. Any error ends the move: the sentence says why.
class MoveChannel {
 public:
  /// Takes over the descriptor. `is_asked_to_stop` ends every wait.
  MoveChannel(int descriptor, std::function<bool()> is_asked_to_stop);
  ~MoveChannel();
  MoveChannel(const MoveChannel&) = delete;
  MoveChannel& operator=(const MoveChannel&) = delete;

  /// An object; its `step` says what it is.
  [[nodiscard]] expected<void, std::string> send(const nlohmann::json& message);
  /// The next message. `no` is an error with the other's text; so is `patience_ns` without one.
  [[nodiscard]] expected<nlohmann::json, std::string> receive(std::int64_t patience_ns);
  /// The same, of this step; any other is an error.
  [[nodiscard]] expected<nlohmann::json, std::string> receive(const std::string& step,
                                                              std::int64_t patience_ns);
  /// `no`, as far as the other still listens.
  void refuse(const std::string& text);

 private:
  /// All of it, or why not.
  [[nodiscard]] expected<void, std::string> read_all(void* to, std::size_t bytes,
                                                     std::int64_t deadline_ns);

  int descriptor_;
  std::function<bool()> is_asked_to_stop_;
};

}  // namespace ligament::container
