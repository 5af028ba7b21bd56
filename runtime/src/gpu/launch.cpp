// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch.hpp"

#include <algorithm>

namespace ligament::gpu {
namespace {

template <typename T>
void append(std::vector<std::byte>& key, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  key.insert(key.end(), bytes.begin(), bytes.end());
}

/// What a launch for changes alone is compared by.
Result<std::vector<std::byte>> key_of(const Launch& launch, const GenerationOf& generation_of) {
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

}  // namespace

Result<void> check_launch(const Launch& launch, std::span<const KernelDescription> kernels) {
  if (launch.kernel >= kernels.size()) {
    return unexpected<Error>(
        Error{ErrorCode::kernel_mismatch, "there is no such kernel in the program"});
  }
  const KernelDescription& kernel = kernels[launch.kernel];
  if (launch.arguments.size() != kernel.arguments.size()) {
    return unexpected<Error>(
        Error{ErrorCode::kernel_mismatch,
              "kernel '" + kernel.name + "' was launched with another number of arguments"});
  }
  return {};
}

bool launches_nothing(const Launch& launch) {
  return std::any_of(launch.global.begin(), launch.global.end(),
                     [](std::int64_t size) { return size < 1; });
}

Result<void> check_values(const Values& values) {
  if (values.bytes.size() > most_value_bytes) {
    return unexpected<Error>(
        Error{ErrorCode::launch_failed, "an array of " + std::to_string(values.bytes.size()) +
                                            " bytes is too large to be copied with a launch; it "
                                            "may have " +
                                            std::to_string(most_value_bytes)});
  }
  return {};
}

void LastArguments::begin(std::size_t kernels) {
  if (is_stale_.exchange(false) || last_.size() != kernels) {
    last_.assign(kernels, {});
  }
}

Result<bool> LastArguments::note(const Launch& launch, const GenerationOf& generation_of) {
  auto key = key_of(launch, generation_of);
  if (!key) {
    return unexpected<Error>(key.error());
  }
  auto& last = last_[launch.kernel];
  const bool is_other = last != *key;
  last = std::move(*key);
  return is_other;
}

Statistics Counters::read() const {
  constexpr auto relaxed = std::memory_order_relaxed;
  Statistics statistics;
  statistics.launches = launches.load(relaxed);
  statistics.copies = copies.load(relaxed);
  statistics.bytes_copied = bytes_copied.load(relaxed);
  statistics.staged = staged.load(relaxed);
  statistics.bytes_staged = bytes_staged.load(relaxed);
  statistics.kernel_ns = kernel_ns.load(relaxed);
  return statistics;
}

Error did_not_end(const std::string& kernels, std::chrono::nanoseconds deadline) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(deadline).count();
  return {ErrorCode::device_lost, kernels + " did not end within " + std::to_string(limit) +
                                      " ms: the device is given up (LIGAMENT_GPU_DEADLINE_MS)"};
}

Error was_given_up(const DeviceInfo& device) {
  return {ErrorCode::device_lost, "'" + device.name + "' was given up before"};
}

Error is_on_another_device() {
  return {ErrorCode::launch_failed,
          "the payload is on another device, or was left by another device model"};
}

Error was_not_written() {
  return {ErrorCode::launch_failed, "the kernel that should write the payload failed"};
}

Error opens_no_peers_buffers() {
  return {ErrorCode::launch_failed,
          "the device opens no buffers of other processes (CUDA's do): leave `peer_buffers` out of "
          "the platform, and payloads go through the pool"};
}

}  // namespace ligament::gpu
