// SPDX-License-Identifier: Apache-2.0
// Generated from every_feature_msgs/msg/Texts (every_feature_msgs/msg/Texts.msg) by template message.hpp.j2, ligament 0.1.0. Do not edit.
#pragma once

#include <ligament/message/generated.hpp>

namespace ligament::every_feature_msgs::msg {

/// every_feature_msgs/msg/Texts
struct Texts {
  std::string text{"a default"};
  std::string short_text{};
  std::u16string wide_text{u"weit"};
  std::u16string short_wide_text{};
  std::array<std::string, 2> text_pair{std::string("one"), std::string("two, and \042more\042")};
  std::array<std::string, 2> short_pair{};
  std::vector<std::string> texts{std::string("a"), std::string("b")};
  std::vector<std::string> few_texts{};
  std::vector<std::string> few_short_texts{};
  std::array<std::u16string, 2> wide_pair{};
  std::vector<std::u16string> wide_texts{};
  std::vector<std::u16string> few_short_wide_texts{};

  bool operator==(const Texts&) const = default;

  using SharedPtr = std::shared_ptr<Texts>;
  using ConstSharedPtr = std::shared_ptr<const Texts>;
  using UniquePtr = std::unique_ptr<Texts>;
};

/// Lengths of the variable fields of Texts.
struct TextsShape {
  std::size_t text{};
  std::size_t short_text{};
  std::size_t wide_text{};
  std::size_t short_wide_text{};
  std::array<std::size_t, 2> text_pair{};
  std::array<std::size_t, 2> short_pair{};
  std::vector<std::size_t> texts{};
  std::vector<std::size_t> few_texts{};
  std::vector<std::size_t> few_short_texts{};
  std::array<std::size_t, 2> wide_pair{};
  std::vector<std::size_t> wide_texts{};
  std::vector<std::size_t> few_short_wide_texts{};
};

/// Reads a stored Texts in place.
class TextsView {
 public:
  static constexpr std::size_t min_size = 66;
  [[nodiscard]] static ::ligament::expected<TextsView, ::ligament::CodecError> parse(
      std::span<const std::byte> stored) {
    return ::ligament::detail::parse_view<TextsView>(stored);
  }

  [[nodiscard]] std::string_view text() const {
    return ::ligament::detail::text_of(text_);
  }
  [[nodiscard]] std::string_view short_text() const {
    return ::ligament::detail::text_of(short_text_);
  }
  [[nodiscard]] std::u16string wide_text() const {
    return ::ligament::detail::wide_text_of(wide_text_);
  }
  [[nodiscard]] std::u16string short_wide_text() const {
    return ::ligament::detail::wide_text_of(short_wide_text_);
  }
  [[nodiscard]] const ::ligament::StringSequenceView& text_pair() const { return text_pair_; }
  [[nodiscard]] const ::ligament::StringSequenceView& short_pair() const { return short_pair_; }
  [[nodiscard]] const ::ligament::StringSequenceView& texts() const { return texts_; }
  [[nodiscard]] const ::ligament::StringSequenceView& few_texts() const { return few_texts_; }
  [[nodiscard]] const ::ligament::StringSequenceView& few_short_texts() const { return few_short_texts_; }
  [[nodiscard]] const ::ligament::WideStringSequenceView& wide_pair() const { return wide_pair_; }
  [[nodiscard]] const ::ligament::WideStringSequenceView& wide_texts() const { return wide_texts_; }
  [[nodiscard]] const ::ligament::WideStringSequenceView& few_short_wide_texts() const { return few_short_wide_texts_; }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<const std::byte>& r) {
    return r.text(text_) &&
           r.text(short_text_, {.text = 5}) &&
           r.wide_text(wide_text_) &&
           r.wide_text(short_wide_text_, {.text = 3}) &&
           text_pair_.read_array(r, 2, ::ligament::detail::no_bound) &&
           short_pair_.read_array(r, 2, 4) &&
           texts_.read(r, ::ligament::detail::no_bound, ::ligament::detail::no_bound) &&
           few_texts_.read(r, 3, ::ligament::detail::no_bound) &&
           few_short_texts_.read(r, 2, 6) &&
           wide_pair_.read_array(r, 2, ::ligament::detail::no_bound) &&
           wide_texts_.read(r, ::ligament::detail::no_bound, ::ligament::detail::no_bound) &&
           few_short_wide_texts_.read(r, 3, 2);
  }

