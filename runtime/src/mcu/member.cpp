// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/mcu_node.hpp>
#include <utility>

#include "agent/names.hpp"
#include "node/node_state.hpp"

namespace ligament::mcu {

Member::Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Core> core)
    : Node(name, options), core_(std::move(core)) {}

void OpenRequests::add(const pool::RequestIdentity& request, Respond respond) {
  // A core that went has left some: their clients ask again, or have gone.
  constexpr std::size_t most = 256;
  const std::lock_guard lock(mutex_);
  if (open_.size() == most) {
    open_.pop_front();
  }
  open_.push_back({request, std::move(respond)});
}

void OpenRequests::answer(const pool::RequestIdentity& request, std::span<const std::byte> stored) {
  Respond respond;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const Open& open) { return open.request == request; });
    if (found == open_.end()) {
      return;
    }
    respond = std::move(found->respond);
    open_.erase(found);
  }
  respond(stored);
}

void OpenRequests::serve(const std::shared_ptr<ServiceBase>& service) {
  const std::lock_guard lock(mutex_);
  service_ = service;
}

void OpenRequests::count_refused(std::uint32_t requests) {
  const std::lock_guard lock(mutex_);
  if (const auto service = service_.lock()) {
    service->requests()->count_invalid(requests);
  }
}

void OpenRequests::count_failed(std::uint32_t responses) {
  const std::lock_guard lock(mutex_);
  if (const auto service = service_.lock()) {
    service->replies()->count_refused(responses);
  }
}

/// From the core's thread.
void Member::tell_refused(const std::string& what) {
  if (!std::exchange(has_told_refused_, true)) {
    report_error(what +
                 " exceeds a bound of its fields and is dropped by the core "
                 "(spec/interfaces/bounds.yaml)");
  }
}

void Member::serve(const std::string& name, std::string request, std::string response,
                   const std::shared_ptr<OpenRequests>& open) {
  auto asked_ns = std::make_shared<std::int64_t>(0);
  const auto resolved = resolve_name(name, state().place, state().remaps);
  const std::string service = resolved ? *resolved : name;  // making it tells what is wrong
  inputs_.push_back({name, xrce::request_topic(service), std::move(request), most_requests,
                     [this, service, open](std::uint32_t count) {
                       open->count_refused(count);
                       tell_refused("a request or a response of " + service);
                     },
                     asked_ns});
  auto lent = std::make_shared<std::vector<std::byte>>();
  outputs_.push_back(
      {xrce::reply_topic(service), std::move(response),
       [lent](std::size_t size) {
         lent->assign(size, std::byte{0});
         return std::span(*lent);
       },
       [lent, open](const pool::RequestIdentity& asked) { open->answer(asked, *lent); },
       [open](std::uint32_t count) { open->count_failed(count); }, asked_ns});
}

namespace {

/// As the core's image reads it: a bool is a byte, others are eight, each at a multiple of its
/// size.
std::vector<std::byte> stored_values(const std::vector<Parameter>& values) {
  std::vector<std::byte> stored{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
  const auto put = [&stored](const auto& value) {
    while ((stored.size() - encapsulation_size) % sizeof value != 0) {
      stored.push_back(std::byte{0});
    }
    const auto bytes = std::as_bytes(std::span(&value, 1));
    stored.insert(stored.end(), bytes.begin(), bytes.end());
  };
  for (const Parameter& one : values) {
    const ParameterValue& value = one.get_parameter_value();
    if (const auto* flag = value.get_if<bool>()) {
      put(static_cast<std::uint8_t>(*flag ? 1 : 0));
    } else if (const auto* number = value.get_if<std::int64_t>()) {
      put(*number);
    } else if (const auto* fraction = value.get_if<double>()) {
      put(*fraction);
    }
  }
  return stored;
}

}  // namespace

/// Behind all topics and services. The node here is the one that ROS 2 asks: it knows names, rules
/// and values; the core has values only.
void Member::offer_parameters() {
  if (values_.empty()) {
    return;
  }
  const std::size_t number = inputs_.size();
  Input input{"", get_fully_qualified_name() + "/_parameters", "ligament/msg/ParameterValues", 1,
              [this](std::uint32_t) { report_error("the core cannot read its new parameters"); }};
  input.latched = std::make_shared<const std::vector<std::byte>>(stored_values(values_));
  inputs_.push_back(std::move(input));
  on_set_ = add_on_set_parameters_callback([this, number](const std::vector<Parameter>& news) {
    for (const Parameter& one : news) {
      const auto found = std::find_if(
          values_.begin(), values_.end(),
          [&one](const Parameter& known) { return known.get_name() == one.get_name(); });
      if (found != values_.end()) {
        *found = one;
      }
    }
    core_->latch(*this, number, stored_values(values_));
    return SetParametersResult{};
  });
}

Member::~Member() {
  set_core_figures({});
  core_->leave(*this);
}

void Member::join() {
  if (!differs_.empty()) {
    report_error("read-only parameters and texts are built into the image, and " + differs_ +
                 " has another value here: set it in the graph, and build again");
  }
  offer_parameters();
  set_core_figures([core = core_] { return core->figures(); });
  const std::string failure =
      core_->join(*this, std::move(inputs_), std::move(outputs_), std::move(offers_));
  if (!failure.empty()) {
    report_error(failure);
  }
}

}  // namespace ligament::mcu
