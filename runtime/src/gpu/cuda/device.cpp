// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/device.hpp"

#include <array>
#include <map>
#include <mutex>

#include "gpu/model.hpp"

namespace ligament::gpu::cuda {
namespace {

struct Found {
  Ordinal ordinal = 0;
  std::string place;  ///< cuda:number
  std::string name;
};

int ask(const Driver& driver, Ordinal device, Attribute attribute) {
  int value = 0;
  (void)driver.device_attribute(&value, attribute, device);
  return value;
}

Result<std::vector<Found>> all_devices(const Driver& driver) {
  int count = 0;
  if (auto counted = as_result(driver, "cuDeviceGetCount", driver.device_count(&count)); !counted) {
    return unexpected<Error>(counted.error());
  }
  std::vector<Found> all;
  for (int i = 0; i < count; ++i) {
    Found found;
    std::array<char, 256> name{};
    if (driver.device_get(&found.ordinal, i) != status::success ||
        driver.device_name(name.data(), static_cast<int>(name.size()), found.ordinal) !=
            status::success) {
      continue;
    }
    found.place = "cuda:" + std::to_string(i);
    found.name = name.data();
    all.push_back(std::move(found));
  }
  return all;
}

Result<Found> choose(const Driver& driver, const std::string& wish) {
  const auto all = all_devices(driver);
  if (!all) {
    return unexpected<Error>(all.error());
  }
  std::string listing;
  for (const Found& found : *all) {
    if (wish.empty() || found.place == wish || found.name.find(wish) != std::string::npos) {
      return found;
    }
    listing += (listing.empty() ? "" : ", ") + found.place + " '" + found.name + "'";
  }
  return failure(ErrorCode::unavailable,
                 all->empty() ? "the CUDA driver finds no device"
                              : "no CUDA device is called '" + wish + "'; there are: " + listing);
}

Facts facts_of(const Driver& driver, Ordinal device) {
  Facts facts;
  facts.is_integrated = ask(driver, device, Attribute::integrated) != 0;
  facts.maps_host_memory = ask(driver, device, Attribute::can_map_host_memory) != 0;
  facts.registers_read_only = ask(driver, device, Attribute::read_only_host_register) != 0;
  facts.has_managed_memory = ask(driver, device, Attribute::managed_memory) != 0;
  facts.shares_managed_memory = ask(driver, device, Attribute::concurrent_managed_access) != 0;
  facts.architecture =
      ask(driver, device, Attribute::major) * 10 + ask(driver, device, Attribute::minor);
  return facts;
}

/// Jetsons before Xavier (7.2) turn caches off for memory that both sides use.
ModelChoice by_itself(const Facts& facts, Access access) {
  if (facts.is_integrated && facts.maps_host_memory && !facts.registers_read_only) {
    return {Model::standard_copy,
            "the device shares the host's memory, but not what a process may only read"};
  }
  constexpr Architecture first_coherent = 72;
  return choose_model({.is_shared = facts.is_integrated && facts.maps_host_memory,
                       .is_coherent = facts.architecture >= first_coherent},
                      access);
}

Result<void> check(const Found& found, const Facts& facts, Model wish) {
  if (wish == Model::zero_copy && !facts.maps_host_memory) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' cannot reach the host's memory, so there is no "
                                           "zero_copy on it; standard_copy works");
  }
  if (wish == Model::unified_memory && !facts.has_managed_memory) {
    return failure(ErrorCode::setting, "'" + found.name +
                                           "' has no managed memory, so there is no unified_memory "
                                           "on it; standard_copy works");
  }
  return {};
}

Result<DeviceInfo> describe(const Found& found, const Facts& facts, const Settings& settings,
                            Access access) {
  auto checked = check(found, facts, settings.model);
  for (const auto& [topic, model] : settings.topic_models) {
    checked = checked ? check(found, facts, model) : checked;
  }
  if (!checked) {
    return unexpected<Error>(checked.error());
  }
  const bool is_asked = settings.model != Model::automatic;
  const ModelChoice own = by_itself(facts, access);
  DeviceInfo info;
  info.name = found.name;
  info.backend = Backend::cuda;
  info.shares_host_memory = facts.is_integrated;
  info.model = is_asked ? settings.model : own.model;
  info.why = is_asked ? "it was asked for" : own.why;
  if (info.model == Model::standard_copy && !facts.registers_read_only) {
    info.why +=
        "; it takes no memory that may only be read, as a subscription's is, so the host copies "
        "each input once more, into pinned memory";
  }
  return info;
}

