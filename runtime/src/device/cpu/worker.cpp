// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/worker.hpp"

#include <ctime>
#include <thread>

#include "node/nearest.hpp"

namespace ligament::device {
namespace {

constexpr std::size_t kept_errors = 64;
constexpr std::size_t kept_spans = 4096;

const std::uint8_t* bytes(std::span<const std::byte> payload) {
  return reinterpret_cast<const std::uint8_t*>(payload.data());
}

}  // namespace

std::uint64_t device_ticks() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000ULL +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::vector<Port> Worker::ports() const {
  return {{program_.input_port, Direction::in, program_.input_message},
          {program_.output_port, Direction::out, program_.output_message}};
}

Result<void> Worker::bind(pool::Domain& domain, const Binding& binding) {
  const bool input = binding.port == program_.input_port;
  if (!input && binding.port != program_.output_port) {
    const std::vector<std::string> known{program_.input_port, program_.output_port};
    return failure(ErrorCode::port_unknown, "'" + path_ + "' has no port '" + binding.port + "'" +
                                                detail::did_you_mean(binding.port, known) +
                                                "; there are: " + detail::listing(known));
  }
  if (input ? reader_ != nullptr : writer_ != nullptr) {
    return failure(ErrorCode::port_bound_twice, "port '" + binding.port + "' of '" + path_ +
                                                    "' is bound to '" +
                                                    (input ? input_topic_ : output_topic_) + "'");
  }
  const char* message = input ? program_.input_message : program_.output_message;
  if (binding.endpoint.type_name != message) {
    return failure(ErrorCode::type_mismatch,
                   "topic '" + binding.endpoint.topic + "' carries " + binding.endpoint.type_name +
                       ", but port '" + binding.port + "' of '" + path_ + "' takes " + message);
  }
  if (input) {
    auto waiter = domain.create_waiter();
    if (!waiter) {
      return failure(ErrorCode::system, waiter.error().text);
    }
    auto reader = domain.create_reader(binding.endpoint, **waiter);
    if (!reader) {
      return failure(ErrorCode::memory_refused, reader.error().text);
    }
    waiter_ = std::move(*waiter);
    reader_ = std::move(*reader);
    input_topic_ = binding.endpoint.topic;
    return {};
  }
  pool::WriterOptions options;
  options.max_bytes = binding.bound_bytes;
  auto writer = domain.create_writer(binding.endpoint, options);
  if (!writer) {
    return failure(ErrorCode::memory_refused, writer.error().text);
  }
  writer_ = std::move(*writer);
  output_topic_ = binding.endpoint.topic;
  return {};
}

Result<void> Worker::check_bound() const {
  if (reader_ == nullptr || writer_ == nullptr) {
    const char* port = reader_ == nullptr ? program_.input_port : program_.output_port;
    return failure(ErrorCode::not_bound,
                   std::string("port '") + port + "' of '" + path_ + "' is bound to no topic");
  }
  return {};
}

void Worker::start() {
  stop_ = false;
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  // Detached: a program that never returns must not keep the device from being closed.
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void Worker::request_stop() {
  stop_ = true;
  if (waiter_ != nullptr) {
    waiter_->wake();
  }
}

bool Worker::wait_stopped(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return stopped_.wait_until(lock, deadline, [this] { return !running_; });
}

void Worker::run() {
  while (!stop_) {
    auto taken = reader_->take();
    if (taken && taken->has_value()) {
      process(std::move(**taken));
    } else {
      waiter_->wait(pool::WaitStrategy::sleep());
    }
  }
  const std::lock_guard lock(mutex_);
  running_ = false;
  stopped_.notify_all();
}

void Worker::process(pool::HeldSample sample) {
  ++taken_;
  const auto input = sample.payload();
  std::size_t size = 0;
  std::size_t chosen_offset = 0;
  if (const int refused = program_.plan(bytes(input), input.size(), &size, &chosen_offset)) {
    return report(ErrorCode::program_failed,
                  "refused a message of '" + input_topic_ + "' (" + std::to_string(refused) + ")");
  }
  auto loan = writer_->loan(size, chosen_offset);
  if (!loan) {
    const bool bound = loan.error() == pool::LoanError::exceeds_bound;
    return report(bound ? ErrorCode::exceeds_bound : ErrorCode::memory_refused,
                  "an output of " + std::to_string(size) + " bytes for '" + output_topic_ +
                      "': " + std::string(pool::to_string(loan.error())));
  }
  Span span{id_, sample.info().publisher, sample.info().sequence, device_ticks(), 0};
  const int failed = program_.run(bytes(input), input.size(),
                                  reinterpret_cast<std::uint8_t*>(loan->payload().data()), size);
  span.end_ticks = device_ticks();
  {
    const std::lock_guard lock(mutex_);
    spans_.push_back(span);
    if (spans_.size() > kept_spans) {
      spans_.pop_front();
    }
  }
  if (failed != 0) {
    return report(ErrorCode::program_failed,
                  "failed on a message of '" + input_topic_ + "' (" + std::to_string(failed) + ")");
  }
  if (auto published = writer_->publish(std::move(*loan)); !published) {
    return report(ErrorCode::memory_refused,
                  "an output for '" + output_topic_ +
                      "' was not sent: " + std::string(pool::to_string(published.error())));
  }
  ++published_;
}

void Worker::report(ErrorCode code, const std::string& why) {
  ++failed_;
  const std::lock_guard lock(mutex_);
  if (errors_.size() < kept_errors) {
    errors_.push_back({code, "'" + path_ + "' " + why});
  }
}

std::optional<Error> Worker::take_error() {
  const std::lock_guard lock(mutex_);
  if (errors_.empty()) {
    return std::nullopt;
  }
  Error first = std::move(errors_.front());
  errors_.pop_front();
  return first;
}

void Worker::take_spans(std::vector<Span>& out) {
  const std::lock_guard lock(mutex_);
  out.insert(out.end(), spans_.begin(), spans_.end());
  spans_.clear();
}

void Worker::add_statistics(Statistics& sum) const {
  sum.taken += taken_;
  sum.published += published_;
  sum.failed += failed_;
}

}  // namespace ligament::device
