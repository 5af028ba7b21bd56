// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <ligament/gpu_node.hpp>
#include <ligament/names.hpp>
#include <utility>

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
  for (const auto& [topic, said] : options.topics()) {
    if (said.queue) {
      queues_.insert(topic);
    }
  }
  program_ = std::move(*program);
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
  detail::KernelFigures figures;
  figures.launches = found.launches;
  figures.refused = refused_.load(std::memory_order_relaxed);
  figures.copies = found.copies;
  figures.bytes_copied = found.bytes_copied;
  figures.imported = found.imported;
  figures.import_ns = found.import_ns;
  figures.kernel_ns = found.kernel_ns;
  return figures;
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
  // again while those under way may be.
  options.ring = queues_.empty() ? 0 : in_flight_ + 1;
  return options;
}

void KernelNode::wait_for_room() {
  on_device_.clear();
  if (program_ != nullptr) {
    program_->wait_for_room();
  }
}

void KernelNode::submit(std::span<const Launch> launches, std::unique_ptr<Job> job) {
  if (program_ == nullptr) {
    return;
  }
  if (on_device_.empty()) {
    program_->submit(launches, std::move(job));
    return;
  }
  std::vector<Launch> changed(launches.begin(), launches.end());
  std::deque<std::vector<Argument>> arguments;
  for (Launch& launch : changed) {
    auto& own = arguments.emplace_back();
    for (const Argument& argument : launch.arguments) {
      own.push_back(on_device(argument));
    }
    launch.arguments = own;
  }
  program_->submit(changed, std::move(job));
}

/// Payloads of queue topics are known by where they would lie.
Argument KernelNode::on_device(const Argument& argument) const {
  const auto* in = std::get_if<std::span<const std::byte>>(&argument);
  const auto* out = std::get_if<std::span<std::byte>>(&argument);
  for (const OnDevice& one : on_device_) {
    if (in != nullptr && !one.is_written && in->data() == one.bytes.data()) {
      return Arriving{*in, one.resident};
    }
    if (out != nullptr && one.is_written && out->data() == one.bytes.data()) {
      return Leaving{*out, one.resident};
    }
  }
  return argument;
}

bool KernelNode::find_resident(const MessageInfo& info, std::span<const std::byte> payload) {
  auto found = Residents::instance().find(info.publisher_id(), info.publication_sequence_number());
  if (found == nullptr && !payload.empty()) {
    return false;
  }
  on_device_.push_back({payload, std::move(found), false});
  return true;
}

void KernelNode::leaves(std::span<std::byte> payload) {
  auto resident = Residents::instance().of_block(payload.data());
  if (resident == nullptr && program_ != nullptr) {
    resident = program_->make_resident();
  }
  on_device_.push_back({payload, std::move(resident), true});
}

std::shared_ptr<Resident> KernelNode::take_left(std::span<const std::byte> payload) {
  for (OnDevice& one : on_device_) {
    if (one.is_written && one.bytes.data() == payload.data()) {
      return std::move(one.resident);
    }
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
  const std::lock_guard lock(mutex_);
  constexpr std::size_t most_reasons = 32;
  if (told_.size() < most_reasons && std::find(told_.begin(), told_.end(), why) == told_.end()) {
    told_.push_back(why);
    report_error("a message gives no output: " + why);
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
