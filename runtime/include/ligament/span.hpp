// SPDX-License-Identifier: Apache-2.0
/// \file Spans: mark the part of a callback that is the node's real work, and tell values with it.
///
///   void on_image(const Image& image) {
///     ligament::trace::Span span(*this, "detect", [&](auto& values) {
///       values.tell("pixels", image.width * image.height);     // runs only while something
///       records
///     });
///     const auto found = detect(image);
///     span.finish([&](auto& values) { values.tell("found", found.size()); });
///     publisher_->publish(found);
///   }
///
/// A span begins where it is made (`init`) and ends with finish(), at the latest where it goes out
/// of scope. It and its values are on the timeline, in report.json, on the page and in
/// Perfetto. Without `--trace` a span costs two relaxed loads and two branches: no name is hashed
/// and no function that tells values is called. Both ends are on one thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <ligament/detail/trace_events.hpp>
#include <string_view>
#include <type_traits>

namespace ligament::trace {

/// What kind of work a span is. The report's shares follow it. device: a thread waits for a device
/// or simulates one; what that did is told by tell_device_work().
enum class Category : std::uint8_t { compute, copy, serialise, device, transport };

/// The name as it is in traces.
[[nodiscard]] const char* to_string(Category category) noexcept;

/// What a span can be given as its node. `trace_handle()` is the FNV-1a hash of the node id.
template <typename T>
concept HasTraceHandle = requires(const T& node) {
  { node.trace_handle() } -> std::convertible_to<std::uint64_t>;
};

/// Message that a span works on, where it is not the one of the running callback.
struct MessageIdentity {
  std::uint64_t publisher = 0;
  std::uint64_t sequence = 0;
};

/// What a function that tells values is given.
class SpanValues {
 public:
  explicit SpanValues(std::uint64_t span) noexcept : span_(span) {}
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void tell(std::string_view name, Number value) noexcept {
    tell_value(name, static_cast<double>(value));
  }

 private:
  void tell_value(std::string_view name, double value) noexcept;

  std::uint64_t span_;
};

/// A function that tells values. It is called while something records, else never.
template <typename T>
concept TellsValues = std::invocable<const T&, SpanValues&>;

/// From construction to finish(), a node does this kind of work.
class Span {
 public:
  template <HasTraceHandle NodeT>
  Span(const NodeT& node, std::string_view name, Category category = Category::compute,
       MessageIdentity message = {}) noexcept {
    if (enabled()) [[unlikely]] {
      begin(node.trace_handle(), name, category, message);
    }
  }
  template <HasTraceHandle NodeT, TellsValues Tell>
  Span(const NodeT& node, std::string_view name, const Tell& tell,
       Category category = Category::compute, MessageIdentity message = {})
      : Span(node, name, category, message) {
    tell_values(tell);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() { finish(); }

  /// The work is done; a second call does nothing.
  void finish() noexcept {
    if (handle_ != 0) [[unlikely]] {
      span_end(handle_);
      handle_ = 0;
    }
  }
  template <TellsValues Tell>
  void finish(const Tell& tell) {
    tell_values(tell);
    finish();
  }

 private:
  void begin(std::uint64_t node, std::string_view name, Category category,
             MessageIdentity message) noexcept;
  template <TellsValues Tell>
  void tell_values(const Tell& tell) const {
    if (handle_ != 0) [[unlikely]] {
      SpanValues values(handle_);
      tell(values);
    }
  }

  std::uint64_t handle_ = 0;
};

/// Whose clock a device's times are by: its own, mapped to the host's; or cycles of a simulation.
enum class TimeBase : std::uint8_t { device, modelled };

/// The name as it is in traces.
[[nodiscard]] const char* to_string(TimeBase base) noexcept;

/// What a device did for a message, in CLOCK_MONOTONIC (spec/events/reference.md).
struct DeviceWork {
  std::string_view device;  ///< as its driver or the platform calls it
  std::string_view name;    ///< of the work: a kernel, `copy in`
  Category category = Category::compute;
  TimeBase base = TimeBase::device;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bound_ns = 0;  ///< how wrong both may be
  /// Of a timer's call: since the one before began, by the device's own clock; 0: not known.
  std::int64_t interval_ns = 0;
};

/// What runs on a device and is no node's work.
enum class TrackKind : std::uint8_t { task, interrupt, device };

/// The name as it is in traces.
[[nodiscard]] const char* to_string(TrackKind kind) noexcept;

/// A task ran, an interrupt was served; in CLOCK_MONOTONIC.
struct TrackWork {
  std::string_view device;  ///< as the platform calls it
  TrackKind kind = TrackKind::task;
  std::string_view name;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bound_ns = 0;  ///< how wrong both may be
};

namespace detail {
void tell_device_work(std::uint64_t node, const DeviceWork& work, MessageIdentity message) noexcept;
}  // namespace detail

/// Tells it once it is known: the host's span of category device stays open until then.
template <HasTraceHandle NodeT>
void tell_device_work(const NodeT& node, const DeviceWork& work, MessageIdentity message) noexcept {
  if (enabled()) [[unlikely]] {
    detail::tell_device_work(node.trace_handle(), work, message);
  }
}

/// Tells it once it is known.
void tell_track(const TrackWork& work) noexcept;
/// So many of a device's events will never be told.
void tell_lost(std::string_view device, std::uint64_t count) noexcept;

}  // namespace ligament::trace
