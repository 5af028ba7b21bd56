// SPDX-License-Identifier: Apache-2.0
#include "gpu/sources.hpp"

namespace ligament::gpu {

bool is_cuda(const Source& source) { return source.path.ends_with(".cu"); }

std::string with_line(const Source& source) {
  std::string path;
  for (const char c : source.path) {
    path += c == '\\' || c == '"' ? std::string{'\\', c} : std::string{c};
  }
  return "#line 1 \"" + path + "\"\n" + source.text + "\n";
}

std::string names_of(const std::vector<Source>& sources) {
  std::string names;
  for (const Source& source : sources) {
    names += (names.empty() ? "" : ", ") + source.path;
  }
  return names;
}

}  // namespace ligament::gpu