/// One for all programs of the process, for as long as there is one.
Result<std::shared_ptr<SharedContext>> shared_context(const Driver& driver, Ordinal ordinal) {
  static std::mutex mutex;
  static auto* const known =
      new std::map<std::pair<const Driver*, Ordinal>, std::weak_ptr<SharedContext>>;
  const std::lock_guard lock(mutex);
  auto& place = (*known)[{&driver, ordinal}];
  if (auto found = place.lock()) {
    return found;
  }
  Context context = nullptr;
  const Status retained = driver.primary_retain(&context, ordinal);
  if (retained != status::success) {
    return failed(driver, "cuDevicePrimaryCtxRetain", retained);
  }
  auto made = std::make_shared<SharedContext>(driver, ordinal, context);
  place = made;
  return made;
}

Result<void> open_streams(Device& device) {
  const Driver& driver = *device.driver;
  for (StreamHandle* stream :
       {&device.uploads, &device.kernels, &device.downloads, &device.told, &device.clock}) {
    Stream raw = nullptr;
    const Status made = driver.stream_create(&raw, stream_non_blocking);
    if (made != status::success) {
      return failed(driver, "cuStreamCreate", made);
    }
    *stream = StreamHandle(driver, raw);
  }
  return {};
}

}  // namespace

SharedContext::~SharedContext() { (void)driver_.primary_release(device_); }

Current::Current(const SharedContext& context) : driver_(context.driver()) {
  status_ = driver_.get_current(&before_);
  if (status_ == status::success && before_ != context.get()) {
    status_ = driver_.set_current(context.get());
    is_changed_ = status_ == status::success;
  }
}

Current::~Current() {
  if (is_changed_) {
    (void)driver_.set_current(before_);
  }
}

Result<void> Current::result() const { return as_result(driver_, "cuCtxSetCurrent", status_); }

std::vector<DeviceLine> device_lines() {
  const auto driver = load_driver();
  const auto all = driver ? all_devices(**driver)
                          : Result<std::vector<Found>>(unexpected<Error>(driver.error()));
  if (!all) {
    return {{"cuda: " + all.error().text, false}};
  }
  const auto compiler = find_compiler();
  std::vector<DeviceLine> lines;
  for (const Found& found : *all) {
    auto info = describe(found, facts_of(**driver, found.ordinal), {}, Access::cached);
    if (info && !compiler) {
      info = unexpected<Error>(compiler.error());
    }
    lines.push_back(line_of(found.place, info));
  }
  if (lines.empty()) {
    lines.push_back({"cuda: the CUDA driver finds no device", false});
  }
  return lines;
}

Result<void> find_device(const std::string& wish) {
  const auto driver = load_driver();
  if (!driver) {
    return unexpected<Error>(driver.error());
  }
  const auto found = choose(**driver, wish);
  return found ? Result<void>() : Result<void>(unexpected<Error>(found.error()));
}

Result<Device> open_device(const Settings& settings, Access access) {
  const auto driver = load_driver();
  if (!driver) {
    return unexpected<Error>(driver.error());
  }
  const auto found = choose(**driver, settings.device);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  const Facts facts = facts_of(**driver, found->ordinal);
  auto info = describe(*found, facts, settings, access);
  if (!info) {
    return unexpected<Error>(info.error());
  }
  auto context = shared_context(**driver, found->ordinal);
  if (!context) {
    return unexpected<Error>(context.error());
  }
  const Current current(**context);
  if (auto is_current = current.result(); !is_current) {
    return unexpected<Error>(is_current.error());
  }
  Device device;  // goes before `current` does
  device.driver = *driver;
  device.ordinal = found->ordinal;
  device.facts = facts;
  device.info = std::move(*info);
  device.context = std::move(*context);
  if (auto opened = open_streams(device); !opened) {
    return unexpected<Error>(opened.error());
  }
  return device;
}

Result<EventHandle> make_event(const Device& device, unsigned flags) {
  Event raw = nullptr;
  const Status made = device.driver->event_create(&raw, flags);
  if (made != status::success) {
    return failed(*device.driver, "cuEventCreate", made);
  }
  return EventHandle(*device.driver, raw);
}

}  // namespace ligament::gpu::cuda
