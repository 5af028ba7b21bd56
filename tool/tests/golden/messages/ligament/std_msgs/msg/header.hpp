// SPDX-License-Identifier: Apache-2.0
// Generated from std_msgs/msg/Header (the jazzy definitions) by template message.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/message/generated.hpp>
#include <ligament/builtin_interfaces/msg/time.hpp>

namespace ligament::std_msgs::msg {

/// std_msgs/msg/Header
struct Header {
  ::ligament::builtin_interfaces::msg::Time stamp{};
  std::string frame_id{};

  bool operator==(const Header&) const = default;

  using SharedPtr = std::shared_ptr<Header>;
  using ConstSharedPtr = std::shared_ptr<const Header>;
  using UniquePtr = std::unique_ptr<Header>;
};

/// Lengths of the variable fields of Header.
struct HeaderShape {
  std::size_t frame_id{};
};

/// Reads a stored Header in place.
class HeaderView {
 public:
  static constexpr std::size_t min_size = 13;
  [[nodiscard]] static ::ligament::expected<HeaderView, ::ligament::CodecError> parse(
      std::span<const std::byte> stored) {
    return ::ligament::detail::parse_view<HeaderView>(stored);
  }

  [[nodiscard]] const ::ligament::builtin_interfaces::msg::TimeView& stamp() const { return stamp_; }
  [[nodiscard]] std::string_view frame_id() const {
    return ::ligament::detail::text_of(frame_id_);
  }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<const std::byte>& r) {
    return ::ligament::detail::Access::read(stamp_, r) &&
           r.text(frame_id_);
  }

  ::ligament::builtin_interfaces::msg::TimeView stamp_{};
  ::ligament::detail::Extent<const std::byte> frame_id_{};
};

/// Fills a stored Header in place.
class HeaderBuilder : public ::ligament::detail::BuilderBase {
 public:
  [[nodiscard]] static ::ligament::expected<HeaderBuilder, ::ligament::CodecError> create(
      std::span<std::byte> stored, const HeaderShape& shape);

  [[nodiscard]] ::ligament::builtin_interfaces::msg::TimeBuilder& stamp() {
    stamp_.report_to(*this);
    return stamp_;
  }
  void set_frame_id(std::string_view text) { store_text(frame_id_, text); }
  /// The stored size, or the first mistake made with this builder.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish() { return finished(); }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<std::byte>& r) {
    return ::ligament::detail::Access::read(stamp_, r) &&
           r.text(frame_id_);
  }

  ::ligament::builtin_interfaces::msg::TimeBuilder stamp_{};
  ::ligament::detail::Extent<std::byte> frame_id_{};
};

}  // namespace ligament::std_msgs::msg

template <>
struct ligament::MessageTraits<ligament::std_msgs::msg::Header>
    : detail::GeneratedTraits<ligament::std_msgs::msg::Header, ligament::std_msgs::msg::HeaderShape,
                              ligament::std_msgs::msg::HeaderView, ligament::std_msgs::msg::HeaderBuilder> {
  static constexpr std::string_view name = "std_msgs/msg/Header";
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0xf4, 0x9f, 0xb3, 0xae, 0x2c, 0xf0, 0x70, 0xf7,
      0x93, 0x64, 0x5f, 0xf7, 0x49, 0x68, 0x3a, 0xc6,
      0xb0, 0x62, 0x03, 0xe4, 0x1c, 0x89, 0x1e, 0x17,
      0x70, 0x1b, 0x1c, 0xb5, 0x97, 0xce, 0x6a, 0x01,
  };
  static constexpr std::size_t min_size = 13;

  template <typename A, typename M>
  static bool fields(A& a, M& m) {
    return a(m.stamp) &&
           a(m.frame_id);
  }
  template <typename A>
  static bool skeleton(A& a, [[maybe_unused]] const Shape& s) {
    return a.template defaults<::ligament::builtin_interfaces::msg::Time>(1) &&
           a.text(s.frame_id);
  }
  [[nodiscard]] static Shape shape_of([[maybe_unused]] const ligament::std_msgs::msg::Header& m) {
    Shape s;
    detail::measure(s.frame_id, m.frame_id);
    return s;
  }

  static constexpr std::array<FieldEntry, 2> entries{{
      {"stamp", ElementKind::message, Multiplicity::single, false, 0, 0, &MessageTraits<::ligament::builtin_interfaces::msg::Time>::type_table},
      {"frame_id", ElementKind::string, Multiplicity::single, false, 0, 0, nullptr},
  }};
  static constexpr TypeTable type_table{name, type_hash, entries};
  [[nodiscard]] static const TypeTable& table() { return type_table; }
};

inline ligament::expected<ligament::std_msgs::msg::HeaderBuilder, ligament::CodecError>
ligament::std_msgs::msg::HeaderBuilder::create(std::span<std::byte> stored, const ligament::std_msgs::msg::HeaderShape& shape) {
  return ::ligament::detail::create_builder<ligament::std_msgs::msg::Header>(stored, shape);
}
