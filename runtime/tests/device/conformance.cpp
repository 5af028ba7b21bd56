// SPDX-License-Identifier: Apache-2.0
/// \file The checks.
#include "conformance.hpp"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ligament/std_msgs/msg/string.hpp>
#include <thread>

namespace ligament::device::conformance {
namespace {

using std_msgs::msg::String;
using Traits = MessageTraits<String>;
using namespace std::chrono_literals;

/// Runs until `condition`, or gives up: only a back-end that hangs gets there.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

pool::EndpointDescription endpoint(const std::string& topic) {
  pool::EndpointDescription description;
  description.topic = topic;
  description.type_name = std::string(Traits::name);
  description.node = "/conformance";
  description.type_hash = Traits::type_hash;
  description.qos = QoS(64).profile();
  return description;
}

/// An opened device in a domain of its own, with a writer to /in and a reader of /out.
struct Bench {
  explicit Bench(const Subject& subject) {
    static int count = 0;
    domain = pool::Domain::join(
                 {.name = "dev" + std::to_string(::getpid()) + "_" + std::to_string(++count),
                  .run_id = "test"})
                 .value();
    auto opened = subject.open({.device = "", .domain = domain, .settings = {}});
    if (opened) {
      device = std::move(*opened);
    } else {
      error = opened.error().text;
    }
  }

