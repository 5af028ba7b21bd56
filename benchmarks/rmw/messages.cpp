// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "rcl_node.hpp"

namespace bench {

namespace {

constexpr std::int64_t largest_string = 4096;
constexpr std::int64_t second = 1'000'000'000;

}  // namespace

std::string text_of(const Stamp& stamp, std::int64_t bytes) {
  char head[least_text + 1];
  std::snprintf(head, sizeof head, "%020" PRId64 " %010" PRId64 " ", stamp.sent_ns, stamp.number);
  std::string text(head);
  text.resize(static_cast<std::size_t>(bytes), '.');
  return text;
}

bool read_text(const char* text, std::int64_t size, std::int64_t bytes, Stamp& stamp) {
  return size == bytes && text[size] == 0 &&
         std::sscanf(text, "%" SCNd64 " %" SCNd64, &stamp.sent_ns, &stamp.number) == 2;
}

Message::Message(std::int64_t bytes) : bytes_(bytes), is_image_(bytes > largest_string) {
  if (bytes < least_text) {
    give_up("a message needs " + std::to_string(least_text) + " bytes for its stamp");
  }
  if (!sensor_msgs__msg__Image__init(&image_) || !std_msgs__msg__String__init(&string_)) {
    give_up("no memory for a message");
  }
}

Message::~Message() {
  sensor_msgs__msg__Image__fini(&image_);
  std_msgs__msg__String__fini(&string_);
}

const rosidl_message_type_support_t* Message::type() const {
  return is_image_ ? ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, Image)
                   : ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String);
}

void* Message::get() { return is_image_ ? static_cast<void*>(&image_) : &string_; }

void Message::make_room() {
  if (!is_image_) {
    return;
  }
  rosidl_runtime_c__uint8__Sequence__fini(&image_.data);
  if (!rosidl_runtime_c__uint8__Sequence__init(&image_.data, static_cast<std::size_t>(bytes_)) ||
      !rosidl_runtime_c__String__assign(&image_.header.frame_id, "camera") ||
      !rosidl_runtime_c__String__assign(&image_.encoding, "mono8")) {
    give_up("no memory for a message");
  }
  // Pages that were never written are all one page of zeros, whose copies would be cheap.
  std::memset(image_.data.data, 0x5a, image_.data.size);
}

void Message::write(const Stamp& stamp) {
  if (!is_image_) {
    const std::string text = text_of(stamp, bytes_);
    if (!rosidl_runtime_c__String__assignn(&string_.data, text.data(), text.size())) {
      give_up("no memory for a message");
    }
    return;
  }
  image_.header.stamp.sec = static_cast<std::int32_t>(stamp.sent_ns / second);
  image_.header.stamp.nanosec = static_cast<std::uint32_t>(stamp.sent_ns % second);
  image_.height = static_cast<std::uint32_t>(stamp.number);
  image_.width = image_.step = static_cast<std::uint32_t>(bytes_);
  image_.data.data[0] = image_.data.data[bytes_ - 1] = static_cast<std::uint8_t>(stamp.number);
}

bool Message::read(Stamp& stamp) const {
  if (!is_image_) {
    return read_text(string_.data.data, static_cast<std::int64_t>(string_.data.size), bytes_,
                     stamp);
  }
  if (image_.data.size != static_cast<std::size_t>(bytes_)) {
    return false;
  }
  stamp.sent_ns = image_.header.stamp.sec * second + image_.header.stamp.nanosec;
  stamp.number = image_.height;
  const auto mark = static_cast<std::uint8_t>(stamp.number);
  return image_.data.data[0] == mark && image_.data.data[bytes_ - 1] == mark;
}

}  // namespace bench
