// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <memory>
#include <numeric>

namespace bench {
namespace {

using ligament::MessageTraits;
using ligament::sensor_msgs::msg::Image;
using ligament::sensor_msgs::msg::PointCloud2;

/// Wrong bytes would make every number here worthless.
void require(bool good, const char* what) {
  if (!good) {
    std::fprintf(stderr, "ligament-bench-messages: %s failed\n", what);
    std::abort();
  }
}

/// Memory whose byte at `offset` lies at a multiple of 128, as in a block of the pool.
class Block {
 public:
  Block(std::size_t size, std::size_t offset) : memory_(size + 256), size_(size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = ligament::detail::align_up(begin + offset, 128) - offset - begin;
  }
  std::span<std::byte> bytes() { return {memory_.data() + begin_, size_}; }

 private:
  std::vector<std::byte> memory_;
  std::size_t begin_ = 0;
  std::size_t size_;
};

/// The three big buffers of a case: a message, its stored form, and a second stored form.
template <typename T>
struct Buffers {
  explicit Buffers(T source)
      : message(std::move(source)),
        copy(message),
        shape(MessageTraits<T>::shape_of(message)),
        layout(*MessageTraits<T>::layout(shape)),
        stored(layout.size, layout.chosen_offset),
        target(layout.size, layout.chosen_offset) {
    require(MessageTraits<T>::serialize(message, stored.bytes()).has_value(), "serialize");
  }
  T message;
  T copy;
  typename MessageTraits<T>::Shape shape;
  ligament::Layout layout;
  Block stored;
  Block target;
  std::uint64_t sink = 0;  // what views read goes here, so that it is read
};

void fill(ligament::sensor_msgs::msg::ImageBuilder& builder, const Image& image) {
  builder.header().stamp().set_sec(image.header.stamp.sec);
  builder.header().stamp().set_nanosec(image.header.stamp.nanosec);
  builder.header().set_frame_id(image.header.frame_id);
  builder.set_height(image.height);
  builder.set_width(image.width);
  builder.set_encoding(image.encoding);
  builder.set_is_bigendian(image.is_bigendian);
  builder.set_step(image.step);
  std::memcpy(builder.data().data(), image.data.data(), image.data.size());
}

void fill(ligament::sensor_msgs::msg::PointCloud2Builder& builder, const PointCloud2& cloud) {
  builder.header().stamp().set_sec(cloud.header.stamp.sec);
  builder.header().set_frame_id(cloud.header.frame_id);
  builder.set_height(cloud.height);
  builder.set_width(cloud.width);
  for (const auto& field : cloud.fields) {
    auto& place = builder.fields().next();
    place.set_name(field.name);
    place.set_offset(field.offset);
    place.set_datatype(field.datatype);
    place.set_count(field.count);
  }
  builder.set_point_step(cloud.point_step);
  builder.set_row_step(cloud.row_step);
  builder.set_is_dense(cloud.is_dense);
  std::memcpy(builder.data().data(), cloud.data.data(), cloud.data.size());
}

std::uint64_t read(const ligament::sensor_msgs::msg::ImageView& view, std::span<std::byte> out) {
  std::memcpy(out.data(), view.data().data(), view.data().size());
  return static_cast<std::uint64_t>(view.header().stamp().sec()) + view.height() + view.width() +
         view.step() + view.encoding().size() + view.header().frame_id().size();
}

std::uint64_t read(const ligament::sensor_msgs::msg::PointCloud2View& view,
                   std::span<std::byte> out) {
  std::memcpy(out.data(), view.data().data(), view.data().size());
  std::uint64_t sum = view.height() + view.width() + view.point_step() + view.row_step();
  for (const auto& field : view.fields()) {
    sum += field.offset() + field.name().size() + field.count();
  }
  return sum;
}

template <typename T>
Case make_case(nlohmann::ordered_json params, T source) {
  using Traits = MessageTraits<T>;
  auto buffers = std::make_shared<Buffers<T>>(std::move(source));
  params["bytes"] = buffers->layout.size;
  const std::size_t array = buffers->layout.chosen_offset;
  const std::size_t count = buffers->message.data.size();
  std::byte* stored = buffers->stored.bytes().data() + array;
  std::byte* target = buffers->target.bytes().data() + array;
  void* message = buffers->message.data.data();
  void* copy = buffers->copy.data.data();
  Case result{std::move(params), {}};
  result.operations.push_back({"view",
                               [buffers, array] {
                                 const auto view = Traits::View::parse(buffers->stored.bytes());
                                 require(view.has_value(), "parse");
                                 buffers->sink +=
                                     read(*view, buffers->target.bytes().subspan(array));
                               },
                               [=] { std::memcpy(target, stored, count); }});
  result.operations.push_back({"builder",
                               [buffers] {
                                 auto builder = Traits::Builder::create(buffers->target.bytes(),
                                                                        buffers->shape);
                                 require(builder.has_value(), "create");
                                 fill(*builder, buffers->message);
                                 require(builder->finish().has_value(), "finish");
                               },
                               [=] { std::memcpy(target, message, count); }});
  result.operations.push_back({"serialize",
                               [buffers] {
                                 const auto size =
                                     Traits::serialize(buffers->message, buffers->target.bytes());
                                 require(size.has_value(), "serialize");
                               },
                               [=] { std::memcpy(target, message, count); }});
  result.operations.push_back({"deserialize",
                               [buffers] {
                                 const auto done =
                                     Traits::deserialize(buffers->stored.bytes(), buffers->copy);
                                 require(done.has_value(), "deserialize");
                               },
                               [=] { std::memcpy(copy, stored, count); }});
  return result;
}

Image image_of(std::uint32_t width, std::uint32_t height) {
  Image image;
  image.header.stamp.sec = 1;
  image.header.frame_id = "camera_optical_frame";
  image.width = width;
  image.height = height;
  image.encoding = "rgb8";
  image.step = 3 * width;
  image.data.resize(std::size_t{image.step} * height);
  std::iota(image.data.begin(), image.data.end(), std::uint8_t{0});
  return image;
}

PointCloud2 cloud_of(std::uint32_t points) {
  PointCloud2 cloud;
  cloud.header.frame_id = "lidar";
  cloud.height = 1;
  cloud.width = points;
  cloud.point_step = 16;
  cloud.row_step = 16 * points;
  for (const char* name : {"x", "y", "z", "intensity"}) {
    cloud.fields.emplace_back();
    cloud.fields.back().name = name;
    cloud.fields.back().offset = static_cast<std::uint32_t>(4 * (cloud.fields.size() - 1));
    cloud.fields.back().datatype = 7;
    cloud.fields.back().count = 1;
  }
  cloud.data.resize(cloud.row_step);
  std::iota(cloud.data.begin(), cloud.data.end(), std::uint8_t{0});
  return cloud;
}

}  // namespace

std::vector<Case> all_cases() {
  return {
      make_case({{"message", "sensor_msgs/msg/Image"}, {"width", 640}, {"height", 480}},
                image_of(640, 480)),
      make_case({{"message", "sensor_msgs/msg/Image"}, {"width", 1920}, {"height", 1080}},
                image_of(1920, 1080)),
      make_case({{"message", "sensor_msgs/msg/PointCloud2"}, {"points", 100000}}, cloud_of(100000)),
  };
}

}  // namespace bench
