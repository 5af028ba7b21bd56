// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <ligament/gpu_node.hpp>
#include <ligament/logging.hpp>
#include <ligament/names.hpp>
#include <utility>

#include "gpu/model.hpp"

namespace ligament::gpu {

KernelNode::KernelNode(const std::string& name, const NodeOptions& options,
                       const ProgramDescription& description)
    : Node(name, options), handle_(name_hash(get_fully_qualified_name() + " kernels")) {
  auto settings = settings_for(options.device_model());
  auto program =
      settings ? Program::open(description, *settings)
               : Result<std::unique_ptr<Program>>(unexpected<Error>(std::move(settings.error())));
  if (!program) {
    report_error(program.error().text);
    return;
  }
  in_flight_ = settings->in_flight;
  topic_models_ = settings->topic_models;
  for (const auto& [topic, said] : options.topics()) {
    if (said.queue) {
      queues_.insert(topic);
    }
    if (said.queue && said.queue_crosses) {
      crossing_.insert(topic);
    }
  }
  program_ = std::move(*program);
  const DeviceInfo& device = program_->device();
  LIGAMENT_INFO(get_logger(), "kernels run on '{}', payloads by {}: {}", device.name,
                to_string(device.model), device.why);
  trace::timer_init(handle_, trace_handle(), 0);
  set_kernel_figures([this] { return figures(); });
}

KernelNode::~KernelNode() {
  set_kernel_figures({});
  for (const std::uint64_t publisher : senders_) {
    Residents::instance().forget_publisher(publisher);
  }
}

detail::KernelFigures KernelNode::figures() const {
  const Statistics found = program_->statistics();
  return {.launches = found.launches,
          .refused = refused_.load(std::memory_order_relaxed),
          .copies = found.copies,
          .bytes_copied = found.bytes_copied,
          .staged = found.staged,
          .bytes_staged = found.bytes_staged,
          .imported = found.imported,
          .import_ns = found.import_ns,
          .kernel_ns = found.kernel_ns};
}

SubscriptionOptions KernelNode::input_options() {
  SubscriptionOptions options;
  options.device = true;
  return options;
}

QoS KernelNode::input_qos(std::size_t waiting) const {
  return QoS(std::max<std::size_t>(waiting, 5)).max_held(waiting + in_flight_ + 2);
}

PublisherOptions KernelNode::output_options() const {
  PublisherOptions options;
  options.max_loans = in_flight_ + 1;
  // A message of a queue topic is sent before the device has written it: its block must not be lent
  // again while those in flight may be.
  options.ring = queues_.empty() ? 0 : in_flight_ + 1;
  return options;
}

void KernelNode::wait_for_room() {
  special_.clear();
  if (program_ != nullptr) {
    program_->wait_for_room();
  }
}

void KernelNode::submit(std::span<const Launch> launches, std::unique_ptr<Job> job) {
  if (program_ == nullptr) {
    return;
  }
  if (special_.empty()) {
    program_->submit(launches, std::move(job));
    return;
  }
  std::vector<Launch> changed(launches.begin(), launches.end());
  std::deque<std::vector<Argument>> arguments;
  for (Launch& launch : changed) {
    auto& own = arguments.emplace_back();
    for (const Argument& argument : launch.arguments) {
      own.push_back(special(argument));
    }
    launch.arguments = own;
  }
  program_->submit(changed, std::move(job));
}

/// Payloads are known by where they lie, or would lie.
Argument KernelNode::special(const Argument& argument) const {
  const auto* in = std::get_if<std::span<const std::byte>>(&argument);
  const auto* out = std::get_if<std::span<std::byte>>(&argument);
  for (const Special& one : special_) {
    if (in != nullptr && !one.is_written && in->data() == one.bytes.data()) {
      return one.is_queue ? Argument(Arriving{*in, one.resident}) : Reading{*in, one.model};
    }
    if (out != nullptr && one.is_written && out->data() == one.bytes.data()) {
      return one.is_queue ? Argument(Leaving{*out, one.resident, one.model})
                          : Writing{*out, one.model};
    }
  }
  return argument;
}

Model KernelNode::model_of(const std::string& topic) const {
  const auto found = topic_models_.find(topic);
  return found == topic_models_.end() ? Model::automatic : found->second;
}

bool KernelNode::arrives(const std::string& topic, const MessageInfo& info,
                         std::span<const std::byte> payload) {
  if (!is_queue(topic)) {
    if (const Model model = model_of(topic); model != Model::automatic) {
      special_.push_back({payload, nullptr, model});
    }
    return true;
  }
  auto found = find_resident(topic, info, payload);
  if (found == nullptr && !payload.empty()) {
    return false;
  }
  special_.push_back({payload, std::move(found), Model::automatic, true});
  return true;
}

/// Of this process, else what another one has shown in place of the payload.
std::shared_ptr<Resident> KernelNode::find_resident(const std::string& topic,
                                                    const MessageInfo& info,
                                                    std::span<const std::byte> payload) {
  auto found = Residents::instance().find(info.publisher_id(), info.publication_sequence_number());
  if (found != nullptr || payload.size() < ticket_bytes || !crossing_.contains(topic) ||
      program_ == nullptr) {
    return found;
  }
  auto shown = program_->find_shown(payload.first<ticket_bytes>());
  if (!shown) {
    tell_once(shown.error().text);
    return nullptr;
  }
  return std::move(*shown);
}

void KernelNode::leaves(const std::string& topic, std::span<std::byte> payload) {
  Special left{payload, nullptr, model_of(topic), false, true};
  if (is_queue(topic)) {
    left.is_queue = true;
    left.resident = Residents::instance().of_block(payload.data());
    if (left.resident == nullptr && program_ != nullptr) {
      left.resident = program_->make_resident();
    }
  } else if (left.model == Model::automatic) {
    return;
  }
  special_.push_back(std::move(left));
}

/// Others find it by what lies where the payload would.
std::shared_ptr<Resident> KernelNode::take_left(const std::string& topic,
                                                std::span<const std::byte> payload) {
  for (Special& one : special_) {
    if (!one.is_written || one.bytes.data() != payload.data()) {
      continue;
    }
    if (crossing_.contains(topic) && program_ != nullptr) {
      auto* const place = const_cast<std::byte*>(payload.data());  // of a loan
      const auto shown =
          payload.size() < ticket_bytes
              ? Result<void>(unexpected<Error>(Error{
                    ErrorCode::launch_failed, "a payload below " + std::to_string(ticket_bytes) +
                                                  " bytes cannot be shown to other processes"}))
              : program_->show(*one.resident,
                               std::span<std::byte, ticket_bytes>(place, ticket_bytes));
      if (!shown) {
        tell_once(shown.error().text);
      }
    }
    return std::move(one.resident);
  }
  return nullptr;
}

void KernelNode::drain() {
  if (program_ != nullptr) {
    program_->drain();
  }
}

void KernelNode::refuse(const std::string& why) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  tell_once("a message gives no output: " + why);
}

void KernelNode::tell_once(const std::string& why) {
  const std::lock_guard lock(mutex_);
  constexpr std::size_t most_reasons = 32;
  if (told_.size() < most_reasons && std::find(told_.begin(), told_.end(), why) == told_.end()) {
    told_.push_back(why);
    report_error(why);
  }
}

void KernelNode::Job::waiting() {
  trace::callback_start(node_.handle_, message_.publisher, message_.sequence);
  span_.emplace(node_, node_.span_name_, trace::Category::device, message_);
}

void KernelNode::Job::worked(const trace::DeviceWork& work) {
  trace::tell_device_work(node_, work, message_);
}

void KernelNode::Job::ended(const Result<void>& result) {
  span_.reset();
  if (result) {
    publish();
  } else {
    node_.refuse(result.error().text);
  }
  trace::callback_end(node_.handle_);
}

}  // namespace ligament::gpu
