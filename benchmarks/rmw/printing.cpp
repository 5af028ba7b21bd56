// SPDX-License-Identifier: Apache-2.0
#include "printing.hpp"

#include <dlfcn.h>

namespace bench {

namespace {

/// By name: which library has it is the loader's matter.
std::string middleware() {
  using Identifier = const char* (*)();
  const auto identifier =
      reinterpret_cast<Identifier>(::dlsym(RTLD_DEFAULT, "rmw_get_implementation_identifier"));
  return identifier != nullptr ? identifier() : "none";
}

}  // namespace

void print_measured(const std::string& role, const std::string& fields) {
  print_line("{\"role\":\"" + role + "\",\"rmw\":\"" + middleware() + "\"," + fields + "}");
}

}  // namespace bench
