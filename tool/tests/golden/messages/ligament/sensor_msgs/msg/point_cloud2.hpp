// SPDX-License-Identifier: Apache-2.0
// Generated from sensor_msgs/msg/PointCloud2 (the jazzy definitions) by template message.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/message/generated.hpp>
#include <ligament/sensor_msgs/msg/point_field.hpp>
#include <ligament/std_msgs/msg/header.hpp>

namespace ligament::sensor_msgs::msg {

/// sensor_msgs/msg/PointCloud2
struct PointCloud2 {
  ::ligament::std_msgs::msg::Header header{};
  std::uint32_t height{0U};
  std::uint32_t width{0U};
  std::vector<::ligament::sensor_msgs::msg::PointField> fields{};
  bool is_bigendian{false};
  std::uint32_t point_step{0U};
  std::uint32_t row_step{0U};
  std::vector<std::uint8_t> data{};
  bool is_dense{false};

  bool operator==(const PointCloud2&) const = default;

  using SharedPtr = std::shared_ptr<PointCloud2>;
  using ConstSharedPtr = std::shared_ptr<const PointCloud2>;
  using UniquePtr = std::unique_ptr<PointCloud2>;
};

/// Lengths of the variable fields of PointCloud2.
struct PointCloud2Shape {
  ::ligament::std_msgs::msg::HeaderShape header{};
  std::vector<::ligament::sensor_msgs::msg::PointFieldShape> fields{};
  std::size_t data{};
};

/// Reads a stored PointCloud2 in place.
class PointCloud2View {
 public:
  static constexpr std::size_t min_size = 39;
  [[nodiscard]] static ::ligament::expected<PointCloud2View, ::ligament::CodecError> parse(
      std::span<const std::byte> stored) {
    return ::ligament::detail::parse_view<PointCloud2View>(stored);
  }

  [[nodiscard]] const ::ligament::std_msgs::msg::HeaderView& header() const { return header_; }
  [[nodiscard]] std::uint32_t height() const { return height_; }
  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] const ::ligament::MessageSequenceView<::ligament::sensor_msgs::msg::PointFieldView>& fields() const { return fields_; }
  [[nodiscard]] bool is_bigendian() const { return is_bigendian_; }
  [[nodiscard]] std::uint32_t point_step() const { return point_step_; }
  [[nodiscard]] std::uint32_t row_step() const { return row_step_; }
  [[nodiscard]] std::span<const std::uint8_t> data() const {
    return ::ligament::detail::array_of<std::uint8_t>(data_);
  }
  [[nodiscard]] bool is_dense() const { return is_dense_; }
  /// The chosen array (data) as bytes.
  [[nodiscard]] std::span<const std::byte> chosen_bytes() const {
    return {data_.data, data_.count * sizeof(std::uint8_t)};
  }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<const std::byte>& r) {
    return ::ligament::detail::Access::read(header_, r) &&
           r(height_) &&
           r(width_) &&
           fields_.read(r, ::ligament::detail::no_bound, ::ligament::detail::no_bound) &&
           r(is_bigendian_) &&
           r(point_step_) &&
           r(row_step_) &&
           r.template array<std::uint8_t>(data_) &&
           r(is_dense_);
  }

  ::ligament::std_msgs::msg::HeaderView header_{};
  std::uint32_t height_{};
  std::uint32_t width_{};
  ::ligament::MessageSequenceView<::ligament::sensor_msgs::msg::PointFieldView> fields_{};
  bool is_bigendian_{};
  std::uint32_t point_step_{};
  std::uint32_t row_step_{};
  ::ligament::detail::Extent<const std::byte> data_{};
  bool is_dense_{};
};

/// Fills a stored PointCloud2 in place.
class PointCloud2Builder : public ::ligament::detail::BuilderBase {
 public:
  [[nodiscard]] static ::ligament::expected<PointCloud2Builder, ::ligament::CodecError> create(
      std::span<std::byte> stored, const PointCloud2Shape& shape);

