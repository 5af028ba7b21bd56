// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "clock.hpp"
#include "ends.hpp"
#include "floor.hpp"

namespace ligament::bench {

FloorPage::FloorPage(std::size_t children, std::size_t messages)
    : messages_(messages),
      size_(2 * sizeof(Call) + children * (sizeof(Child) + messages * sizeof(std::int64_t))),
      memory_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
  if (memory_ == MAP_FAILED) {
    fail("no memory for the results of a floor");
  }
  auto* const bytes = static_cast<std::byte*>(memory_);
  call_ = new (bytes) Call;
  answer_ = new (bytes + sizeof(Call)) Call;
  auto* const first = reinterpret_cast<Child*>(bytes + 2 * sizeof(Call));
  for (std::size_t i = 0; i < children; ++i) {
    new (first + i) Child;
  }
  children_ = {first, children};
  latency_ns_ = reinterpret_cast<std::int64_t*>(first + children);
}

FloorPage::~FloorPage() { ::munmap(memory_, size_); }

void await_word(std::atomic<std::uint32_t>& word, std::uint32_t value, Wait wait) {
  for (;;) {
    // Acquire: pairs with the release of who writes the word, which publishes the stamp beside it.
    const std::uint32_t now = word.load(std::memory_order_acquire);
    if (now >= value) {
      return;
    }
    if (wait == Wait::sleep) {
      ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, now, nullptr,
                nullptr, 0);
    }
  }
}

void wake_sleepers(std::atomic<std::uint32_t>& word, int sleepers) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, sleepers, nullptr,
            nullptr, 0);
}

}  // namespace ligament::bench
