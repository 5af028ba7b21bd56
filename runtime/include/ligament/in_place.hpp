// SPDX-License-Identifier: Apache-2.0
/// \file Memory that several nodes change at the same time, in place: the one exception from the
/// rule that what is published never changes (spec/device/gpu.md, "In place, at the same time").
///
///   auto matrix = InPlace<float>::create("matrix", 1 << 20).value();
///   tell(matrix.ticket().numbers);                    // to the others, by any message
///   ...
///   auto same = InPlace<float>::open({numbers}).value();                  // in another process
///   {
///     auto tile = same.change(0, 4096);     // for as long as it is there, nobody else's
///     tile[0] += 1;
///   }
///   const auto other = same.look(4096, 4096);         // nobody changes it meanwhile
///
/// That parts which are used at once do not overlap is the program's to see to, by messages that
/// say whose turn it is. Where `checked` (the default without NDEBUG), a part that is asked for
/// while another party has some of it, and one of the two changes it, ends the program with a
/// sentence. A kernel is given `tile.bytes()`; the part has to live until the kernel has ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace ligament {

enum class InPlaceError : std::uint8_t {
  no_memory,  ///< the system gives none
  not_there,  ///< who made it has ended, or it is no such memory, or none that may be shared
};
[[nodiscard]] const char* to_string(InPlaceError error);

/// Where the memory is, to be told to other processes of this machine and user.
struct InPlaceTicket {
  std::array<std::uint64_t, 4> numbers{};
};

namespace detail {

/// The bytes, and who has which part of them. It stays until the last process lets go.
class InPlaceMemory {
 public:
  [[nodiscard]] static expected<std::shared_ptr<InPlaceMemory>, InPlaceError> create(
      const std::string& name, std::size_t bytes);
  [[nodiscard]] static expected<std::shared_ptr<InPlaceMemory>, InPlaceError> open(
      const InPlaceTicket& ticket);
  ~InPlaceMemory();
  InPlaceMemory(const InPlaceMemory&) = delete;
  InPlaceMemory& operator=(const InPlaceMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const;
  [[nodiscard]] InPlaceTicket ticket() const;

  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_changed = false;
  };
  /// Ends the program where another party has some of it and one of both changes it. Returns what
  /// leave() is to be given.
  [[nodiscard]] std::size_t enter(const Part& part);
  void leave(std::size_t place);
  /// Ends the program where a part is not within the memory.
  void check_bounds(const Part& part) const;

 private:
  struct State;
  explicit InPlaceMemory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace detail

#ifdef NDEBUG
inline constexpr bool in_place_is_checked_by_default = false;
#else
inline constexpr bool in_place_is_checked_by_default = true;
#endif

/// A part of the memory, of whoever asked for it. `Element` is const where it may only be read.
template <typename Element, bool checked>
class InPlacePart {
 public:
  InPlacePart(std::shared_ptr<detail::InPlaceMemory> memory, std::span<Element> elements)
      : memory_(std::move(memory)), elements_(elements) {
    const std::byte* const base = memory_->bytes().data();
    const auto begin = static_cast<std::size_t>(bytes().data() - base);
    if constexpr (checked) {
      place_ = memory_->enter({begin, begin + elements.size_bytes(), !std::is_const_v<Element>});
    }
  }
  ~InPlacePart() {
    if constexpr (checked) {
      if (memory_ != nullptr) {
        memory_->leave(place_);
      }
    }
  }
  InPlacePart(InPlacePart&& other) noexcept = default;
  InPlacePart& operator=(InPlacePart&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(elements_, other.elements_);
    std::swap(place_, other.place_);
    return *this;
  }
  InPlacePart(const InPlacePart&) = delete;
  InPlacePart& operator=(const InPlacePart&) = delete;

  [[nodiscard]] std::span<Element> span() const { return elements_; }
  [[nodiscard]] Element& operator[](std::size_t i) const { return elements_[i]; }
  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  /// As a kernel is given it.
  [[nodiscard]] auto bytes() const {
    if constexpr (std::is_const_v<Element>) {
      return std::as_bytes(elements_);
    } else {
      return std::as_writable_bytes(elements_);
    }
  }

 private:
  std::shared_ptr<detail::InPlaceMemory> memory_;
  std::span<Element> elements_;
  std::size_t place_ = 0;
};

/// Copies share the memory.
template <typename Element, bool checked = in_place_is_checked_by_default>
class InPlace {
  static_assert(std::is_trivially_copyable_v<Element>, "other processes see its bytes");

 public:
  using Result = expected<InPlace, InPlaceError>;

  /// Zero at first. `name` is seen in /proc alone.
  [[nodiscard]] static Result create(const std::string& name, std::size_t count) {
    return made(detail::InPlaceMemory::create(name, count * sizeof(Element)));
  }
  [[nodiscard]] static Result open(const InPlaceTicket& ticket) {
    return made(detail::InPlaceMemory::open(ticket));
  }

  [[nodiscard]] InPlaceTicket ticket() const { return memory_->ticket(); }
  [[nodiscard]] std::size_t size() const { return memory_->bytes().size() / sizeof(Element); }
  /// `count` elements from `first` on, to be changed.
  [[nodiscard]] InPlacePart<Element, checked> change(std::size_t first, std::size_t count) const {
    return {memory_, part<Element>(first, count)};
  }
  /// The same, to be read.
  [[nodiscard]] InPlacePart<const Element, checked> look(std::size_t first,
                                                         std::size_t count) const {
    return {memory_, part<const Element>(first, count)};
  }

 private:
  explicit InPlace(std::shared_ptr<detail::InPlaceMemory> memory) : memory_(std::move(memory)) {}
  static Result made(expected<std::shared_ptr<detail::InPlaceMemory>, InPlaceError> memory) {
    return memory ? Result(InPlace(std::move(*memory)))
                  : Result(unexpected<InPlaceError>(memory.error()));
  }
  template <typename As>
  [[nodiscard]] std::span<As> part(std::size_t first, std::size_t count) const {
    const std::size_t begin = first * sizeof(Element);
    memory_->check_bounds({begin, begin + count * sizeof(Element)});
    return {reinterpret_cast<As*>(memory_->bytes().data()) + first, count};
  }

  std::shared_ptr<detail::InPlaceMemory> memory_;
};

}  // namespace ligament
