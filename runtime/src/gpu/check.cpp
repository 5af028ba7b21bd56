// SPDX-License-Identifier: Apache-2.0
/// \file ligament-kernel-check: compiles a node's kernels for the device that would run them, and
/// compares their signatures with the manifest's. `ligament build` runs it after each change.
///
///   ligament-kernel-check FILE... --kernel NAME:KINDS [--kernel ...] [--cuda ARCHITECTURE]
///   ligament-kernel-check --devices
///
/// --devices: a line per device, and why one cannot be used; good if one can.
/// --cuda 87: with NVIDIA's compiler for devices of compute capability 8.7; needs no device. CUDA
/// kernels (.cu) are so compiled, for 8.7, where there is no device of theirs.
/// KINDS: a letter per argument: n a number, i bytes that it reads, o bytes that it writes, v an
/// array of numbers, b a buffer.
/// Exit status: 0 good, 1 not, 2 wrong use.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <ligament/gpu.hpp>
#include <optional>
#include <sstream>
#include <string_view>

#include "gpu/cuda/compiler.hpp"
#include "gpu/cuda/program.hpp"
#include "gpu/opencl/device.hpp"
#include "gpu/sources.hpp"

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
            << "\nusage: ligament-kernel-check FILE... --kernel NAME:KINDS [--kernel ...] [--cuda "
               "ARCHITECTURE]\n       ligament-kernel-check --devices\n";
  return 2;
}

/// Compiles, and opens the device where there has to be one.
Result<void> tried(const ProgramDescription& description, cuda::Architecture architecture) {
  const bool all_cuda =
      std::all_of(description.sources.begin(), description.sources.end(), is_cuda);
  if (architecture != 0 || (all_cuda && !cuda::is_usable(""))) {
    constexpr cuda::Architecture orin = 87;
    const auto compiled = cuda::compile(description, architecture != 0 ? architecture : orin);
    return compiled ? Result<void>() : Result<void>(unexpected<Error>(compiled.error()));
  }
  const auto settings = settings_from_environment();
  if (!settings) {
    return unexpected<Error>(settings.error());
  }
  const auto program = Program::open(description, *settings);
  return program ? Result<void>() : Result<void>(unexpected<Error>(program.error()));
}

int list_devices() {
  auto lines = cuda::device_lines();
  for (DeviceLine& line : opencl::device_lines()) {
    lines.push_back(std::move(line));
  }
  for (const DeviceLine& line : lines) {
    std::cout << line.text << '\n';
  }
  return std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.is_usable; })
             ? 0
             : 1;
}

int check(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"--devices"}) {
    return list_devices();
  }
  ProgramDescription description;
  cuda::Architecture architecture = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--cuda") {
      architecture = i + 1 < arguments.size() ? std::atoi(arguments[++i].c_str()) : 0;
      if (architecture < 10) {
        return wrong_use("--cuda needs a compute capability without its point, such as 87");
      }
    } else if (arguments[i] == "--kernel") {
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
  const auto done = tried(description, architecture);
  if (!done) {
    std::cerr << done.error().text << '\n';
  }
  return done ? 0 : 1;
}

}  // namespace
}  // namespace ligament::gpu

int main(int argc, char** argv) { return ligament::gpu::check({argv + 1, argv + argc}); }
