// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <ligament/trace.hpp>

namespace ligament::trace {

namespace detail {
std::atomic<const Hooks*> active_hooks{nullptr};
}  // namespace detail

namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037ULL;
constexpr std::uint64_t fnv_prime = 1099511628211ULL;

std::uint64_t span_handle(std::uint64_t node, std::string_view name) noexcept {
  std::uint64_t hash = fnv_offset ^ node;
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

}  // namespace

const char* to_string(Category category) noexcept {
  switch (category) {
    case Category::compute:
      return "compute";
    case Category::copy:
      return "copy";
    case Category::serialise:
      return "serialise";
  }
  return "compute";
}

void Span::begin(std::uint64_t node, std::string_view name, Category category,
                 MessageIdentity message) noexcept {
  handle_ = span_handle(node, name);
  if (emitted_names.insert(handle_)) {
    // Names are cut rather than allocated for: a span may stand on a path that must not allocate.
    std::array<char, 64> text{};
    name.copy(text.data(), text.size() - 1);
    span_name(handle_, node, text.data(), to_string(category));
  }
  span_begin(handle_, message.publisher, message.sequence);
}

}  // namespace ligament::trace
