// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ligament/gpu.hpp>
#include <string_view>

#include "gpu/model.hpp"

namespace ligament::gpu {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

unexpected<Error> wrong(const std::string& name, const std::string& value,
                        const std::string& allowed) {
  return unexpected<Error>(
      Error{ErrorCode::setting, name + " is '" + value + "'; there are " + allowed});
}

/// By its name, of which there is one for each in their order; the first where nothing is said.
template <typename Choice, std::size_t n>
Result<Choice> choice_of(const std::string& name, const std::string& text,
                         const std::array<const char*, n>& names) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) {
    if (text.empty() || text == names[i]) {
      return static_cast<Choice>(i);
    }
    all += (i == 0 ? "" : i == n - 1 ? " and " : ", ") + std::string(names[i]);
  }
  return wrong(name, text, all);
}

/// `MODEL,TOPIC=MODEL,...` into the settings; either part may be missing.
Result<void> read_models(const std::string& name, std::string_view text, Settings& settings) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    const bool is_topic = equals != std::string_view::npos;
    const auto model =
        choice_of<Model>(name, std::string(is_topic ? item.substr(equals + 1) : item), model_names);
    if (!model) {
      return unexpected<Error>(model.error());
    }
    if (is_topic) {
      settings.topic_models[std::string(item.substr(0, equals))] = *model;
    } else {
      settings.model = *model;
    }
  }
  return {};
}

Result<Backend> backend_of(const std::string& name) {
  static constexpr std::array<const char*, 3> names{"automatic", "opencl", "cuda"};
  return choice_of<Backend>(name, environment(name.c_str()), names);
}

/// From 1 on; `missing` where it is not set.
Result<std::uint32_t> number_of(const std::string& name, std::uint32_t missing) {
  const std::string text = environment(name.c_str());
  if (text.empty()) {
    return missing;
  }
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value == 0) {
    return wrong(name, text, "whole numbers from 1 on");
  }
  return value;
}

}  // namespace

Result<Settings> settings_from_environment() {
  Settings settings;
  settings.device = environment("LIGAMENT_GPU_DEVICE");
  const auto backend = backend_of("LIGAMENT_GPU_BACKEND");
  if (!backend) {
    return unexpected<Error>(backend.error());
  }
  const auto models =
      read_models("LIGAMENT_GPU_MODEL", environment("LIGAMENT_GPU_MODEL"), settings);
  if (!models) {
    return unexpected<Error>(models.error());
  }
  const auto in_flight = number_of("LIGAMENT_GPU_IN_FLIGHT", settings.in_flight);
  if (!in_flight) {
    return unexpected<Error>(in_flight.error());
  }
  const auto deadline = number_of("LIGAMENT_GPU_DEADLINE_MS", 60'000);
  if (!deadline) {
    return unexpected<Error>(deadline.error());
  }
  settings.backend = *backend;
  settings.in_flight = *in_flight;
  settings.deadline = std::chrono::milliseconds(*deadline);
  return settings;
}

Result<Settings> settings_for(const std::string& models) {
  auto settings = settings_from_environment();
  if (settings && settings->model == Model::automatic && settings->topic_models.empty()) {
    const auto own = read_models("the device model of the node", models, *settings);
    if (!own) {
      return unexpected<Error>(own.error());
    }
  }
  return settings;
}

}  // namespace ligament::gpu
