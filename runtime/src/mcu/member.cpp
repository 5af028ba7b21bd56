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

void Member::serve(const std::string& name, std::string request, std::string response,
                   const std::shared_ptr<OpenRequests>& open) {
  auto asked_ns = std::make_shared<std::int64_t>(0);
  const auto resolved = resolve_name(name, state().place, state().remaps);
  const std::string service = resolved ? *resolved : name;  // making it tells what is wrong
  inputs_.push_back(
      {service, xrce::request_topic(service), std::move(request), most_requests, false, asked_ns});
  auto lent = std::make_shared<std::vector<std::byte>>();
  outputs_.push_back(
      {xrce::reply_topic(service), std::move(response),
       [lent](std::size_t size) {
         lent->assign(size, std::byte{0});
         return std::span(*lent);
       },
       [lent, open](const pool::RequestIdentity& asked) { open->answer(asked, *lent); }, false,
       asked_ns});
}

Member::~Member() {
  set_core_figures({});
  core_->leave(*this);
}

void Member::join() {
  if (!differs_.empty()) {
    report_error("parameters are built into the image, and " + differs_ +
                 " has another value here: set it in the graph, and build again");
  }
  set_core_figures([core = core_] { return core->figures(); });
  const std::string failure =
      core_->join(*this, std::move(inputs_), std::move(outputs_), std::move(offers_));
  if (!failure.empty()) {
    report_error(failure);
  }
}

}  // namespace ligament::mcu