  /// Loads and binds the reference program, and makes the host's ends of its topics.
  Verdict connect(const Subject& subject, std::size_t bound_bytes = 0) {
    if (device == nullptr) return "open(): " + error;
    waiter = domain->create_waiter().value();
    reader = domain->create_reader(endpoint("/out"), *waiter).value();
    writer = domain->create_writer(endpoint("/in")).value();
    auto loaded = device->load(subject.program);
    if (!loaded) return "load(): " + loaded.error().text;
    program = *loaded;
    if (auto in = device->bind(program, {"in", endpoint("/in"), 0}); !in) {
      return "bind(in): " + in.error().text;
    }
    if (auto out = device->bind(program, {"out", endpoint("/out"), bound_bytes}); !out) {
      return "bind(out): " + out.error().text;
    }
    const bool matched = eventually(
        [&] { return writer->matched_readers() == 1 && reader->matched_writers() == 1; });
    return matched ? Verdict() : "the device's ends never matched";
  }
  Verdict start(const Subject& subject) {
    if (auto wrong = connect(subject)) return wrong;
    const auto started = device->start();
    return started ? Verdict() : "start(): " + started.error().text;
  }
  void send(const std::string& text) const {
    String message;
    message.data = text;
    const auto layout = Traits::layout_of(message).value();
    auto loan = writer->loan(layout.size, layout.chosen_offset).value();
    (void)Traits::serialize(message, loan.payload()).value();
    (void)writer->publish(std::move(loan));
  }
  /// The next answer, or "(nothing)".
  std::string receive() const {
    std::string text = "(nothing)";
    eventually([&] {
      auto taken = reader->take();
      if (!taken || !taken->has_value()) return false;
      String message;
      const bool valid = Traits::deserialize((*taken)->payload(), message).has_value();
      text = valid ? message.data : "(not a message)";
      return true;
    });
    return text;
  }
  std::optional<Error> error_now() const {
    std::optional<Error> found;
    eventually([&] { return (found = device->take_error()).has_value(); });
    return found;
  }

  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<Device> device;
  std::string error;
  std::unique_ptr<pool::Waiter> waiter;
  std::unique_ptr<pool::Reader> reader;
  std::unique_ptr<pool::Writer> writer;
  ProgramId program = 0;
};

/// What a call answered, against the error that the contract asks for.
template <typename T>
Verdict expect_error(const char* call, const Result<T>& result, ErrorCode code) {
  if (result) {
    return std::string(call) + " was accepted, expected '" + to_string(code) + "'";
  }
  if (result.error().code != code) {
    return std::string(call) + " gave '" + to_string(result.error().code) + "', expected '" +
           to_string(code) + "'";
  }
  return result.error().text.empty() ? Verdict(std::string(call) + " has no text") : Verdict();
}

Verdict capabilities_are_stated(const Subject& subject) {
  const Bench bench(subject);
  if (bench.device == nullptr) return "open(): " + bench.error;
  const auto found = bench.device->capabilities();
  if (found.name.empty()) return "no name";
  if (found.artefact_formats.empty()) return "no artefact format";
  if (found.alignment == 0 || (found.alignment & (found.alignment - 1)) != 0) {
    return "the alignment " + std::to_string(found.alignment) + " is no power of two";
  }
  if (found.ticks_per_second <= 0) return "no rate of the clock";
  return std::nullopt;
}

Verdict open_needs_a_domain(const Subject& subject) {
  return expect_error("open() without a domain", subject.open({}), ErrorCode::memory_refused);
}

Verdict open_refuses_unknown_settings(const Subject& subject) {
  const Bench bench(subject);
  return expect_error("open() with the setting 'no_such_setting'",
                      subject.open({"", bench.domain, {{"no_such_setting", "1"}}}),
                      ErrorCode::unavailable);
}

Verdict bad_artefacts_are_refused(const Subject& subject) {
  const Bench bench(subject);
  Artefact missing = subject.program;
  missing.path += ".missing";
  if (auto wrong = expect_error("load() of a missing file", bench.device->load(missing),
                                ErrorCode::artefact_missing)) {
    return wrong;
  }
  Artefact strange = subject.program;
  strange.format = "no-such-format";
  if (auto wrong = expect_error("load() of an unknown format", bench.device->load(strange),
                                ErrorCode::artefact_invalid)) {
    return wrong;
  }
  for (const auto& invalid : subject.invalid) {
    if (auto wrong = expect_error("load() of an invalid file", bench.device->load(invalid),
                                  ErrorCode::artefact_invalid)) {
      return *wrong + " (" + invalid.path + ")";
    }
  }
  return std::nullopt;
}

Verdict bad_bindings_are_refused(const Subject& subject) {
  const Bench bench(subject);
  auto& device = *bench.device;
  const auto program = device.load(subject.program);
  if (!program) return "load(): " + program.error().text;
  if (auto wrong = expect_error("bind() of an unknown program",
                                device.bind(*program + 1, {"in", endpoint("/in"), 0}),
                                ErrorCode::program_unknown)) {
    return wrong;
  }
  if (auto wrong = expect_error("bind() of an unknown port",
                                device.bind(*program, {"inn", endpoint("/in"), 0}),
                                ErrorCode::port_unknown)) {
    return wrong;
  }
  auto other = endpoint("/in");
  other.type_name = "std_msgs/msg/Int32";
  if (auto wrong =
          expect_error("bind() to a topic of another type", device.bind(*program, {"in", other, 0}),
                       ErrorCode::type_mismatch)) {
    return wrong;
  }
  if (auto bound = device.bind(*program, {"in", endpoint("/in"), 0}); !bound) {
    return "bind(): " + bound.error().text;
  }
  return expect_error("the second bind() of a port",
                      device.bind(*program, {"in", endpoint("/in2"), 0}),
                      ErrorCode::port_bound_twice);
}

Verdict ports_are_listed(const Subject& subject) {
  const Bench bench(subject);
  const auto program = bench.device->load(subject.program);
  if (!program) return "load(): " + program.error().text;
  const auto ports = bench.device->ports(*program);
  if (!ports || ports->size() != 2) return "ports() does not list the two ports";
  for (const auto& port : *ports) {
    if (port.message != Traits::name || (port.name == "in") != (port.direction == Direction::in)) {
      return "ports() describes '" + port.name + "' wrongly";
    }
  }
  return expect_error("ports() of an unknown program", bench.device->ports(*program + 1),
                      ErrorCode::program_unknown);
}

Verdict the_order_of_calls_is_kept(const Subject& subject) {
  Bench bench(subject);
  auto& device = *bench.device;
  if (auto wrong = expect_error("stop() before start()", device.stop(1s), ErrorCode::not_started)) {
    return wrong;
  }
  if (auto wrong =
          expect_error("start() without a program", device.start(), ErrorCode::not_bound)) {
    return wrong;
  }
  if (auto wrong = bench.start(subject)) return wrong;
  if (device.state() != State::started) return "state() is not 'started' after start()";
  if (auto wrong = expect_error("the second start()", device.start(), ErrorCode::already_started)) {
    return wrong;
  }
  if (auto wrong = expect_error("load() while running", device.load(subject.program),
                                ErrorCode::already_started)) {
    return wrong;
  }
  if (auto stopped = device.stop(5s); !stopped) return "stop(): " + stopped.error().text;
  return device.state() == State::idle ? Verdict() : "state() is not 'idle' after stop()";
}

Verdict half_bound_programs_do_not_start(const Subject& subject) {
  const Bench bench(subject);
  const auto program = bench.device->load(subject.program);
  if (!program) return "load(): " + program.error().text;
  (void)bench.device->bind(*program, {"in", endpoint("/in"), 0});
  return expect_error("start() with an unbound port", bench.device->start(), ErrorCode::not_bound);
}

/// Messages of many sizes, answered once each, in order, with the right content.
Verdict messages_are_answered(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  for (int i = 0; i < 200; ++i) {
    const std::string size(static_cast<std::size_t>(i * 37 % 5000), 'x');
    bench.send("message " + std::to_string(i) + size);
    std::string expected = "MESSAGE " + std::to_string(i) + std::string(size.size(), 'X');
    const std::string answer = bench.receive();
    if (answer != expected) {
      return "the answer to message " + std::to_string(i) + " is '" + answer.substr(0, 40) +
             "', expected '" + expected.substr(0, 40) + "'";
    }
  }
  const auto figures = bench.device->statistics();
  if (figures.taken != 200 || figures.failed != 0) {
    return "statistics() count " + std::to_string(figures.taken) + " taken, expected 200";
  }
  return std::nullopt;
}

Verdict copies_are_counted(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  bench.send("one");
  (void)bench.receive();
  const auto figures = bench.device->statistics();
  const bool unified = bench.device->capabilities().unified_memory;
  if (unified && figures.copies != 0) return "copies, although the memory is unified";
  if (!unified && figures.bytes_copied == 0) return "no copies counted, although not unified";
  return std::nullopt;
}

Verdict spans_lie_in_device_time(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  const auto before = bench.device->sample_clock();
  bench.send("one");
  (void)bench.receive();
  const auto after = bench.device->sample_clock();
  const auto spans = bench.device->take_spans();
  if (spans.size() != 1) return std::to_string(spans.size()) + " spans, expected 1";
  if (spans[0].publisher != bench.writer->id() || spans[0].sequence != 1) {
    return "the span does not name its message";
  }
  if (spans[0].begin_ticks < before->ticks || spans[0].end_ticks > after->ticks ||
      spans[0].end_ticks < spans[0].begin_ticks) {
    return "the span does not lie between two readings of the clock around it";
  }
  return bench.device->take_spans().empty() ? Verdict() : "take_spans() gives spans twice";
}

Verdict failures_are_told_and_survived(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  bench.send("!fails");
  bench.send("works");
  if (const auto answer = bench.receive(); answer != "WORKS") {
    return "after a failure the answer is '" + answer + "', expected 'WORKS'";
  }
  const auto error = bench.error_now();
  if (!error) return "the failure of a program is told by nobody";
  if (error->code != ErrorCode::program_failed) {
    return std::string("the failure of a program is told as '") + to_string(error->code) + "'";
  }
  if (bench.device->statistics().failed != 1) return "the failure is not counted";
  return bench.device->take_error() ? Verdict("take_error() gives an error twice") : Verdict();
}

Verdict bounds_are_kept(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.connect(subject, 64)) return wrong;
  if (auto started = bench.device->start(); !started) return "start(): " + started.error().text;
  bench.send(std::string(200, 'x'));
  bench.send("fits");
  if (const auto answer = bench.receive(); answer != "FITS") {
    return "the answer is '" + answer.substr(0, 20) + "', expected only the one that fits";
  }
  const auto error = bench.error_now();
  return error && error->code == ErrorCode::exceeds_bound
             ? Verdict()
             : "an output beyond its bound is not told as 'exceeds bound'";
}

Verdict stopped_means_stopped(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  bench.send("one");
  (void)bench.receive();
  if (auto stopped = bench.device->stop(5s); !stopped) return "stop(): " + stopped.error().text;
  bench.send("two");
  std::this_thread::sleep_for(50ms);
  if (bench.reader->has_data()) return "a message is answered after stop()";
  if (auto again = bench.device->start(); !again) return "start() again: " + again.error().text;
  const auto answer = bench.receive();
  return answer == "TWO" ? Verdict() : "after start() again the answer is '" + answer + "'";
}

Verdict a_deadline_ends_waiting(const Subject& subject) {
  Bench bench(subject);
  if (auto wrong = bench.start(subject)) return wrong;
  bench.send("~slow");
  if (!eventually([&] { return bench.device->statistics().taken == 1; })) return "nothing taken";
  if (auto wrong = expect_error("stop() with a deadline too short", bench.device->stop(1ms),
                                ErrorCode::deadline)) {
    return wrong;
  }
  if (bench.device->state() != State::lost) return "state() is not 'lost' after the deadline";
  return expect_error("start() of a lost device", bench.device->start(), ErrorCode::device_lost);
}

/// A mapping fitted to the first readings foretells a later one within its bound.
Verdict the_clock_can_be_mapped(const Subject& subject) {
  const Bench bench(subject);
  std::vector<ClockSample> samples;
  for (int i = 0; i < 20; ++i) {
    const auto sample = bench.device->sample_clock();
    if (!sample) return "sample_clock(): " + sample.error().text;
    const auto now = pool::monotonic_now_ns();
    if (sample->host_after_ns > now || sample->host_before_ns > sample->host_after_ns) {
      return "a sample's host times are not around its reading";
    }
    samples.push_back(*sample);
    std::this_thread::sleep_for(5ms);
  }
  const auto mapping = fit_clock(samples);
  if (!mapping) return "the readings do not increase";
  const double drift = mapping->drift_ppm(bench.device->capabilities().ticks_per_second);
  if (!bench.device->capabilities().simulated_time && std::abs(drift) > 50'000) {
    return "the clock is off its nominal rate by " + std::to_string(drift) + " ppm";
  }
  const auto later = bench.device->sample_clock().value();
  const auto mapped = mapping->to_host(later.ticks);
  if (mapped.ns + mapped.bound_ns < later.host_before_ns ||
      mapped.ns - mapped.bound_ns > later.host_after_ns) {
    return "a later reading lies outside the bound of the mapping";
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Check>& checks() {
  static const std::vector<Check> all{
      {"capabilities_are_stated", capabilities_are_stated},
      {"open_needs_a_domain", open_needs_a_domain},
      {"open_refuses_unknown_settings", open_refuses_unknown_settings},
      {"bad_artefacts_are_refused", bad_artefacts_are_refused},
      {"ports_are_listed", ports_are_listed},
      {"bad_bindings_are_refused", bad_bindings_are_refused},
      {"half_bound_programs_do_not_start", half_bound_programs_do_not_start},
      {"the_order_of_calls_is_kept", the_order_of_calls_is_kept},
      {"messages_are_answered", messages_are_answered},
      {"copies_are_counted", copies_are_counted},
      {"spans_lie_in_device_time", spans_lie_in_device_time},
      {"failures_are_told_and_survived", failures_are_told_and_survived},
      {"bounds_are_kept", bounds_are_kept},
      {"stopped_means_stopped", stopped_means_stopped},
      {"a_deadline_ends_waiting", a_deadline_ends_waiting},
      {"the_clock_can_be_mapped", the_clock_can_be_mapped},
  };
  return all;
}

}  // namespace ligament::device::conformance
