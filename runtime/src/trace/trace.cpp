// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <ligament/detail/ros2_events.hpp>
#include <ligament/trace.hpp>

#include "entry_of.hpp"

namespace ligament::trace {

namespace detail {
std::atomic<const Hooks*> active_hooks{nullptr};
}  // namespace detail
namespace ros2::detail {
std::atomic<const Hooks*> active_hooks{nullptr};
}  // namespace ros2::detail

namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037ULL;
constexpr std::uint64_t fnv_prime = 1099511628211ULL;

/// Handle of what has this name and belongs to `owner`: a node's span, or a span's value.
std::uint64_t handle_of(std::uint64_t owner, std::string_view name) noexcept {
  std::uint64_t hash = fnv_offset ^ owner;
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * fnv_prime;
  }
  return hash == 0 ? 1 : hash;
}

/// Handles whose name this process has emitted. Fixed and lock-free: a span may run on any thread
/// and must not allocate. A full table only means that a name is emitted more than once.
class EmittedNames {
 public:
  /// True for the first caller with this handle.
  bool insert(std::uint64_t handle) noexcept {
    for (std::size_t probe = 0; probe < slots_.size(); ++probe) {
      auto& slot = slots_[(handle + probe) % slots_.size()];
      // Relaxed: the slot publishes nothing but itself.
      std::uint64_t found = slot.load(std::memory_order_relaxed);
      if (found == 0 && slot.compare_exchange_strong(found, handle, std::memory_order_relaxed)) {
        return true;
      }
      if (found == handle) {
        return false;
      }
    }
    return true;
  }

 private:
  std::array<std::atomic<std::uint64_t>, 1024> slots_{};
};

EmittedNames emitted_names;

/// Names are cut rather than allocated for: a span may stand on a path that must not allocate.
std::array<char, 64> cut(std::string_view name) noexcept {
  std::array<char, 64> text{};
  name.copy(text.data(), text.size() - 1);
  return text;
}

/// Its handle; what it is has been told.
std::uint64_t track_of(std::string_view device, TrackKind kind, std::string_view name) noexcept {
  const std::uint64_t handle =
      handle_of(handle_of(static_cast<std::uint64_t>(kind) + 1, device), name);
  if (emitted_names.insert(handle)) {
    track_name(handle, cut(device).data(), cut(name).data(), to_string(kind));
  }
  return handle;
}

}  // namespace

const char* to_string(Category category) noexcept {
  static constexpr std::array<const char*, 5> names{"compute", "copy", "serialise", "device",
                                                    "transport"};
  return ligament::detail::entry_of<Category::transport>(names, category);
}

const char* to_string(TrackKind kind) noexcept {
  static constexpr std::array<const char*, 3> names{"task", "interrupt", "device"};
  return ligament::detail::entry_of<TrackKind::device>(names, kind);
}

const char* to_string(TimeBase base) noexcept {
  return base == TimeBase::modelled ? "modelled" : "device";
}

void detail::tell_device_work(std::uint64_t node, const DeviceWork& work,
                              MessageIdentity message) noexcept {
  const std::uint64_t handle = handle_of(handle_of(node, work.device), work.name);
  if (emitted_names.insert(handle)) {
    span_name(handle, node, cut(work.name).data(), to_string(work.category));
    device_name(handle, cut(work.device).data(), to_string(work.base));
  }
  device_span(handle, message.publisher, message.sequence, work.begin_ns, work.end_ns,
              work.bound_ns);
  if (work.interval_ns > 0) {
    device_interval(handle, work.interval_ns);
  }
}

void tell_track(const TrackWork& work) noexcept {
  if (enabled()) [[unlikely]] {
    const std::uint64_t handle = track_of(work.device, work.kind, work.name);
    track_span(handle, work.begin_ns, work.end_ns, work.bound_ns);
  }
}

void tell_lost(std::string_view device, std::uint64_t count) noexcept {
  if (enabled()) [[unlikely]] {
    device_lost(track_of(device, TrackKind::device, device), count);
  }
}

void Span::begin(std::uint64_t node, std::string_view name, Category category,
                 MessageIdentity message) noexcept {
  handle_ = handle_of(node, name);
  if (emitted_names.insert(handle_)) {
    span_name(handle_, node, cut(name).data(), to_string(category));
  }
  span_begin(handle_, message.publisher, message.sequence);
}

void SpanValues::tell_value(std::string_view name, double value) noexcept {
  const std::uint64_t argument = handle_of(span_, name);
  if (emitted_names.insert(argument)) {
    value_name(argument, span_, cut(name).data());
  }
  span_value(argument, value);
}

}  // namespace ligament::trace
