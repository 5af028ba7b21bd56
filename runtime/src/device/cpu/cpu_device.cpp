// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <thread>

#include "device/cpu/worker.hpp"
#include "device/failure.hpp"

namespace ligament::device {
namespace {

constexpr const char* format_name = "shared-library";
constexpr const char* entry_name = "ligament_program";

Result<const ligament_program_t*> open_program(const Artefact& artefact) {
  if (artefact.format != format_name) {
    return failure(ErrorCode::artefact_invalid,
                   "the device cpu does not take artefacts of format '" + artefact.format +
                       "', only 'shared-library'");
  }
  std::error_code ignored;
  if (!std::filesystem::exists(artefact.path, ignored)) {
    return failure(ErrorCode::artefact_missing, "there is no artefact '" + artefact.path + "'");
  }
  // Never closed: its thread may be inside it until the process ends.
  void* library = ::dlopen(artefact.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return failure(ErrorCode::artefact_invalid,
                   "'" + artefact.path + "' cannot be loaded: " + (reason ? reason : "no reason"));
  }
  using Entry = const ligament_program_t* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, entry_name));
  if (entry == nullptr) {
    return failure(ErrorCode::artefact_invalid,
                   "'" + artefact.path + "' exports no function " + entry_name);
  }
  const ligament_program_t* program = entry();
  if (program == nullptr || program->abi != LIGAMENT_PROGRAM_ABI) {
    return failure(ErrorCode::artefact_invalid,
                   "'" + artefact.path + "' was built for another version of device_program.h");
  }
  return program;
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(std::shared_ptr<pool::Domain> domain) : domain_(std::move(domain)) {}
  ~CpuDevice() override {
    if (state_ == State::started) {
      (void)stop(std::chrono::seconds(1));  // a program that hangs is left to the process's end
    }
  }

  [[nodiscard]] Capabilities capabilities() const override {
    Capabilities found;
    found.name = "cpu, " + std::to_string(std::thread::hardware_concurrency()) + " threads";
    found.artefact_formats = {format_name};
    found.unified_memory = true;
    found.ticks_per_second = 1e9;
    return found;
  }

  [[nodiscard]] Result<ProgramId> load(const Artefact& artefact) override {
    if (state_ != State::idle) {
      return failure(ErrorCode::already_started, "load() while the device runs");
    }
    auto program = open_program(artefact);
    if (!program) {
      return unexpected<Error>(program.error());
    }
    const auto id = static_cast<ProgramId>(workers_.size());
    workers_.push_back(std::make_shared<Worker>(id, artefact.path, **program));
    return id;
  }

  [[nodiscard]] Result<std::vector<Port>> ports(ProgramId program) const override {
    if (program >= workers_.size()) {
      return unknown(program);
    }
    return workers_[program]->ports();
  }

  [[nodiscard]] Result<void> bind(ProgramId program, const Binding& binding) override {
    if (program >= workers_.size()) {
      return unknown(program);
    }
    if (state_ != State::idle) {
      return failure(ErrorCode::already_started, "bind() while the device runs");
    }
    return workers_[program]->bind(*domain_, binding);
  }

  [[nodiscard]] Result<void> start() override {
    if (state_ != State::idle) {
      return failure(state_ == State::lost ? ErrorCode::device_lost : ErrorCode::already_started,
                     "start() of a device that runs or is lost");
    }
    if (workers_.empty()) {
      return failure(ErrorCode::not_bound, "start() of a device without a program");
    }
    for (const auto& worker : workers_) {
      if (auto bound = worker->check_bound(); !bound) {
        return bound;
      }
    }
    for (const auto& worker : workers_) {
      worker->start();
    }
    state_ = State::started;
    return {};
  }

  [[nodiscard]] Result<void> stop(std::chrono::nanoseconds deadline) override {
    if (state_ != State::started) {
      return failure(state_ == State::lost ? ErrorCode::device_lost : ErrorCode::not_started,
                     "stop() of a device that does not run");
    }
    const auto end = std::chrono::steady_clock::now() + deadline;
    for (const auto& worker : workers_) {
      worker->request_stop();
    }
    bool all = true;
    for (const auto& worker : workers_) {
      all = worker->wait_stopped(end) && all;
    }
    state_ = all ? State::idle : State::lost;
    if (!all) {
      return failure(ErrorCode::deadline, "a program did not end within " +
                                              std::to_string(deadline.count()) +
                                              " ns; the device is lost");
    }
    return {};
  }

  [[nodiscard]] State state() const override { return state_; }

  [[nodiscard]] std::optional<Error> take_error() override {
    for (const auto& worker : workers_) {
      if (auto error = worker->take_error()) {
        return error;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<Span> take_spans() override {
    std::vector<Span> spans;
    for (const auto& worker : workers_) {
      worker->take_spans(spans);
    }
    return spans;
  }

  [[nodiscard]] Statistics statistics() const override {
    Statistics sum;
    for (const auto& worker : workers_) {
      const Statistics one = worker->statistics();
      sum.taken += one.taken;
      sum.published += one.published;
      sum.failed += one.failed;
    }
    return sum;
  }

  [[nodiscard]] Result<ClockSample> sample_clock() override {
    ClockSample sample;
    sample.host_before_ns = pool::monotonic_now_ns();
    sample.ticks = device_ticks();
    sample.host_after_ns = pool::monotonic_now_ns();
    return sample;
  }

 private:
  static unexpected<Error> unknown(ProgramId program) {
    return failure(ErrorCode::program_unknown,
                   "there is no program " + std::to_string(program) + " on this device");
  }

  std::shared_ptr<pool::Domain> domain_;
  std::vector<std::shared_ptr<Worker>> workers_;
  std::atomic<State> state_{State::idle};
};

}  // namespace

Result<std::unique_ptr<Device>> open_cpu(const OpenOptions& options) {
  if (options.domain == nullptr) {
    return failure(ErrorCode::memory_refused, "the device cpu needs a domain to import");
  }
  if (!options.settings.empty()) {
    return failure(ErrorCode::unavailable,
                   "the device cpu has no setting '" + options.settings.begin()->first + "'");
  }
  if (!options.device.empty() && options.device != "0") {
    return failure(ErrorCode::unavailable,
                   "the back-end cpu has one device, '0', not '" + options.device + "'");
  }
  return std::make_unique<CpuDevice>(options.domain);
}

}  // namespace ligament::device
