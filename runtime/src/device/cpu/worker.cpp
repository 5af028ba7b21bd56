// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/worker.hpp"

#include "device/failure.hpp"
#include "node/nearest.hpp"

namespace ligament::device {
namespace {

const std::uint8_t* bytes(std::span<const std::byte> payload) {
  return reinterpret_cast<const std::uint8_t*>(payload.data());
}

}  // namespace

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
    const auto found = waiter(domain);
    if (!found) {
      return unexpected<Error>(found.error());
    }
    auto reader = domain.create_reader(binding.endpoint, **found);
    if (!reader) {
      return failure(ErrorCode::memory_refused, reader.error().text);
    }
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

bool Worker::work() {
  auto taken = reader_->take();
  const bool is_there = taken && taken->has_value();
  if (is_there) {
    process(std::move(**taken));
  }
  return is_there;
}

void Worker::process(pool::HeldSample sample) {
  ++taken_;
  const auto input = sample.payload();
  std::size_t size = 0;
  std::size_t chosen_offset = 0;
  if (const int refused = program_.plan(bytes(input), input.size(), &size, &chosen_offset)) {
    return fail(ErrorCode::program_failed,
                "refused a message of '" + input_topic_ + "' (" + std::to_string(refused) + ")");
  }
  auto loan = writer_->loan(size, chosen_offset);
  if (!loan) {
    const bool bound = loan.error() == pool::LoanError::exceeds_bound;
    return fail(bound ? ErrorCode::exceeds_bound : ErrorCode::memory_refused,
                "an output of " + std::to_string(size) + " bytes for '" + output_topic_ +
                    "': " + std::string(pool::to_string(loan.error())));
  }
  Span span{id_, sample.info().publisher, sample.info().sequence, device_ticks(), 0};
  const int failed = program_.run(bytes(input), input.size(),
                                  reinterpret_cast<std::uint8_t*>(loan->payload().data()), size);
  span.end_ticks = device_ticks();
  keep(span);
  if (failed != 0) {
    return fail(ErrorCode::program_failed,
                "failed on a message of '" + input_topic_ + "' (" + std::to_string(failed) + ")");
  }
  if (auto published = writer_->publish(std::move(*loan)); !published) {
    return fail(ErrorCode::memory_refused, "an output for '" + output_topic_ + "' was not sent: " +
                                               std::string(pool::to_string(published.error())));
  }
  ++published_;
}

}  // namespace ligament::device
