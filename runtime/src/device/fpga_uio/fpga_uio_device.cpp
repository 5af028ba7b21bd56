// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/fpga_uio_device.hpp"

#include <atomic>
#include <charconv>
#include <optional>

#include "device/failure.hpp"
#include "device/fpga_uio/board_worker.hpp"

namespace ligament::device {
namespace {

using fpga_uio::BoardWorker;

constexpr const char* export_format = "export";

class FpgaUioDevice final : public Device {
 public:
  FpgaUioDevice(std::shared_ptr<pool::Domain> domain, std::shared_ptr<BoardWorker> worker,
                std::string name)
      : domain_(std::move(domain)), worker_(std::move(worker)), name_(std::move(name)) {}
  ~FpgaUioDevice() override {
    if (started_ && !worker_->is_lost()) {
      (void)stop(std::chrono::seconds(1));  // a design that hangs is left to the process's end
    }
  }
  FpgaUioDevice(const FpgaUioDevice&) = delete;
  FpgaUioDevice& operator=(const FpgaUioDevice&) = delete;

  /// No counter of cycles is in a design: its clock is the host's.
  [[nodiscard]] Capabilities capabilities() const override {
    Capabilities found;
    found.kind = Kind::fpga;
    found.name = name_;
    found.artefact_formats = {export_format};
    found.max_programs = 1;
    found.ticks_per_second = 1e9;
    return found;
  }

  [[nodiscard]] Result<ProgramId> load(const Artefact& artefact) override {
    if (state() != State::idle) {
      return failure(ErrorCode::already_started, "load() while the board runs");
    }
    if (artefact.format != export_format || !artefact.settings.empty()) {
      return failure(ErrorCode::artefact_invalid,
                     "a board takes artefacts of the format 'export' without settings, not '" +
                         artefact.format + "'");
    }
    if (worker_->is_loaded()) {
      return failure(ErrorCode::too_many_programs, "a board holds one design");
    }
    auto loaded = worker_->load(artefact.path);
    return loaded ? Result<ProgramId>(0) : unexpected<Error>(loaded.error());
  }

  [[nodiscard]] Result<std::vector<Port>> ports(ProgramId program) const override {
    return is_program(program) ? Result<std::vector<Port>>(worker_->ports()) : unknown(program);
  }

  [[nodiscard]] Result<void> bind(ProgramId program, const Binding& binding) override {
    if (!is_program(program)) {
      return unknown(program);
    }
    if (state() != State::idle) {
      return failure(ErrorCode::already_started, "bind() while the board runs");
    }
    return worker_->bind(*domain_, binding);
  }

  [[nodiscard]] Result<void> start() override {
    if (state() != State::idle) {
      return failure(state() == State::lost ? ErrorCode::device_lost : ErrorCode::already_started,
                     "start() of a board that runs or is lost");
    }
    if (!worker_->is_loaded()) {
      return failure(ErrorCode::not_bound, "start() of a board without a design");
    }
    if (auto bound = worker_->check_bound(); !bound) {
      return bound;
    }
    started_ = true;
    worker_->start();
    return {};
  }

  [[nodiscard]] Result<void> stop(std::chrono::nanoseconds deadline) override {
    if (state() != State::started) {
      return failure(state() == State::lost ? ErrorCode::device_lost : ErrorCode::not_started,
                     "stop() of a board that does not run");
    }
    worker_->request_stop();
    if (!worker_->wait_stopped(std::chrono::steady_clock::now() + deadline)) {
      worker_->lose();
      return failure(ErrorCode::deadline, "the design did not end within " +
                                              std::to_string(deadline.count()) +
                                              " ns; the board is lost");
    }
    started_ = false;
    return {};
  }

  [[nodiscard]] State state() const override {
    return worker_->is_lost() ? State::lost : started_ ? State::started : State::idle;
  }
  [[nodiscard]] std::optional<Error> take_error() override { return worker_->take_error(); }
  [[nodiscard]] std::vector<Span> take_spans() override {
    std::vector<Span> spans;
    worker_->take_spans(spans);
    return spans;
  }
  [[nodiscard]] Statistics statistics() const override { return worker_->statistics(); }

  [[nodiscard]] Result<ClockSample> sample_clock() override {
    ClockSample sample;
    sample.host_before_ns = pool::monotonic_now_ns();
    sample.ticks = device_ticks();
    sample.host_after_ns = pool::monotonic_now_ns();
    return sample;
  }

 private:
  [[nodiscard]] bool is_program(ProgramId program) const {
    return program == 0 && worker_->is_loaded();
  }
  static unexpected<Error> unknown(ProgramId program) {
    return failure(ErrorCode::program_unknown,
                   "there is no program " + std::to_string(program) + " on this board");
  }

  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<BoardWorker> worker_;
  std::string name_;
  std::atomic<bool> started_{false};
};

/// A positive number of milliseconds.
std::optional<int> milliseconds_in(const std::string& text) {
  int number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && at == text.data() + text.size() && number > 0;
  return whole ? std::optional{number} : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Device>> open_fpga_uio(const OpenOptions& options) {
  if (options.domain == nullptr) {
    return failure(ErrorCode::memory_refused, "the device fpga_uio needs a domain to import");
  }
  std::string buffer;
  int patience_ms = 10'000;
  for (const auto& [name, value] : options.settings) {
    if (name == "memory") {
      buffer = value;
    } else if (const auto number = milliseconds_in(value); name == "patience_ms" && number) {
      patience_ms = *number;
    } else {
      return failure(ErrorCode::unavailable, "the device fpga_uio has no setting '" + name +
                                                 "' = '" + value +
                                                 "'; there are: 'memory', 'patience_ms'");
    }
  }
  const std::string path = options.device.empty() ? fpga_uio::first_uio() : options.device;
  if (path.empty()) {
    return failure(
        ErrorCode::unavailable,
        "there is no /dev/uioN: load a bitstream, its device tree overlay and the module "
        "uio_pdrv_genirq, or name a stand-in");
  }
  auto attached = fpga_uio::attach(path, buffer);
  if (!attached) {
    return unexpected<Error>(attached.error());
  }
  const std::string name = (attached->stand_in ? "stand-in " : "board ") + path;
  return std::make_unique<FpgaUioDevice>(
      options.domain,
      std::make_shared<BoardWorker>(
          fpga_uio::Board(std::move(*attached), std::chrono::milliseconds(patience_ms))),
      name);
}

}  // namespace ligament::device
