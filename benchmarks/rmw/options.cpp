// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>
#include <map>
#include <string_view>

#include "rcl_node.hpp"

namespace bench {

namespace {

std::int64_t number_of(std::string_view flag, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    give_up(std::string(flag) + " takes a whole number, not '" + std::string(text) + "'");
  }
  return value;
}

}  // namespace

Options options_of(int count, char** words) {
  Options options;
  const std::map<std::string_view, std::int64_t*> known{{"--bytes", &options.bytes},
                                                        {"--messages", &options.messages},
                                                        {"--warmup", &options.warmup},
                                                        {"--pacing-us", &options.pacing_us},
                                                        {"--subscribers", &options.subscribers},
                                                        {"--depth", &options.depth},
                                                        {"--index", &options.index},
                                                        {"--members", &options.members},
                                                        {"--topics", &options.topics}};
  if (count < 2 || count % 2 != 0) {
    give_up("a role and pairs of --name value are expected");
  }
  options.role = words[1];
  for (int k = 2; k < count; k += 2) {
    const auto found = known.find(words[k]);
    if (found == known.end()) {
      give_up("unknown option '" + std::string(words[k]) + "'");
    }
    *found->second = number_of(words[k], words[k + 1]);
  }
  return options;
}

}  // namespace bench
