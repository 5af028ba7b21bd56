// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace uma {
namespace {

cpu_set_t given_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) {
    give_up("the processors of this process are not told");
  }
  return set;
}

/// What the program was given, before any thread of it chose.
const cpu_set_t given = given_set();

int processor_of(std::uint32_t worker) {
  std::uint32_t left = worker % static_cast<std::uint32_t>(CPU_COUNT(&given));
  for (int processor = 0;; ++processor) {
    if (CPU_ISSET(processor, &given) && left-- == 0) {
      return processor;
    }
  }
}

void keep(const Setup& setup, int thread, const std::vector<std::uint32_t>& workers) {
  if (!setup.is_pinned) {
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t worker : workers) {
    CPU_SET(processor_of(worker), &set);
  }
  // A library's thread may have ended meanwhile: then there is none to keep.
  (void)::sched_setaffinity(thread, sizeof(set), &set);
}

}  // namespace

void stay_with(const Setup& setup, const std::vector<std::uint32_t>& workers) {
  keep(setup, 0, workers);
}

void leave_processors() { (void)::sched_setaffinity(0, sizeof(given), &given); }

std::vector<int> threads_now() {
  std::vector<int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.push_back(std::stoi(entry.path().filename().string()));
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

void keep_thread_with(const Setup& setup, int thread, std::uint32_t worker) {
  keep(setup, thread, {worker});
}

}  // namespace uma
