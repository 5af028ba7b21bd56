// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/library.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace ligament::gpu::cuda {

std::string library_path(const char* variable, const char* otherwise) {
  const char* path = std::getenv(variable);
  return path == nullptr || *path == '\0' ? otherwise : path;
}

expected<void*, std::string> open_library(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return unexpected<std::string>(why == nullptr ? path + " cannot be opened" : why);
  }
  return library;
}

}  // namespace ligament::gpu::cuda
