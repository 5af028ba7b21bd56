// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the first byte chooses a type and an alignment, the rest is a stored message.
// All readers have to agree on whether it is one, and accepted bytes have to survive a round trip.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <every_feature.hpp>
#include <ligament/diagnostic_msgs/msg/diagnostic_array.hpp>
#include <ligament/every_feature_msgs/srv/everything.hpp>
#include <ligament/rcl_interfaces/msg/parameter_event.hpp>
#include <ligament/sensor_msgs/msg/camera_info.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/sensor_msgs/msg/multi_echo_laser_scan.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <vector>

namespace {

using namespace ligament;

void expect(bool agreed, const char* what) {
  if (!agreed) {
    std::fprintf(stderr, "readers disagree: %s\n", what);
    std::abort();
  }
}

template <typename T>
void round_trip(const T& message, std::span<const std::byte> bytes) {
  using Traits = MessageTraits<T>;
  const auto layout = Traits::layout_of(message);
  expect(layout.has_value(), "what was read can be measured");
  std::vector<std::byte> again(layout->size);
  expect(Traits::serialize(message, again) == layout->size, "what was read can be written");
  // Padding and booleans may differ from the input; sizes may not (but for transport padding).
  expect(bytes.size() - again.size() <= detail::max_trailing_bytes, "the size stays");
  const auto shape = Traits::shape_of(message);
  expect(Traits::layout(shape) == layout, "the shape has the size of the message");
  expect(Traits::Builder::create(again, shape).has_value(), "the shape can be built");
}

template <typename T>
void read_all_ways(std::span<const std::byte> bytes) {
  using Traits = MessageTraits<T>;
  T message;
  const auto read = Traits::deserialize(bytes, message);
  const auto view = Traits::View::parse(bytes);
  const auto valid = validate(Traits::table(), bytes);
  const auto printed = print(Traits::table(), bytes, 4);
  expect(read.has_value() == view.has_value(), "struct and view");
  expect(read.has_value() == valid.has_value(), "struct and table");
  expect(printed.has_value() == valid.has_value(), "printing and checking");
  if (read) {
    round_trip(message, bytes);
  }
  std::vector<std::byte> swapped(bytes.begin(), bytes.end());
  if (to_little_endian(Traits::table(), swapped)) {
    (void)validate(Traits::table(), swapped);
  }
}

using ReadFunction = void (*)(std::span<const std::byte>);
constexpr ReadFunction readers[] = {
    &read_all_ways<sensor_msgs::msg::Image>,
    &read_all_ways<sensor_msgs::msg::CameraInfo>,
    &read_all_ways<sensor_msgs::msg::PointCloud2>,
    &read_all_ways<sensor_msgs::msg::MultiEchoLaserScan>,
    &read_all_ways<diagnostic_msgs::msg::DiagnosticArray>,
    &read_all_ways<rcl_interfaces::msg::ParameterEvent>,
    &read_all_ways<every_feature_msgs::msg::Deep>,
    &read_all_ways<every_feature_msgs::srv::Everything::Request>,
    &read_all_ways<every_feature_msgs::srv::Everything::Response>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::size_t shift = data[0] / 16U % 8U;
  // The message ends where the allocation ends, so that one byte too far is seen.
  std::vector<std::byte> memory(shift + size - 1);
  std::transform(data + 1, data + size, memory.begin() + static_cast<std::ptrdiff_t>(shift),
                 [](std::uint8_t byte) { return std::byte{byte}; });
  readers[data[0] % std::size(readers)](std::span<const std::byte>(memory).subspan(shift));
  return 0;
}
