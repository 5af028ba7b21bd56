// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "objects.hpp"
#include "twin.hpp"

namespace ligament::gpu::cuda {
struct OpaqueContext {};
}  // namespace ligament::gpu::cuda

namespace twin {

bool is_set_up_as(const char* word) {
  const char* words = std::getenv("CUDA_TWIN");
  return words != nullptr && std::string(words).find(word) != std::string::npos;
}

std::size_t memory_bytes() { return std::size_t{is_set_up_as("small") ? 8U : 1024U} << 20; }

World& world() {
  static auto* const only = new World;
  return *only;
}

Status injected(const char* call) {
  const std::lock_guard lock(world().mutex);
  const auto fault = world().faults.find(call);
  if (fault == world().faults.end()) {
    return status::success;
  }
  if (fault->second.skipped-- > 0) {
    return status::success;
  }
  const Status number = fault->second.number;
  world().faults.erase(fault);
  return number;
}

void expect_context(const char* call) {
  if (current_context != only_context()) {
    std::fprintf(stderr, "the CUDA twin: %s on a thread %s\n", call,
                 current_context == nullptr ? "without a context" : "with somebody else's context");
    std::abort();
  }
}

Status fate_of(const char* call) {
  const std::string name = call;
  if (name != "cuInit" && name.rfind("cuDevice", 0) != 0) {
    expect_context(call);
  }
  const Status sticky = world().sticky;
  return sticky != status::success ? sticky : injected(call);
}

cuda::Context only_context() {
  static cuda::OpaqueContext only;
  return &only;
}

}  // namespace twin

using namespace twin;

extern "C" {

void cuda_twin_fail(const char* call, int skipped, int number) {
  const std::lock_guard lock(world().mutex);
  world().faults[call] = {skipped, number};
}

void cuda_twin_repair(void) {
  const std::lock_guard lock(world().mutex);
  world().faults.clear();
  world().sticky = status::success;
}

// NOLINTNEXTLINE(google-runtime-int): C
unsigned long cuda_twin_copies(void) { return world().copies; }

// NOLINTNEXTLINE(google-runtime-int): C
unsigned long cuda_twin_pageable_copies(void) { return world().pageable; }

unsigned cuda_twin_attached(void) {
  const std::lock_guard lock(world().mutex);
  const auto& all = world().allocated;
  return static_cast<unsigned>(std::count_if(
      all.begin(), all.end(), [](const auto& entry) { return entry.second.is_streams; }));
}

CudaTwinLive cuda_twin_live(void) {
  World& all = world();
  const std::lock_guard lock(all.mutex);
  return {cuda::OpaqueEvent::live(), cuda::OpaqueStream::live(), cuda::OpaqueModule::live(),
          static_cast<unsigned>(all.allocated.size() + all.pinned.size() + all.opened.size())};
}

}  // extern "C"
