// SPDX-License-Identifier: Apache-2.0
/// \file Tracing for node authors: mark the part of a callback that is the node's real work.
///
///   void on_image(const Image& image) {
///     {
///       ligament::trace::Span span(*this, "remap");  // compute, until the end of the block
///       cv::remap(...);
///     }
///     publisher_->publish(...);
///   }
///
/// Without `--trace` a span costs two relaxed loads and two branches, and computes nothing. Each
/// event of spec/events/events.yaml is also a function here (trace::publish, trace::take, ...); the
/// runtime calls them, a node normally does not.
#pragma once

#include <concepts>
#include <cstdint>
#include <ligament/detail/trace_events.hpp>
#include <ligament/expected.hpp>
#include <string>
#include <string_view>

namespace ligament::trace {

/// What kind of work a span is. The report's shares follow it.
enum class Category : std::uint8_t { compute, copy, serialise };

/// The name as it stands in traces.
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

/// From construction to destruction, a node does this kind of work. Same thread at both ends.
class Span {
 public:
  template <HasTraceHandle NodeT>
  Span(const NodeT& node, std::string_view name, Category category = Category::compute,
       MessageIdentity message = {}) noexcept {
    if (enabled()) [[unlikely]] {
      begin(node.trace_handle(), name, category, message);
    }
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() {
    if (handle_ != 0) [[unlikely]] {
      span_end(handle_);
    }
  }

 private:
  void begin(std::uint64_t node, std::string_view name, Category category,
             MessageIdentity message) noexcept;

  std::uint64_t handle_ = 0;
};

/// Why a provider object could not be loaded.
enum class LoadErrorCode : std::uint8_t {
  already_loaded,  ///< a provider records already; two would record each event twice
  not_found,       ///< no such file
  not_loadable,    ///< the dynamic linker refused it (a library of LTTng is missing, ...)
  not_a_provider,  ///< it lacks the entry point
  wrong_version,   ///< made from another events.yaml than this library
};

/// What went wrong, and the sentence for the person who asked for the trace.
struct LoadError {
  LoadErrorCode code;
  std::string text;
};

/// Names the process in the trace.
struct ProcessIdentity {
  std::string run_id;
  std::string graph;
  std::string variant;
  std::string container;
};

/// Load a provider object (`libligament-trace-lttng.so`), measure what an event costs here, emit
/// `process_start` and `probe_cost`. Call once, before nodes are created and threads started.
/// Takes some milliseconds.
[[nodiscard]] expected<void, LoadError> load(const std::string& path,
                                             const ProcessIdentity& identity);

/// Path of the LTTng provider that was installed beside this library; it may not exist.
[[nodiscard]] std::string default_provider_path();

}  // namespace ligament::trace
