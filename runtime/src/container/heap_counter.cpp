// SPDX-License-Identifier: Apache-2.0
#include "container/heap_counter.hpp"

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIGAMENT_OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIGAMENT_OWN_ALLOCATOR 0
#endif
#endif
#ifndef LIGAMENT_OWN_ALLOCATOR
#define LIGAMENT_OWN_ALLOCATOR 1
#endif

#if LIGAMENT_OWN_ALLOCATOR

namespace {
thread_local std::uint64_t allocations = 0;
}  // namespace

// The library's own operator delete frees what malloc and aligned_alloc gave.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) {
    return memory;
  }
  throw std::bad_alloc();
}

namespace ligament::container {

detail::AllocationCounter allocation_counter() {
  return [] { return allocations; };
}

}  // namespace ligament::container

#else

namespace ligament::container {

detail::AllocationCounter allocation_counter() { return nullptr; }

}  // namespace ligament::container

#endif
