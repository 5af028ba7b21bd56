// SPDX-License-Identifier: Apache-2.0
// Generated from every_feature_msgs/msg/AwkwardNames (every_feature_msgs/msg/AwkwardNames.msg) by template message.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/message/generated.hpp>
#include <ligament/every_feature_msgs/msg/empty.hpp>

namespace ligament::every_feature_msgs::msg {

/// every_feature_msgs/msg/AwkwardNames
struct AwkwardNames {
  std::int32_t class_{0};
  std::string namespace_{};
  std::vector<std::uint8_t> create{};
  std::uint8_t finish{0};
  std::vector<std::string> read{};
  std::int64_t value{0};
  ::ligament::every_feature_msgs::msg::Empty store{};
  std::array<float, 2> name{};
  std::uint8_t type_hash{0};
  std::uint16_t fields{0};
  std::vector<std::uint16_t> m{};

  bool operator==(const AwkwardNames&) const = default;

  using SharedPtr = std::shared_ptr<AwkwardNames>;
  using ConstSharedPtr = std::shared_ptr<const AwkwardNames>;
  using UniquePtr = std::unique_ptr<AwkwardNames>;
};

/// Lengths of the variable fields of AwkwardNames.
struct AwkwardNamesShape {
  std::size_t namespace_{};
  std::size_t create{};
  std::vector<std::size_t> read{};
  std::size_t m{};
};

/// Reads a stored AwkwardNames in place.
class AwkwardNamesView {
 public:
  static constexpr std::size_t min_size = 42;
  [[nodiscard]] static ::ligament::expected<AwkwardNamesView, ::ligament::CodecError> parse(
      std::span<const std::byte> stored) {
    return ::ligament::detail::parse_view<AwkwardNamesView>(stored);
  }

  [[nodiscard]] std::int32_t class_() const { return class__; }
  [[nodiscard]] std::string_view namespace_() const {
    return ::ligament::detail::text_of(namespace__);
  }
  [[nodiscard]] std::span<const std::uint8_t> create_() const {
    return ::ligament::detail::array_of<std::uint8_t>(create__);
  }
  [[nodiscard]] std::uint8_t finish_() const { return finish__; }
  [[nodiscard]] const ::ligament::StringSequenceView& read_() const { return read__; }
  [[nodiscard]] std::int64_t value() const { return value_; }
  [[nodiscard]] const ::ligament::every_feature_msgs::msg::EmptyView& store_() const { return store__; }
  [[nodiscard]] ::ligament::ArrayView<float> name() const {
    return ::ligament::detail::array_of<float>(name_);
  }
  [[nodiscard]] std::uint8_t type_hash() const { return type_hash_; }
  [[nodiscard]] std::uint16_t fields() const { return fields_; }
  [[nodiscard]] ::ligament::ArrayView<std::uint16_t> m() const {
    return ::ligament::detail::array_of<std::uint16_t>(m_);
  }
  /// The chosen array (m) as bytes.
  [[nodiscard]] std::span<const std::byte> chosen_bytes() const {
    return {m_.data, m_.count * sizeof(std::uint16_t)};
  }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<const std::byte>& r) {
    return r(class__) &&
           r.text(namespace__) &&
           r.template array<std::uint8_t>(create__) &&
           r(finish__) &&
           read__.read(r, ::ligament::detail::no_bound, ::ligament::detail::no_bound) &&
           r(value_) &&
           ::ligament::detail::Access::read(store__, r) &&
           r.template fixed<float>(name_, 2) &&
           r(type_hash_) &&
           r(fields_) &&
           r.template array<std::uint16_t>(m_);
  }

  std::int32_t class__{};
  ::ligament::detail::Extent<const std::byte> namespace__{};
  ::ligament::detail::Extent<const std::byte> create__{};
  std::uint8_t finish__{};
  ::ligament::StringSequenceView read__{};
  std::int64_t value_{};
  ::ligament::every_feature_msgs::msg::EmptyView store__{};
  ::ligament::detail::Extent<const std::byte> name_{};
  std::uint8_t type_hash_{};
  std::uint16_t fields_{};
  ::ligament::detail::Extent<const std::byte> m_{};
};

/// Fills a stored AwkwardNames in place.
class AwkwardNamesBuilder : public ::ligament::detail::BuilderBase {
 public:
  [[nodiscard]] static ::ligament::expected<AwkwardNamesBuilder, ::ligament::CodecError> create(
      std::span<std::byte> stored, const AwkwardNamesShape& shape);

