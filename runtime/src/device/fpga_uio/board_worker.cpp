// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/board_worker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/failure.hpp"
#include "node/nearest.hpp"

namespace ligament::device::fpga_uio {

Result<void> BoardWorker::load(const std::string& path) {
  auto plan = read_plan(path);
  if (!plan) {
    return unexpected<Error>(plan.error());
  }
  auto taken = board_.take(*plan);
  loaded_ = taken.has_value();
  return taken;
}

/// The port, where no other node of the design has one of that name.
std::string BoardWorker::port_name(const Stream& stream) const {
  const auto& streams = board_.plan().streams;
  const auto same = std::count_if(streams.begin(), streams.end(), [&](const Stream& other) {
    return other.end && other.port == stream.port;
  });
  return same == 1 ? stream.port : stream.name;
}

std::vector<Port> BoardWorker::ports() const {
  std::vector<Port> ports;
  for (const Stream& stream : board_.plan().streams) {
    if (stream.end) {
      ports.push_back(
          {port_name(stream), stream.input ? Direction::in : Direction::out, stream.message});
    }
  }
  return ports;
}

BoardWorker::End* BoardWorker::end_of(std::size_t stream) {
  const auto found = std::find_if(ends_.begin(), ends_.end(),
                                  [&](const End& end) { return end.stream == stream; });
  return found == ends_.end() ? nullptr : &*found;
}

Result<void> BoardWorker::bind(pool::Domain& domain, const Binding& binding) {
  const Plan& plan = board_.plan();
  const auto found = std::find_if(
      plan.streams.begin(), plan.streams.end(),
      [&](const Stream& stream) { return stream.end && port_name(stream) == binding.port; });
  if (found == plan.streams.end()) {
    std::vector<std::string> known;
    for (const Port& port : ports()) {
      known.push_back(port.name);
    }
    return failure(ErrorCode::port_unknown, plan.name + " has no port '" + binding.port + "'" +
                                                detail::did_you_mean(binding.port, known) +
                                                "; there are: " + detail::listing(known));
  }
  const auto number = static_cast<std::size_t>(found - plan.streams.begin());
  if (const End* bound = end_of(number); bound != nullptr) {
    return failure(ErrorCode::port_bound_twice, "port '" + binding.port + "' of " + plan.name +
                                                    " is bound to '" + bound->topic + "'");
  }
  if (binding.endpoint.type_name != found->message) {
    return failure(ErrorCode::type_mismatch, "topic '" + binding.endpoint.topic + "' carries " +
                                                 binding.endpoint.type_name + ", but port '" +
                                                 binding.port + "' of " + plan.name + " takes " +
                                                 found->message);
  }
  End end{number, binding.endpoint.topic, nullptr, nullptr, {}};
  const auto wakes = waiter(domain);
  if (!wakes) {
    return unexpected<Error>(wakes.error());
  }
  if (found->input) {
    auto reader = domain.create_reader(binding.endpoint, **wakes);
    if (!reader) {
      return failure(ErrorCode::memory_refused, reader.error().text);
    }
    end.reader = std::move(*reader);
  } else {
    pool::WriterOptions options;
    options.max_bytes = binding.bound_bytes;
    auto writer = domain.create_writer(binding.endpoint, options);
    if (!writer) {
      return failure(ErrorCode::memory_refused, writer.error().text);
    }
    end.writer = std::move(*writer);
  }
  ends_.push_back(std::move(end));
  return {};
}

Result<void> BoardWorker::check_bound() const {
  const auto& streams = board_.plan().streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const bool bound =
        std::any_of(ends_.begin(), ends_.end(), [&](const End& end) { return end.stream == i; });
    if (streams[i].end && !bound) {
      return failure(ErrorCode::not_bound, "port '" + port_name(streams[i]) + "' of " +
                                               board_.plan().name + " is bound to no topic");
    }
  }
  return {};
}

bool BoardWorker::work() {
  const bool is_there = take_set();
  if (is_there) {
    process();
  }
  return is_there;
}

/// Whether a message of each input is there: the k-th messages of all inputs belong together.
bool BoardWorker::take_set() {
  bool whole = true;
  for (End& end : ends_) {
    if (end.reader == nullptr) {
      continue;
    }
    if (end.waiting.empty()) {
      auto taken = end.reader->take();
      if (taken && taken->has_value()) {
        end.waiting.push_back(std::move(**taken));
      }
    }
    whole = whole && !end.waiting.empty();
  }
  return whole;
}

/// The samples are let go when the design has its copies: it never reads the pool. One waits where
/// the message before it waits for the others of its set.
void BoardWorker::process() {
  std::vector<Input> inputs;
  Span span{};
  for (const End& end : ends_) {
    if (end.reader == nullptr || !board_.takes(end.stream)) {
      continue;
    }
    const auto& sample = end.waiting.front();
    if (inputs.empty()) {
      span.publisher = sample.info().publisher;
      span.sequence = sample.info().sequence;
    }
    inputs.push_back(
        {end.stream, sample.payload(), sample.info().sequence, sample.info().source_timestamp_ns});
  }
  ++taken_;
  span.begin_ticks = device_ticks();
  const std::uint64_t before = board_.figures().bytes_in;
  auto outcome = board_.run(inputs);
  span.end_ticks = device_ticks();
  copies_ += inputs.size();
  bytes_copied_ += board_.figures().bytes_in - before;
  for (const Input& input : inputs) {
    end_of(input.stream)->waiting.clear();
  }
  if (!outcome) {
    lost_ = true;
    return report(outcome.error().code, outcome.error().text);
  }
  keep(span);
  for (const Fault& fault : outcome->faults) {
    report(ErrorCode::program_failed,
           fmt::format("'{}' on '{}': {}", fault.node, board_.path(), fault.text));
  }
  for (const Output& output : outcome->outputs) {
    publish(output);
  }
}

void BoardWorker::publish(const Output& output) {
  End& end = *end_of(output.stream);
  auto loan = end.writer->loan(output.message.size());
  if (!loan) {
    const bool bound = loan.error() == pool::LoanError::exceeds_bound;
    return report(bound ? ErrorCode::exceeds_bound : ErrorCode::memory_refused,
                  fmt::format("an output of {} bytes for '{}': {}", output.message.size(),
                              end.topic, pool::to_string(loan.error())));
  }
  std::copy(output.message.begin(), output.message.end(), loan->payload().begin());
  ++copies_;
  bytes_copied_ += output.message.size();
  if (auto published = end.writer->publish(std::move(*loan)); !published) {
    return report(ErrorCode::memory_refused,
                  fmt::format("an output for '{}' was not sent: {}", end.topic,
                              pool::to_string(published.error())));
  }
  ++published_;
}

}  // namespace ligament::device::fpga_uio
