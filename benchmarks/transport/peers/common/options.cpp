// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace peer {
namespace {

template <typename T>
void read_number(const std::string& name, const std::string& value, T& number) {
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end) {
    throw std::invalid_argument(name + " is a number, not '" + value + "'");
  }
}

Role role_of(const std::string& name) {
  if (name == "subscribe") return Role::subscribe;
  if (name == "publish") return Role::publish;
  if (name == "ping") return Role::ping;
  if (name == "pong") return Role::pong;
  throw std::invalid_argument("unknown role '" + name + "'");
}

Wait wait_of(const std::string& name) {
  if (name == "poll") return Wait::poll;
  if (name == "sleep") return Wait::sleep;
  throw std::invalid_argument("--wait is poll or sleep, not '" + name + "'");
}

// The names of DDS know letters, digits and '_'.
std::string topic_of(std::string name) {
  const auto foreign = [](unsigned char c) { return std::isalnum(c) == 0; };
  std::replace_if(name.begin(), name.end(), foreign, '_');
  return name;
}

void set(Options& options, const std::string& name, const std::string& value) {
  if (name == "--topic") return void(options.topic = topic_of(value));
  if (name == "--variant") return void(options.variant = value);
  if (name == "--wait") return void(options.wait = wait_of(value));
  if (name == "--bytes") return read_number(name, value, options.bytes);
  if (name == "--messages") return read_number(name, value, options.messages);
  if (name == "--warmup") return read_number(name, value, options.warmup);
  if (name == "--index") return read_number(name, value, options.index);
  if (name == "--subscribers") return read_number(name, value, options.subscribers);
  if (name == "--pacing-us") return read_number(name, value, options.pacing_us);
  throw std::invalid_argument("unknown option '" + name + "'");
}

void check(const Options& options) {
  if (options.topic.empty()) throw std::invalid_argument("--topic is missing");
  if (options.bytes < kSmallest) {
    throw std::invalid_argument("--bytes is at least " + std::to_string(kSmallest));
  }
  if (options.messages == 0 || options.subscribers == 0) {
    throw std::invalid_argument("--messages and --subscribers are at least 1");
  }
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  options.role = role_of(argc > 1 ? argv[1] : "");
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    set(options, name, argv[i + 1]);
  }
  check(options);
  return options;
}

std::string usage(const std::string& program) {
  return "usage: " + program +
         " subscribe|publish|ping|pong --topic NAME --bytes N --wait poll|sleep\n"
         "         --messages M --warmup W [--subscribers S] [--pacing-us P] [--index I]\n"
         "         [--variant NAME]\n"
         "       " +
         program + " --version\n";
}

}  // namespace peer
