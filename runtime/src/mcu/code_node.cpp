// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <ligament/mcu_node.hpp>
#include <optional>

namespace ligament::mcu {

namespace {

constexpr int error_full = -1002;       // LIGAMENT_ERROR_FULL of ligament/xrce.h
constexpr int error_too_large = -1003;  // LIGAMENT_ERROR_TOO_LARGE
// How stored messages begin: XCDR version 1, little-endian, the only form that cores speak.
constexpr std::array<std::byte, encapsulation_size> little_endian{std::byte{0}, std::byte{1},
                                                                  std::byte{0}, std::byte{0}};

template <typename T>
void put(std::byte* place, const T& value) {
  std::memcpy(place, &value, sizeof value);
}

/// Nothing: these bytes are not in the form that cores speak.
std::optional<ligament_cdr_t> body_of(std::span<const std::byte> stored) {
  if (stored.size() < encapsulation_size || stored[1] != little_endian[1]) {
    return std::nullopt;
  }
  // The reader does not write: the cast is C's, whose struct serves both.
  auto* bytes = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(stored.data()));
  return ligament_cdr_t{bytes + encapsulation_size, stored.size() - encapsulation_size, 0, false};
}

}  // namespace

CodeNode::CodeNode(const std::string& name, const NodeOptions& options,
                   const ligament_code_type_t& type)
    : Node(name, options),
      type_(type),
      memory_((type.size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)) {
  static constexpr ligament_surroundings_t surroundings{begin, end, now_ns, log, nullptr};
  code()->around = &surroundings;
  code()->context = this;
  std::size_t longest = 0;
  for (const auto& output : std::span(type.outputs, type.output_count)) {
    longest = std::max(longest, output.most);
  }
  buffer_.resize(encapsulation_size + longest);
  longest = 0;
  for (const auto& service : std::span(type.services, type.service_count)) {
    longest = std::max(longest, service.most);
  }
  response_.resize(encapsulation_size + longest);
}

ligament_code_t* CodeNode::code() { return reinterpret_cast<ligament_code_t*>(memory_.data()); }

void CodeNode::set(const std::string& name, const ParameterValue& value) {
  for (const auto& parameter : std::span(type_.parameters, type_.parameter_count)) {
    if (name != parameter.name) {
      continue;
    }
    std::byte* place = reinterpret_cast<std::byte*>(memory_.data()) + parameter.offset;
    if (const auto* flag = value.get_if<bool>()) {
      put(place, *flag);
    } else if (const auto* number = value.get_if<std::int64_t>()) {
      put(place, *number);
    } else if (const auto* fraction = value.get_if<double>()) {
      put(place, *fraction);
    } else if (const auto* text = value.get_if<std::string>()) {
      texts_.push_back(std::make_unique<std::string>(*text));
      put(place, texts_.back()->c_str());
    }
  }
}

void CodeNode::tell_invalid(const std::string& what) {
  if (!std::exchange(has_told_invalid_, true)) {
    report_error(what +
                 " exceeds a bound of its fields and is dropped, as on a core "
                 "(spec/interfaces/bounds.yaml)");
  }
}

void CodeNode::take(std::size_t input, std::span<const std::byte> stored) {
  auto body = body_of(stored);
  if (!body || !type_.inputs[input].take(code(), &*body)) {
    subscriptions_[input]->count_invalid();
    tell_invalid("a message on " + subscriptions_[input]->get_topic_name());
  }
}

std::span<const std::byte> CodeNode::serve(std::size_t service, std::span<const std::byte> stored) {
  auto request = body_of(stored);
  ligament_cdr_t response{reinterpret_cast<std::uint8_t*>(response_.data()) + encapsulation_size,
                          type_.services[service].most, 0, false};
  if (!request || !type_.services[service].serve(code(), &*request, &response)) {
    services_[service]->requests()->count_invalid();
    tell_invalid("a request or a response of " + services_[service]->get_service_name());
    return {};
  }
  std::copy(little_endian.begin(), little_endian.end(), response_.begin());
  return std::span(response_).first(encapsulation_size + response.at);
}

void CodeNode::start() {
  type_.start(code());
  rates_.resize(type_.timer_count);
  timers_.resize(type_.timer_count);
  keep_rates();
  on_set_ = add_on_set_parameters_callback([this](const std::vector<Parameter>& news) {
    for (const Parameter& one : news) {
      set(one.get_name(), one.get_parameter_value());
    }
    keep_rates();
    return SetParametersResult{};
  });
}

/// A rate may be a parameter, and change.
void CodeNode::keep_rates() {
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const auto& timer = type_.timers[i];
    const double rate = timer.rate(code());
    if (rate == rates_[i]) {
      continue;
    }
    rates_[i] = rate;
    timers_[i].reset();
    if (rate > 0) {
      const auto period = std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / rate));
      timers_[i] = create_timer(period, [this, &timer] { timer.call(code()); });
    }
  }
}

int CodeNode::begin(void* context, std::uint16_t output, ligament_cdr_t* body) {
  auto& node = *static_cast<CodeNode*>(context);
  *body = {reinterpret_cast<std::uint8_t*>(node.buffer_.data()) + encapsulation_size,
           node.type_.outputs[output].most, 0, false};
  return 0;
}

int CodeNode::end(void* context, std::uint16_t output, const ligament_cdr_t* body) {
  auto& node = *static_cast<CodeNode*>(context);
  if (body->has_failed) {
    node.publishers_.at(output)->refuse(CodecError::bound_exceeded);
    return error_too_large;
  }
  std::copy(little_endian.begin(), little_endian.end(), node.buffer_.begin());
  const std::span stored(node.buffer_.data(), encapsulation_size + body->at);
  return node.publish_.at(output)(stored) ? 0 : error_full;
}

std::int64_t CodeNode::now_ns(void* context) {
  return static_cast<CodeNode*>(context)->now().nanoseconds();
}

void CodeNode::log(void* context, const char* text) {
  LIGAMENT_INFO(static_cast<CodeNode*>(context)->get_logger(), "{}", text);
}

}  // namespace ligament::mcu