  ::ligament::detail::Extent<const std::byte> text_{};
  ::ligament::detail::Extent<const std::byte> short_text_{};
  ::ligament::detail::Extent<const std::byte> wide_text_{};
  ::ligament::detail::Extent<const std::byte> short_wide_text_{};
  ::ligament::StringSequenceView text_pair_{};
  ::ligament::StringSequenceView short_pair_{};
  ::ligament::StringSequenceView texts_{};
  ::ligament::StringSequenceView few_texts_{};
  ::ligament::StringSequenceView few_short_texts_{};
  ::ligament::WideStringSequenceView wide_pair_{};
  ::ligament::WideStringSequenceView wide_texts_{};
  ::ligament::WideStringSequenceView few_short_wide_texts_{};
};

/// Fills a stored Texts in place.
class TextsBuilder : public ::ligament::detail::BuilderBase {
 public:
  [[nodiscard]] static ::ligament::expected<TextsBuilder, ::ligament::CodecError> create(
      std::span<std::byte> stored, const TextsShape& shape);

  void set_text(std::string_view text) { store_text(text_, text); }
  void set_short_text(std::string_view text) { store_text(short_text_, text); }
  void set_wide_text(std::u16string_view text) { store_text(wide_text_, text); }
  void set_short_wide_text(std::u16string_view text) { store_text(short_wide_text_, text); }
  [[nodiscard]] ::ligament::StringSequenceBuilder& text_pair() {
    text_pair_.report_to(*this);
    return text_pair_;
  }
  [[nodiscard]] ::ligament::StringSequenceBuilder& short_pair() {
    short_pair_.report_to(*this);
    return short_pair_;
  }
  [[nodiscard]] ::ligament::StringSequenceBuilder& texts() {
    texts_.report_to(*this);
    return texts_;
  }
  [[nodiscard]] ::ligament::StringSequenceBuilder& few_texts() {
    few_texts_.report_to(*this);
    return few_texts_;
  }
  [[nodiscard]] ::ligament::StringSequenceBuilder& few_short_texts() {
    few_short_texts_.report_to(*this);
    return few_short_texts_;
  }
  [[nodiscard]] ::ligament::WideStringSequenceBuilder& wide_pair() {
    wide_pair_.report_to(*this);
    return wide_pair_;
  }
  [[nodiscard]] ::ligament::WideStringSequenceBuilder& wide_texts() {
    wide_texts_.report_to(*this);
    return wide_texts_;
  }
  [[nodiscard]] ::ligament::WideStringSequenceBuilder& few_short_wide_texts() {
    few_short_wide_texts_.report_to(*this);
    return few_short_wide_texts_;
  }
  /// The stored size, or the first mistake made with this builder.
  [[nodiscard]] ::ligament::expected<std::size_t, ::ligament::CodecError> finish() { return finished(); }

 private:
  friend ::ligament::detail::Access;
  bool read(::ligament::detail::Reader<std::byte>& r) {
    return r.text(text_) &&
           r.text(short_text_) &&
           r.wide_text(wide_text_) &&
           r.wide_text(short_wide_text_) &&
           text_pair_.read_array(r, 2) &&
           short_pair_.read_array(r, 2) &&
           texts_.read(r) &&
           few_texts_.read(r) &&
           few_short_texts_.read(r) &&
           wide_pair_.read_array(r, 2) &&
           wide_texts_.read(r) &&
           few_short_wide_texts_.read(r);
  }

  ::ligament::detail::Extent<std::byte> text_{};
  ::ligament::detail::Extent<std::byte> short_text_{};
  ::ligament::detail::Extent<std::byte> wide_text_{};
  ::ligament::detail::Extent<std::byte> short_wide_text_{};
  ::ligament::StringSequenceBuilder text_pair_{};
  ::ligament::StringSequenceBuilder short_pair_{};
  ::ligament::StringSequenceBuilder texts_{};
  ::ligament::StringSequenceBuilder few_texts_{};
  ::ligament::StringSequenceBuilder few_short_texts_{};
  ::ligament::WideStringSequenceBuilder wide_pair_{};
  ::ligament::WideStringSequenceBuilder wide_texts_{};
  ::ligament::WideStringSequenceBuilder few_short_wide_texts_{};
};

}  // namespace ligament::every_feature_msgs::msg

