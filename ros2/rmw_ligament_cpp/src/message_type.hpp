// SPDX-License-Identifier: Apache-2.0
/// \file A ROS 2 message type as its introspection type support describes it, and the codec between
/// a message in memory (C or C++ form) and its stored form: XCDR1 little-endian behind 4 bytes of
/// encapsulation (spec/wire/message.md). One walk measures, one writes, one reads.
///
///   auto type = MessageType::of(type_support);              // what rcl hands to rmw
///   const Measure measure = type->measure(message);         // bytes, and where the large array is
///   type->write(message, memory);                           // exactly measure.size bytes
///   type->read(memory, message);                            // false: no message of this type
#pragma once

#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rmw_ligament_cpp {

/// Bytes before the fields: representation identifier (2) and options (2).
inline constexpr std::size_t encapsulation_size = 4;

struct Measure {
  std::size_t size = 0;  ///< of the stored form, encapsulation included
  /// Where the largest array of numbers starts in it: the pool places this on an alignment
  /// boundary.
  std::size_t aligned_offset = encapsulation_size;
  bool fits = true;  ///< false: a string or sequence is longer than its bound
};

class MessageType {
 public:
  /// Null, with an error set for rcl, where the type has no introspection type support.
  [[nodiscard]] static std::unique_ptr<MessageType> of(const rosidl_message_type_support_t* type);
  /// The two types of a service; empty pointers as above.
  struct Service;
  [[nodiscard]] static Service of(const rosidl_service_type_support_t* type);

  [[nodiscard]] const std::string& name() const { return name_; }  ///< `pkg/msg/Name`
  [[nodiscard]] const std::array<std::uint8_t, 32>& hash() const { return hash_; }

  [[nodiscard]] Measure measure(const void* message) const;
  /// `stored` has the size that `measure` said.
  void write(const void* message, std::span<std::byte> stored) const;
  /// False: these bytes are no message of this type. The message then has some of the fields.
  [[nodiscard]] bool read(std::span<const std::byte> stored, void* message) const;

  struct Layout;
  struct Field;
  /// A sequence of numbers whose elements stay in the stored form, whatever the message's member
  /// has: `count` is given where it is written, `position` (in the stored form) always found.
  struct Apart {
    const Field* field = nullptr;
    std::size_t count = 0;
    std::size_t position = 0;
  };
  /// The member at `offset` in memory; its `field` is null where that is no sequence of numbers.
  [[nodiscard]] Apart apart(std::size_t offset) const;
  [[nodiscard]] Measure measure(const void* message, Apart& apart) const;
  void write(const void* message, std::span<std::byte> stored, Apart& apart) const;
  [[nodiscard]] bool read(std::span<const std::byte> stored, void* message, Apart& apart) const;

  /// The message in memory is its stored form behind the encapsulation: no strings, no sequences,
  /// no booleans (which have forbidden values), and the same places.
  [[nodiscard]] bool is_plain() const { return plain_.is_plain; }
  [[nodiscard]] std::size_t plain_size() const { return plain_.size; }  ///< stored, without 4 bytes
  [[nodiscard]] std::size_t memory_size() const { return memory_size_; }
  /// Makes the memory at `message`, of `memory_size` bytes, a message of zeros and defaults.
  void initialise(void* message) const;

  struct Layout;
  [[nodiscard]] const Layout& layout() const { return *layouts_.front(); }

  enum class Kind : std::uint8_t { number, boolean, text, wide_text, message };
  /// Of messages that are as in memory. `size`: stored, without what follows the last field.
  struct Plain {
    bool is_plain = false;
    std::size_t size = 0;
    std::size_t alignment = 1;
  };
  /// A member of a message. The functions are those of the type support.
  struct Field {
    const char* name = "";     ///< lives as long as the type support
    std::uint8_t type_id = 0;  ///< of a number, as the introspection has it
    Kind kind = Kind::number;
    bool is_array = false;     ///< of a fixed number of elements
    bool is_sequence = false;  ///< with its length before it
    std::size_t width = 1;     ///< bytes of a number, stored and in memory
    std::size_t stride = 1;    ///< bytes of an element in memory
    std::size_t offset = 0;
    std::size_t count = 1;       ///< elements of an array
    std::size_t bound = 0;       ///< most elements of a sequence; 0: any
    std::size_t text_bound = 0;  ///< most characters; 0: any
    const Layout* nested = nullptr;
    std::size_t (*length)(const void*) = nullptr;
    const void* (*at)(const void*, std::size_t) = nullptr;
    void* (*change_at)(void*, std::size_t) = nullptr;
    void (*fetch)(const void*, std::size_t, void*) = nullptr;
    void (*assign)(void*, std::size_t, const void*) = nullptr;
    bool (*resize_c)(void*, std::size_t) = nullptr;
    void (*resize_cpp)(void*, std::size_t) = nullptr;
  };
  struct Layout {
    bool is_cpp = false;
    std::vector<Field> fields;
    Plain plain;
  };

 private:
  friend class LayoutBuilder;
  MessageType() = default;
  std::string name_;
  std::array<std::uint8_t, 32> hash_{};
  std::vector<std::unique_ptr<Layout>> layouts_;  ///< of this message, first, and those within
  Plain plain_;
  std::size_t memory_size_ = 0;
  bool is_cpp_ = false;
  const void* members_ = nullptr;
};

struct MessageType::Service {
  std::unique_ptr<MessageType> request;
  std::unique_ptr<MessageType> response;
};

}  // namespace rmw_ligament_cpp