  [[nodiscard]] ::ligament::std_msgs::msg::HeaderBuilder& header() {
    header_.report_to(*this);
    return header_;
  }
  void set_height(std::uint32_t value) { store(height_, value); }
  void set_width(std::uint32_t value) { store(width_, value); }
  [[nodiscard]] ::ligament::SequenceBuilder<::ligament::sensor_msgs::msg::PointFieldBuilder>& fields() {
    fields_.report_to(*this);
    return fields_;
  }
  void set_is_bigendian(bool value) { store(is_bigendian_, value); }
  void set_point_step(std::uint32_t value) { store(point_step_, value); }
  void set_row_step(std::uint32_t value) { store(row_step_, value); }
  [[nodiscard]] std::span<std::uint8_t> data() {
    return ::ligament::detail::array_builder_of<std::uint8_t>(data_);
  }
  void set_is_dense(bool value) { store(is_dense_, value); }
  /// The stored size, or the first mistake made with this builder.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish() { return finished(); }
  /// Shortens data to `count` elements; the stored size, or the first mistake.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish(std::size_t count) {
    if (shorten(data_, sizeof(std::uint8_t), count)) {
      relocate(is_dense_, sizeof(bool));
    }
    return finished();
  }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<std::byte>& r) {
    return ::ligament::detail::Access::read(header_, r) &&
           r.template fixed<std::uint32_t>(height_, 1) &&
           r.template fixed<std::uint32_t>(width_, 1) &&
           fields_.read(r) &&
           r.template fixed<bool>(is_bigendian_, 1) &&
           r.template fixed<std::uint32_t>(point_step_, 1) &&
           r.template fixed<std::uint32_t>(row_step_, 1) &&
           r.template array<std::uint8_t>(data_) &&
           r.template fixed<bool>(is_dense_, 1);
  }

  ::ligament::std_msgs::msg::HeaderBuilder header_{};
  ::ligament::detail::Extent<std::byte> height_{};
  ::ligament::detail::Extent<std::byte> width_{};
  ::ligament::SequenceBuilder<::ligament::sensor_msgs::msg::PointFieldBuilder> fields_{};
  ::ligament::detail::Extent<std::byte> is_bigendian_{};
  ::ligament::detail::Extent<std::byte> point_step_{};
  ::ligament::detail::Extent<std::byte> row_step_{};
  ::ligament::detail::Extent<std::byte> data_{};
  ::ligament::detail::Extent<std::byte> is_dense_{};
};

}  // namespace ligament::sensor_msgs::msg

template <>
struct ligament::MessageTraits<ligament::sensor_msgs::msg::PointCloud2>
    : detail::GeneratedTraits<ligament::sensor_msgs::msg::PointCloud2, ligament::sensor_msgs::msg::PointCloud2Shape,
                              ligament::sensor_msgs::msg::PointCloud2View, ligament::sensor_msgs::msg::PointCloud2Builder> {
  static constexpr std::string_view name = "sensor_msgs/msg/PointCloud2";
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0x91, 0x98, 0xca, 0xbf, 0x7d, 0xa3, 0x79, 0x6a,
      0xe6, 0xfe, 0x19, 0xc4, 0xcb, 0x3b, 0xdd, 0x35,
      0x25, 0x49, 0x29, 0x88, 0xc7, 0x05, 0x22, 0x62,
      0x8a, 0xf5, 0xda, 0xa1, 0x24, 0xba, 0xe2, 0xb5,
  };
  static constexpr std::size_t min_size = 39;

  template <typename A, typename M>
  static bool fields(A& a, M& m) {
    return a(m.header) &&
           a(m.height) &&
           a(m.width) &&
           a(m.fields) &&
           a(m.is_bigendian) &&
           a(m.point_step) &&
           a(m.row_step) &&
           a.chosen(m.data) &&
           a(m.is_dense);
  }
  template <typename A>
  static bool skeleton(A& a, [[maybe_unused]] const Shape& s) {
    return a.template nested<::ligament::std_msgs::msg::Header>(s.header) &&
           a(std::uint32_t{0U}) &&
           a(std::uint32_t{0U}) &&
           a.sequence(s.fields.size()) && a.template nested_all<::ligament::sensor_msgs::msg::PointField>(s.fields) &&
           a(bool{false}) &&
           a(std::uint32_t{0U}) &&
           a(std::uint32_t{0U}) &&
           a.template chosen_room<std::uint8_t>(s.data) &&
           a(bool{false});
  }
  [[nodiscard]] static Shape shape_of([[maybe_unused]] const ligament::sensor_msgs::msg::PointCloud2& m) {
    Shape s;
    detail::measure(s.header, m.header);
    detail::measure(s.fields, m.fields);
    detail::measure(s.data, m.data);
    return s;
  }

  static constexpr std::array<FieldEntry, 9> entries{{
      {"header", ElementKind::message, Multiplicity::single, false, 0, 0, &MessageTraits<::ligament::std_msgs::msg::Header>::type_table},
      {"height", ElementKind::uint32, Multiplicity::single, false, 0, 0, nullptr},
      {"width", ElementKind::uint32, Multiplicity::single, false, 0, 0, nullptr},
      {"fields", ElementKind::message, Multiplicity::sequence, false, 0, 0, &MessageTraits<::ligament::sensor_msgs::msg::PointField>::type_table},
      {"is_bigendian", ElementKind::boolean, Multiplicity::single, false, 0, 0, nullptr},
      {"point_step", ElementKind::uint32, Multiplicity::single, false, 0, 0, nullptr},
      {"row_step", ElementKind::uint32, Multiplicity::single, false, 0, 0, nullptr},
      {"data", ElementKind::uint8, Multiplicity::sequence, true, 0, 0, nullptr},
      {"is_dense", ElementKind::boolean, Multiplicity::single, false, 0, 0, nullptr},
  }};
  static constexpr TypeTable type_table{name, type_hash, entries};
  [[nodiscard]] static const TypeTable& table() { return type_table; }
};

inline ligament::expected<ligament::sensor_msgs::msg::PointCloud2Builder, ligament::CodecError>
ligament::sensor_msgs::msg::PointCloud2Builder::create(std::span<std::byte> stored, const ligament::sensor_msgs::msg::PointCloud2Shape& shape) {
  return ::ligament::detail::create_builder<ligament::sensor_msgs::msg::PointCloud2>(stored, shape);
}
