// SPDX-License-Identifier: Apache-2.0
/// \file A shared library that may be missing.
#pragma once

#include <ligament/expected.hpp>
#include <ligament/gpu.hpp>
#include <map>
#include <mutex>
#include <string>

namespace ligament::gpu::cuda {

/// What the variable of the environment says, else `otherwise`.
[[nodiscard]] std::string library_path(const char* variable, const char* otherwise);
/// By path or name. Never closed: what it gave out may be used until the process ends.
[[nodiscard]] expected<void*, std::string> open_library(const std::string& path);

/// What `open` made of a path the first time, a failure included.
template <typename Calls>
[[nodiscard]] Result<const Calls*> opened_once(const std::string& path,
                                               Result<Calls> (*open)(const std::string& path)) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, Result<Calls>>;  // used to the very end
  const std::lock_guard lock(mutex);
  auto found = known->find(path);
  if (found == known->end()) {
    found = known->emplace(path, open(path)).first;
  }
  if (!found->second) {
    return unexpected<Error>(found->second.error());
  }
  return &*found->second;
}

}  // namespace ligament::gpu::cuda
