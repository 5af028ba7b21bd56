// SPDX-License-Identifier: Apache-2.0
/// \file ligament-kernel-check: compiles a node's kernels for the device that would run them, and
/// compares their signatures with the manifest's. `ligament build` runs it after each change.
///
///   ligament-kernel-check FILE... --kernel NAME:KINDS [--kernel ...]
///
/// KINDS: a letter per argument: n a number, i bytes that it reads, o bytes that it writes, v an
/// array of numbers, b a buffer.
/// Exit status: 0 good, 1 not, 2 wrong use.
#include <fstream>
#include <iostream>
#include <ligament/gpu.hpp>
#include <optional>
#include <sstream>
#include <string_view>

namespace ligament::gpu {
namespace {

std::optional<ArgumentKind> kind_of(char letter) {
  constexpr std::string_view letters = "niovb";  // in the order of ArgumentKind
  const auto place = letters.find(letter);
  return place == std::string_view::npos ? std::nullopt
                                         : std::optional(static_cast<ArgumentKind>(place));
}

std::optional<KernelDescription> kernel_of(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return std::nullopt;
  }
  KernelDescription kernel;
  kernel.name = text.substr(0, colon);
  for (const char letter : text.substr(colon + 1)) {
    const auto kind = kind_of(letter);
    if (!kind) {
      return std::nullopt;
    }
    kernel.arguments.push_back(*kind);
  }
  return kernel;
}

std::optional<Source> source_of(const std::string& path) {
  const std::ifstream file(path);
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return Source{path, text.str()};
}

int wrong_use(const std::string& why) {
  std::cerr << "ligament-kernel-check: " << why
            << "\nusage: ligament-kernel-check FILE... --kernel NAME:KINDS [--kernel ...]\n";
  return 2;
}

int check(const std::vector<std::string>& arguments) {
  ProgramDescription description;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--kernel") {
      auto kernel = i + 1 < arguments.size() ? kernel_of(arguments[++i]) : std::nullopt;
      if (!kernel) {
        return wrong_use("--kernel needs NAME:KINDS");
      }
      description.kernels.push_back(std::move(*kernel));
    } else if (auto source = source_of(arguments[i])) {
      description.sources.push_back(std::move(*source));
    } else {
      return wrong_use("'" + arguments[i] + "' cannot be read");
    }
  }
  if (description.sources.empty()) {
    return wrong_use("no file is given");
  }
  const auto settings = settings_from_environment();
  const auto program = settings
                           ? Program::open(description, *settings)
                           : Result<std::unique_ptr<Program>>(unexpected<Error>(settings.error()));
  if (!program) {
    std::cerr << program.error().text << '\n';
  }
  return program ? 0 : 1;
}

}  // namespace
}  // namespace ligament::gpu

int main(int argc, char** argv) { return ligament::gpu::check({argv + 1, argv + argc}); }
