// SPDX-License-Identifier: Apache-2.0
/// \file Memory of a device that stands for bytes of the host during a submit, or stays between
/// submits: the same for all back-ends, which say how it is made.
#pragma once

#include <algorithm>
#include <functional>
#include <ligament/gpu.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ligament::gpu {

/// Ordinary memory of the device, or such as the host may write and read too.
enum class Kind : std::uint8_t { device, unified };
/// Of a model that copies.
[[nodiscard]] inline Kind kind_of(Model model) {
  return model == Model::unified_memory ? Kind::unified : Kind::device;
}

/// `Memory` gives it back when it is destroyed; `get()` is what a kernel is given of it. One thread
/// asks, another gives back.
template <typename Memory>
class Staging {
 public:
  using Value = decltype(std::declval<const Memory&>().get());
  /// Stands for bytes of the host until its submit has ended.
  struct Staged {
    const std::byte* host = nullptr;
    Memory memory;
    std::size_t size = 0;
    Kind kind = Kind::device;
  };
  /// Those of one submit.
  using Lease = std::vector<Staged>;
  struct Found {
    Value value{};
    Kind kind = Kind::device;
    bool is_new = false;  ///< has no content yet
  };
  using Make = std::function<Result<Memory>(std::size_t size, Kind kind)>;

  explicit Staging(Make make) : make_(std::move(make)) {}

  /// A kernel that reads what an earlier one of the same submit wrote finds it on the device.
  [[nodiscard]] Result<Found> stage(std::span<const std::byte> bytes, Kind kind, Lease& lease) {
    for (const Staged& one : lease) {
      if (one.host == bytes.data() && one.size >= bytes.size()) {
        return Found{one.memory.get(), one.kind, false};
      }
    }
    const std::size_t size = std::max(bytes.size(), most_value_bytes);
    auto staged = take_free(size, kind);
    if (!staged) {
      auto made = make_(size, kind);
      if (!made) {
        return unexpected<Error>(made.error());
      }
      staged = Staged{nullptr, std::move(*made), size, kind};
    }
    staged->host = bytes.data();
    lease.push_back(std::move(*staged));
    return Found{lease.back().memory.get(), kind, true};
  }

  [[nodiscard]] Result<Found> keep(const Kept& which) {
    if (which.bytes < 1) {
      return unexpected<Error>(Error{ErrorCode::launch_failed, "the size of a buffer is below 1"});
    }
    const std::lock_guard lock(mutex_);
    Place& place = kept_[which.place];
    const auto size = static_cast<std::size_t>(which.bytes);
    const bool is_new = place.size < size;
    if (is_new) {
      auto made = make_(size, Kind::device);
      if (!made) {
        return unexpected<Error>(made.error());
      }
      place = {std::move(*made), size, place.generation + 1};
    }
    return Found{place.memory.get(), Kind::device, is_new};
  }

  /// Which content keep() is going to give: another number, another content.
  [[nodiscard]] std::uint64_t generation_of(const Kept& which) const {
    const std::lock_guard lock(mutex_);
    const auto known = kept_.find(which.place);
    if (known == kept_.end()) {
      return 1;
    }
    const bool fits = std::cmp_less_equal(which.bytes, known->second.size);
    return known->second.generation + (fits ? 0 : 1);
  }

  /// The submit has ended: its memory is free for the next.
  void give_back(Lease&& lease) {
    const std::lock_guard lock(mutex_);
    for (Staged& one : lease) {
      one.host = nullptr;
      free_.push_back(std::move(one));
    }
    lease.clear();
  }

 private:
  struct Place {
    Memory memory;
    std::size_t size = 0;
    std::uint64_t generation = 0;
  };

  /// The smallest that is large enough; where there is none, those too small go.
  [[nodiscard]] std::optional<Staged> take_free(std::size_t size, Kind kind) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto one = free_.begin(); one != free_.end(); ++one) {
      if (one->kind == kind && one->size >= size &&
          (best == free_.end() || one->size < best->size)) {
        best = one;
      }
    }
    if (best == free_.end()) {
      std::erase_if(free_, [kind](const Staged& one) {
        return one.kind == kind && one.size > most_value_bytes;
      });
      return std::nullopt;
    }
    std::optional<Staged> found = std::move(*best);
    free_.erase(best);
    return found;
  }

  const Make make_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::vector<Staged> free_;
  std::map<std::uint32_t, Place> kept_;
};

}  // namespace ligament::gpu