template <>
struct ligament::MessageTraits<ligament::every_feature_msgs::msg::Texts>
    : detail::GeneratedTraits<ligament::every_feature_msgs::msg::Texts, ligament::every_feature_msgs::msg::TextsShape,
                              ligament::every_feature_msgs::msg::TextsView, ligament::every_feature_msgs::msg::TextsBuilder> {
  static constexpr std::string_view name = "every_feature_msgs/msg/Texts";
  static constexpr std::array<std::uint8_t, 32> type_hash{
      0x2f, 0xfd, 0x65, 0x1b, 0x8b, 0xbe, 0x78, 0x29,
      0xba, 0xb6, 0x34, 0x0a, 0x96, 0xdd, 0xa3, 0x59,
      0x1a, 0x50, 0x49, 0xc1, 0x72, 0x3c, 0xe9, 0x2e,
      0x3f, 0x88, 0x1f, 0x18, 0x5f, 0xce, 0xcf, 0x54,
  };
  static constexpr std::size_t min_size = 66;

  template <typename A, typename M>
  static bool fields(A& a, M& m) {
    return a(m.text) &&
           a(m.short_text, {.text = 5}) &&
           a(m.wide_text) &&
           a(m.short_wide_text, {.text = 3}) &&
           a(m.text_pair) &&
           a(m.short_pair, {.text = 4}) &&
           a(m.texts) &&
           a(m.few_texts, {.count = 3}) &&
           a(m.few_short_texts, {.count = 2, .text = 6}) &&
           a(m.wide_pair) &&
           a(m.wide_texts) &&
           a(m.few_short_wide_texts, {.count = 3, .text = 2});
  }
  template <typename A>
  static bool skeleton(A& a, [[maybe_unused]] const Shape& s) {
    return a.text(s.text) &&
           a.text(s.short_text, {.text = 5}) &&
           a.wide_text(s.wide_text) &&
           a.wide_text(s.short_wide_text, {.text = 3}) &&
           a.texts(s.text_pair) &&
           a.texts(s.short_pair, {.text = 4}) &&
           a.sequence(s.texts.size()) && a.texts(s.texts) &&
           a.sequence(s.few_texts.size(), {.count = 3}) && a.texts(s.few_texts, {.count = 3}) &&
           a.sequence(s.few_short_texts.size(), {.count = 2, .text = 6}) && a.texts(s.few_short_texts, {.count = 2, .text = 6}) &&
           a.wide_texts(s.wide_pair) &&
           a.sequence(s.wide_texts.size()) && a.wide_texts(s.wide_texts) &&
           a.sequence(s.few_short_wide_texts.size(), {.count = 3, .text = 2}) && a.wide_texts(s.few_short_wide_texts, {.count = 3, .text = 2});
  }
  [[nodiscard]] static Shape shape_of([[maybe_unused]] const ligament::every_feature_msgs::msg::Texts& m) {
    Shape s;
    detail::measure(s.text, m.text);
    detail::measure(s.short_text, m.short_text);
    detail::measure(s.wide_text, m.wide_text);
    detail::measure(s.short_wide_text, m.short_wide_text);
    detail::measure(s.text_pair, m.text_pair);
    detail::measure(s.short_pair, m.short_pair);
    detail::measure(s.texts, m.texts);
    detail::measure(s.few_texts, m.few_texts);
    detail::measure(s.few_short_texts, m.few_short_texts);
    detail::measure(s.wide_pair, m.wide_pair);
    detail::measure(s.wide_texts, m.wide_texts);
    detail::measure(s.few_short_wide_texts, m.few_short_wide_texts);
    return s;
  }

  static constexpr std::array<FieldEntry, 12> entries{{
      {"text", ElementKind::string, Multiplicity::single, false, 0, 0, nullptr, "a default"},
      {"short_text", ElementKind::string, Multiplicity::single, false, 0, 5, nullptr},
      {"wide_text", ElementKind::wstring, Multiplicity::single, false, 0, 0, nullptr, "weit"},
      {"short_wide_text", ElementKind::wstring, Multiplicity::single, false, 0, 3, nullptr},
      {"text_pair", ElementKind::string, Multiplicity::array, false, 2, 0, nullptr, "('one', 'two, and \042more\042')"},
      {"short_pair", ElementKind::string, Multiplicity::array, false, 2, 4, nullptr},
      {"texts", ElementKind::string, Multiplicity::sequence, false, 0, 0, nullptr, "('a', 'b')"},
      {"few_texts", ElementKind::string, Multiplicity::bounded_sequence, false, 3, 0, nullptr},
      {"few_short_texts", ElementKind::string, Multiplicity::bounded_sequence, false, 2, 6, nullptr},
      {"wide_pair", ElementKind::wstring, Multiplicity::array, false, 2, 0, nullptr},
      {"wide_texts", ElementKind::wstring, Multiplicity::sequence, false, 0, 0, nullptr},
      {"few_short_wide_texts", ElementKind::wstring, Multiplicity::bounded_sequence, false, 3, 2, nullptr},
  }};
  static constexpr TypeTable type_table{name, type_hash, entries};
  [[nodiscard]] static const TypeTable& table() { return type_table; }
};

inline ligament::expected<ligament::every_feature_msgs::msg::TextsBuilder, ligament::CodecError>
ligament::every_feature_msgs::msg::TextsBuilder::create(std::span<std::byte> stored, const ligament::every_feature_msgs::msg::TextsShape& shape) {
  return ::ligament::detail::create_builder<ligament::every_feature_msgs::msg::Texts>(stored, shape);
}