  void set_class_(std::int32_t value) { store(class__, value); }
  void set_namespace_(std::string_view text) { store_text(namespace__, text); }
  [[nodiscard]] std::span<std::uint8_t> create_() {
    return ::ligament::detail::array_builder_of<std::uint8_t>(create__);
  }
  void set_finish(std::uint8_t value) { store(finish__, value); }
  [[nodiscard]] ::ligament::StringSequenceBuilder& read_() {
    read__.report_to(*this);
    return read__;
  }
  void set_value(std::int64_t value) { store(value_, value); }
  [[nodiscard]] ::ligament::every_feature_msgs::msg::EmptyBuilder& store_() {
    store__.report_to(*this);
    return store__;
  }
  [[nodiscard]] ::ligament::ArrayBuilder<float> name() {
    return ::ligament::detail::array_builder_of<float>(name_);
  }
  void set_type_hash(std::uint8_t value) { store(type_hash_, value); }
  void set_fields(std::uint16_t value) { store(fields_, value); }
  [[nodiscard]] ::ligament::ArrayBuilder<std::uint16_t> m() {
    return ::ligament::detail::array_builder_of<std::uint16_t>(m_);
  }
  /// The stored size, or the first mistake made with this builder.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish() { return finished(); }
  /// Shortens m to `count` elements; the stored size, or the first mistake.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish(std::size_t count) {
    shorten(m_, sizeof(std::uint16_t), count);
    return finished();
  }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<std::byte>& r) {
    return r.template fixed<std::int32_t>(class__, 1) &&
           r.text(namespace__) &&
           r.template array<std::uint8_t>(create__) &&
           r.template fixed<std::uint8_t>(finish__, 1) &&
           read__.read(r) &&
           r.template fixed<std::int64_t>(value_, 1) &&
           ::ligament::detail::Access::read(store__, r) &&
           r.template fixed<float>(name_, 2) &&
           r.template fixed<std::uint8_t>(type_hash_, 1) &&
           r.template fixed<std::uint16_t>(fields_, 1) &&
           r.template array<std::uint16_t>(m_);
  }

  ::ligament::detail::Extent<std::byte> class__{};
  ::ligament::detail::Extent<std::byte> namespace__{};
  ::ligament::detail::Extent<std::byte> create__{};
  ::ligament::detail::Extent<std::byte> finish__{};
  ::ligament::StringSequenceBuilder read__{};
  ::ligament::detail::Extent<std::byte> value_{};
  ::ligament::every_feature_msgs::msg::EmptyBuilder store__{};
  ::ligament::detail::Extent<std::byte> name_{};
  ::ligament::detail::Extent<std::byte> type_hash_{};
  ::ligament::detail::Extent<std::byte> fields_{};
  ::ligament::detail::Extent<std::byte> m_{};
};

}  // namespace ligament::every_feature_msgs::msg

template <>
struct ligament::MessageTraits<ligament::every_feature_msgs::msg::AwkwardNames>
    : detail::GeneratedTraits<ligament::every_feature_msgs::msg::AwkwardNames, ligament::every_feature_msgs::msg::AwkwardNamesShape,
                              ligament::every_feature_msgs::msg::AwkwardNamesView, ligament::every_feature_msgs::msg::AwkwardNamesBuilder> {
  static constexpr std::string_view name = "every_feature_msgs/msg/AwkwardNames";
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0x84, 0x0b, 0xf4, 0x49, 0x59, 0xee, 0x85, 0x8d,
      0xc5, 0xdc, 0x16, 0xba, 0x5e, 0x4e, 0xb8, 0xa9,
      0x7e, 0x89, 0x29, 0x73, 0x3f, 0x3a, 0x9c, 0x16,
      0xa4, 0x37, 0x57, 0xe3, 0xa9, 0x4e, 0xa9, 0xb2,
  };
  static constexpr std::size_t min_size = 42;

  template <typename A, typename M>
  static bool fields(A& a, M& m) {
    return a(m.class_) &&
           a(m.namespace_) &&
           a(m.create) &&
           a(m.finish) &&
           a(m.read) &&
           a(m.value) &&
           a(m.store) &&
           a(m.name) &&
           a(m.type_hash) &&
           a(m.fields) &&
           a.chosen(m.m);
  }
  template <typename A>
  static bool skeleton(A& a, [[maybe_unused]] const Shape& s) {
    return a(std::int32_t{0}) &&
           a.text(s.namespace_) &&
           a.template room<std::uint8_t>(s.create) &&
           a(std::uint8_t{0}) &&
           a.sequence(s.read.size()) && a.texts(s.read) &&
           a(std::int64_t{0}) &&
           a.template defaults<::ligament::every_feature_msgs::msg::Empty>(1) &&
           a.template fixed_room<float>(2) &&
           a(std::uint8_t{0}) &&
           a(std::uint16_t{0}) &&
           a.template chosen_room<std::uint16_t>(s.m);
  }
  [[nodiscard]] static Shape shape_of([[maybe_unused]] const ligament::every_feature_msgs::msg::AwkwardNames& m) {
    Shape s;
    detail::measure(s.namespace_, m.namespace_);
    detail::measure(s.create, m.create);
    detail::measure(s.read, m.read);
    detail::measure(s.m, m.m);
    return s;
  }

  static constexpr std::array<FieldEntry, 11> entries{{
      {"class", ElementKind::int32, Multiplicity::single, false, 0, 0, nullptr},
      {"namespace", ElementKind::string, Multiplicity::single, false, 0, 0, nullptr},
      {"create", ElementKind::uint8, Multiplicity::sequence, false, 0, 0, nullptr},
      {"finish", ElementKind::uint8, Multiplicity::single, false, 0, 0, nullptr},
      {"read", ElementKind::string, Multiplicity::sequence, false, 0, 0, nullptr},
      {"value", ElementKind::int64, Multiplicity::single, false, 0, 0, nullptr},
      {"store", ElementKind::message, Multiplicity::single, false, 0, 0, &MessageTraits<::ligament::every_feature_msgs::msg::Empty>::type_table},
      {"name", ElementKind::float32, Multiplicity::array, false, 2, 0, nullptr},
      {"type_hash", ElementKind::uint8, Multiplicity::single, false, 0, 0, nullptr},
      {"fields", ElementKind::uint16, Multiplicity::single, false, 0, 0, nullptr},
      {"m", ElementKind::uint16, Multiplicity::sequence, true, 0, 0, nullptr},
  }};
  static constexpr TypeTable type_table{name, type_hash, entries};
  [[nodiscard]] static const TypeTable& table() { return type_table; }
};

inline ligament::expected<ligament::every_feature_msgs::msg::AwkwardNamesBuilder, ligament::CodecError>
ligament::every_feature_msgs::msg::AwkwardNamesBuilder::create(std::span<std::byte> stored, const ligament::every_feature_msgs::msg::AwkwardNamesShape& shape) {
  return ::ligament::detail::create_builder<ligament::every_feature_msgs::msg::AwkwardNames>(stored, shape);
}
