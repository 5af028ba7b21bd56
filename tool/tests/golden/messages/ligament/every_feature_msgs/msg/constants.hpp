// SPDX-License-Identifier: Apache-2.0
// Generated from every_feature_msgs/msg/Constants (every_feature_msgs/msg/Constants.msg) by template message.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/message/generated.hpp>

namespace ligament::every_feature_msgs::msg {

/// every_feature_msgs/msg/Constants
struct Constants {
  static constexpr bool YES = true;
  static constexpr std::uint8_t A_BYTE = 7;
  static constexpr std::uint8_t LETTER = 90;
  static constexpr std::int8_t LOWEST = -128;
  static constexpr std::uint64_t HIGHEST = 18446744073709551615U;
  static constexpr std::int64_t LEAST = std::numeric_limits<std::int64_t>::min();
  static constexpr float HALF = 0.5F;
  static constexpr double TINY = -1e-300;
  static constexpr std::string_view PLAIN = "plain text";
  static constexpr std::string_view QUOTED = "with # and \042 inside";
  static constexpr std::string_view SINGLE = "it is \042quoted\042";
  static constexpr std::u16string_view WIDE = u"\x0067" u"\x0072" u"\x00fc" u"\x00df" u"\x0065";

  std::uint8_t structure_needs_at_least_one_member{0};

  bool operator==(const Constants&) const = default;

  using SharedPtr = std::shared_ptr<Constants>;
  using ConstSharedPtr = std::shared_ptr<const Constants>;
  using UniquePtr = std::unique_ptr<Constants>;
};

/// Lengths of the variable fields of Constants.
struct ConstantsShape {
};

/// Reads a stored Constants in place.
class ConstantsView {
 public:
  static constexpr std::size_t min_size = 1;
  [[nodiscard]] static ::ligament::expected<ConstantsView, ::ligament::CodecError> parse(
      std::span<const std::byte> stored) {
    return ::ligament::detail::parse_view<ConstantsView>(stored);
  }

  [[nodiscard]] std::uint8_t structure_needs_at_least_one_member() const { return structure_needs_at_least_one_member_; }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<const std::byte>& r) {
    return r(structure_needs_at_least_one_member_);
  }

  std::uint8_t structure_needs_at_least_one_member_{};
};

/// Fills a stored Constants in place.
class ConstantsBuilder : public ::ligament::detail::BuilderBase {
 public:
  [[nodiscard]] static ::ligament::expected<ConstantsBuilder, ::ligament::CodecError> create(
      std::span<std::byte> stored, const ConstantsShape& shape);

  void set_structure_needs_at_least_one_member(std::uint8_t value) { store(structure_needs_at_least_one_member_, value); }
  /// The stored size, or the first mistake made with this builder.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish() { return finished(); }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<std::byte>& r) {
    return r.template fixed<std::uint8_t>(structure_needs_at_least_one_member_, 1);
  }

  ::ligament::detail::Extent<std::byte> structure_needs_at_least_one_member_{};
};

}  // namespace ligament::every_feature_msgs::msg

template <>
struct ligament::MessageTraits<ligament::every_feature_msgs::msg::Constants>
    : detail::GeneratedTraits<ligament::every_feature_msgs::msg::Constants, ligament::every_feature_msgs::msg::ConstantsShape,
                              ligament::every_feature_msgs::msg::ConstantsView, ligament::every_feature_msgs::msg::ConstantsBuilder> {
  static constexpr std::string_view name = "every_feature_msgs/msg/Constants";
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0x13, 0x39, 0xc2, 0xd8, 0x10, 0xf8, 0x49, 0x20,
      0xfe, 0xaf, 0x9a, 0x01, 0x15, 0xfa, 0xd6, 0x13,
      0xf0, 0x98, 0xc2, 0xc9, 0x67, 0xf3, 0x84, 0xd6,
      0x5e, 0x0b, 0x6a, 0x56, 0x4c, 0x7a, 0xb4, 0x4a,
  };
  static constexpr std::size_t min_size = 1;

  template <typename A, typename M>
  static bool fields(A& a, M& m) {
    return a(m.structure_needs_at_least_one_member);
  }
  template <typename A>
  static bool skeleton(A& a, [[maybe_unused]] const Shape& s) {
    return a(std::uint8_t{0});
  }
  [[nodiscard]] static Shape shape_of([[maybe_unused]] const ligament::every_feature_msgs::msg::Constants& m) {
    Shape s;
    return s;
  }

  static constexpr std::array<FieldEntry, 1> entries{{
      {"structure_needs_at_least_one_member", ElementKind::uint8, Multiplicity::single, false, 0, 0, nullptr},
  }};
  static constexpr TypeTable type_table{name, type_hash, entries};
  [[nodiscard]] static const TypeTable& table() { return type_table; }
};

inline ligament::expected<ligament::every_feature_msgs::msg::ConstantsBuilder, ligament::CodecError>
ligament::every_feature_msgs::msg::ConstantsBuilder::create(std::span<std::byte> stored, const ligament::every_feature_msgs::msg::ConstantsShape& shape) {
  return ::ligament::detail::create_builder<ligament::every_feature_msgs::msg::Constants>(stored, shape);
}
