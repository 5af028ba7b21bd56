// SPDX-License-Identifier: Apache-2.0
/// \file Memory of a topic's publisher for what hardware writes, and publishing it where it lies
/// (spec/device/gateway.md, spec/device/fpga.md).
#pragma once

#include <cstddef>
#include <ligament/detail/pool.hpp>
#include <ligament/fpga_design.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/publisher.hpp>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace ligament::fpga::detail {

/// Frames begin at such multiples, with up to that much in front of the message.
inline constexpr std::size_t boundary_bytes = 64;
/// Of topics with at least this bound, what an exit writes lies in the pool (the pool's large
/// blocks begin on pages). Smaller ones may begin anywhere, so the hardware would take a few cycles
/// more or less; copying them takes microseconds. Without a bound, the pool would need blocks for
/// the largest message of the hardware.
inline constexpr std::size_t least_in_place = std::size_t{64} * 1024;

/// A publisher's loans, each with room for one message of hardware. One thread at a time.
template <typename Out>
class DeviceRooms {
 public:
  /// `most` rooms of `bytes` are lent at once; the publisher was made for as many loans.
  DeviceRooms(std::shared_ptr<Publisher<Out>> publisher, std::size_t most, std::size_t bytes)
      : publisher_(std::move(publisher)), most_(most), bytes_(bytes) {}

  /// Nothing while all are lent, or if there is no memory: then the publisher has counted it.
  [[nodiscard]] std::optional<Room> lend() {
    if (static_cast<std::size_t>(lent_.use_count()) > most_) {
      return std::nullopt;
    }
    auto loan = publisher_->borrow_for_device(bytes_, boundary_);
    if (!loan) {
      return std::nullopt;
    }
    const std::span<std::byte> memory = loan->payload();
    return Room{memory, std::make_shared<Lent>(publisher_, std::move(*loan), lent_), true};
  }

  /// What hardware wrote into one of them; `keep` is the room's. False: another publisher lent it.
  [[nodiscard]] bool publish(const std::shared_ptr<void>& keep,
                             std::span<const std::byte> message) {
    const auto lent = std::static_pointer_cast<Lent>(keep);
    if (lent->publisher != publisher_) {
      return false;
    }
    const std::byte* const room = lent->loan.payload().data();
    boundary_ = boundary_in(room, message).value_or(boundary_);
    const auto front = static_cast<std::size_t>(message.data() - room);
    (void)publisher_->publish_filled(std::move(lent->loan), front, message.size());
    return true;
  }

 private:
  /// A loan points to its publisher, which its node may have given up before hardware has.
  struct Lent {
    std::shared_ptr<Publisher<Out>> publisher;
    pool::Loan loan;
    std::shared_ptr<void> counted;

    Lent(std::shared_ptr<Publisher<Out>> of, pool::Loan&& lent, std::shared_ptr<void> count)
        : publisher(std::move(of)), loan(std::move(lent)), counted(std::move(count)) {}
  };

  /// How far behind a room's beginning the chosen array will be: that is what has to be aligned.
  /// Before the first message: as in the shortest one.
  static std::size_t first_boundary() {
    const auto layout = MessageTraits<Out>::layout(typename MessageTraits<Out>::Shape{});
    const std::size_t chosen = layout ? layout->chosen_offset : 0;
    return (chosen + boundary_bytes - 1) / boundary_bytes * boundary_bytes;
  }
  static std::optional<std::size_t> boundary_in(const std::byte* room,
                                                std::span<const std::byte> message) {
    [[maybe_unused]] const auto view = MessageTraits<Out>::View::parse(message);
    if constexpr (requires { view->chosen_bytes(); }) {
      if (view && !view->chosen_bytes().empty()) {
        const auto chosen = static_cast<std::size_t>(view->chosen_bytes().data() - room);
        return chosen / boundary_bytes * boundary_bytes;
      }
    }
    return std::nullopt;
  }

  std::shared_ptr<Publisher<Out>> publisher_;
  std::size_t most_;
  std::size_t bytes_;
  std::size_t boundary_ = first_boundary();
  std::shared_ptr<void> lent_ = std::make_shared<char>();  ///< held once for each that is lent
};

}  // namespace ligament::fpga::detail
