// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <ligament/message/reader.hpp>
#include <ligament/type_table.hpp>

#include "message/walk.hpp"

namespace ligament {
namespace {

/// Walks a big-endian body and turns each word round where it lies. Lengths are checked as by
/// Reader; a failure leaves the body half converted, which to_little_endian() undoes for no one:
/// the encapsulation still says big-endian, and the bytes are to be dropped.
class Swapper {
 public:
  explicit Swapper(std::span<std::byte> body) : body_(body) {}

  bool message(const TypeTable& table) {
    return std::all_of(table.fields.begin(), table.fields.end(),
                       [this](const FieldEntry& entry) { return field(entry); });
  }
  bool finished() {
    return body_.size() - position_ <= detail::max_trailing_bytes ||
           fail(CodecError::trailing_bytes);
  }
  [[nodiscard]] CodecError error() const { return error_; }

 private:
  bool fail(CodecError error) {
    error_ = error;
    return false;
  }
  bool field(const FieldEntry& field) {
    std::size_t count = field.multiplicity == Multiplicity::array ? field.count : 1;
    if (detail::is_sequence(field) && !length(count)) {
      return false;
    }
    if (detail::is_primitive(field.kind)) {
      return detail::with_primitive(field.kind,
                                    [&]<typename T>() { return words(sizeof(T), count); });
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!element(field)) {
        return false;
      }
    }
    return true;
  }
  bool element(const FieldEntry& field) {
    if (field.kind == ElementKind::message) {
      return message(*field.nested);
    }
    std::size_t count = 0;
    return length(count) && words(field.kind == ElementKind::string ? 1 : 4, count);
  }
  /// A length word; the elements take at least a byte each.
  bool length(std::size_t& count) {
    if (!words(4, 1)) {
      return false;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, body_.data() + position_ - sizeof(word), sizeof(word));
    count = word;
    return count <= body_.size() - position_ || fail(CodecError::truncated);
  }
  bool words(std::size_t size, std::size_t count) {
    if (count == 0) {
      return true;
    }
    const std::size_t begin = detail::align_up(position_, size);
    if (begin > body_.size() || count > (body_.size() - begin) / size) {
      return fail(CodecError::truncated);
    }
    position_ = begin + count * size;
    for (std::size_t at = begin; size > 1 && at < position_; at += size) {
      std::reverse(body_.data() + at, body_.data() + at + size);
    }
    return true;
  }

  std::span<std::byte> body_;
  std::size_t position_ = 0;
  CodecError error_ = CodecError::truncated;
};

}  // namespace

expected<void, CodecError> to_little_endian(const TypeTable& table, std::span<std::byte> stored) {
  const auto encapsulation = detail::check_encapsulation(stored);
  if (encapsulation || encapsulation.error() != CodecError::big_endian) {
    return encapsulation;
  }
  Swapper swapper(stored.subspan(encapsulation_size));
  if (!swapper.message(table) || !swapper.finished()) {
    return unexpected<CodecError>(swapper.error());
  }
  stored[1] = std::byte{1};
  return {};
}

}  // namespace ligament
