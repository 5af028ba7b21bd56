// SPDX-License-Identifier: Apache-2.0
/// \file Which processor a part of the work has: the same with and without ROS.
///
/// Worker n of the step has processor n, and begins again at the first where there are fewer. So in
/// `cache` no two that work at once share one, while the system, which places a thread as it wakes
/// it, sometimes has two on one processor and leaves the other idle.
#pragma once

#include <cstdint>
#include <vector>

#include "runs.hpp"

namespace uma {

/// The calling thread, and those that it starts from now on, stay on the processors of these
/// workers. Only where `setup.is_pinned`.
void stay_with(const Setup& setup, const std::vector<std::uint32_t>& workers);
/// The calling thread may be on all processors that the program was given.
void leave_processors();

/// The calling thread stays on a worker's processor for as long as this lives.
class Staying {
 public:
  Staying(const Setup& setup, std::uint32_t worker) { stay_with(setup, {worker}); }
  ~Staying() { leave_processors(); }
  Staying(const Staying&) = delete;
  Staying& operator=(const Staying&) = delete;
};

/// Threads of this process, by the kernel's numbers, in ascending order.
[[nodiscard]] std::vector<int> threads_now();
/// A thread that a library has started stays on a worker's processor.
void keep_thread_with(const Setup& setup, int thread, std::uint32_t worker);

}  // namespace uma
