// SPDX-License-Identifier: Apache-2.0
#include "gpu/sources.hpp"

namespace ligament::gpu {
namespace {

template <typename T>
void append(std::vector<std::byte>& key, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  key.insert(key.end(), bytes.begin(), bytes.end());
}

}  // namespace

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

Result<std::vector<std::byte>> key_of(
    const Launch& launch, const std::function<std::uint64_t(const Kept&)>& generation_of) {
  std::vector<std::byte> key;
  append(key, launch.global);
  append(key, launch.local);
  for (const Argument& argument : launch.arguments) {
    append(key, argument.index());
    if (const auto* whole = std::get_if<std::int64_t>(&argument)) {
      append(key, *whole);
    } else if (const auto* fraction = std::get_if<double>(&argument)) {
      append(key, *fraction);
    } else if (const auto* values = std::get_if<Values>(&argument)) {
      append(key, values->bytes.size());
      key.insert(key.end(), values->bytes.begin(), values->bytes.end());
    } else if (const auto* wanted = std::get_if<Kept>(&argument)) {
      append(key, wanted->place);
      append(key, generation_of(*wanted));
    } else {
      return unexpected<Error>(Error{ErrorCode::kernel_mismatch,
                                     "a launch for changes alone was given a message's payload"});
    }
  }
  return key;
}

}  // namespace ligament::gpu
