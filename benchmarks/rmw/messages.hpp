// SPDX-License-Identifier: Apache-2.0
/// \file The measured messages: a string where they are small, else an image. Each says when it
/// was sent and which it is.
#pragma once

#include <rosidl_runtime_c/message_type_support_struct.h>
#include <sensor_msgs/msg/image.h>
#include <std_msgs/msg/string.h>

#include <cstdint>
#include <string>

namespace bench {

/// What a message says of itself.
struct Stamp {
  std::int64_t sent_ns = 0;
  std::int64_t number = 0;
};

/// At least this many bytes hold a stamp as text.
inline constexpr std::int64_t least_text = 32;
[[nodiscard]] std::string text_of(const Stamp& stamp, std::int64_t bytes);
/// False: it is no such text, or not of that size.
[[nodiscard]] bool read_text(const char* text, std::int64_t size, std::int64_t bytes, Stamp& stamp);

class Message {
 public:
  explicit Message(std::int64_t bytes);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  [[nodiscard]] const rosidl_message_type_support_t* type() const;
  [[nodiscard]] void* get();
  /// Room for its bytes, for who publishes.
  void make_room();
  void write(const Stamp& stamp);
  /// False: what was taken is not what was sent.
  [[nodiscard]] bool read(Stamp& stamp) const;

 private:
  const std::int64_t bytes_;
  const bool is_image_;
  sensor_msgs__msg__Image image_{};
  std_msgs__msg__String string_{};
};

}  // namespace bench
