// SPDX-License-Identifier: Apache-2.0
/// \file A program on whichever driver: submits are put together and land the same way everywhere,
/// and payloads become what a kernel is given. A back-end says how its driver does the steps.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "gpu/flights.hpp"
#include "gpu/launch.hpp"
#include "gpu/staging.hpp"

namespace ligament::gpu {

/// A payload that stays on a device; written when its event has happened.
template <typename Buffer, typename Event>
struct ResidentOn : Resident {
  /// What a kernel is given; none: the payload's own bytes.
  [[nodiscard]] virtual decltype(std::declval<const Buffer&>().get()) value() const {
    return buffer.get();
  }
  /// Before another one takes its place.
  virtual void give_buffer_up() { buffer = {}; }

  Buffer buffer;
  std::size_t size = 0;
  Event written;
  bool is_valid = false;  ///< false: the kernel that should write it was not launched
};

/// A submit while it is put together.
template <typename Flight, typename Memory, typename Resident>
struct AssemblyOn {
  using OnDevice = typename Staging<Memory>::Found;

  std::unique_ptr<Flight> flight;
  std::vector<std::pair<std::span<std::byte>, OnDevice>> out;  ///< to be read back, from where
  std::vector<std::shared_ptr<Resident>> leaving;
};

/// `Backend` has the types `Device`, `Memory` (of a device: knows the bytes of messages, has the
/// staging), `Code` (what was compiled), `Kernel`, `Buffer` (of the device), `Flight` (with a
/// `lease` of staged memory), `Resident` and `Assembly`.
template <typename Backend>
class ProgramOn : public Program {
 public:
  using Assembly = typename Backend::Assembly;
  using Buffer = typename Backend::Buffer;
  using Value = decltype(std::declval<const Buffer&>().get());

  void submit(std::span<const Launch> launches, std::unique_ptr<Completion> completion) final;
  void wait_for_room() final { flights_->wait_until_fewer_than(in_flight_); }
  void drain() final { flights_->wait_until_fewer_than(1); }
  [[nodiscard]] const DeviceInfo& device() const final { return parts_->device.info; }
  [[nodiscard]] Statistics statistics() const final {
    Statistics statistics = counters_.read();
    parts_->memory.count_into(statistics);
    return statistics;
  }
  // Between processes: not where the back-end says nothing else.
  [[nodiscard]] Result<void> show(Resident& /*resident*/,
                                  std::span<std::byte, ticket_bytes> ticket) override {
    std::fill(ticket.begin(), ticket.end(), std::byte{0});
    return unexpected<Error>(opens_no_peers_buffers());
  }
  [[nodiscard]] Result<std::shared_ptr<Resident>> find_shown(
      std::span<const std::byte, ticket_bytes> /*ticket*/) override {
    return unexpected<Error>(opens_no_peers_buffers());
  }

 protected:
  using Device = typename Backend::Device;
  using Memory = typename Backend::Memory;
  using Kernel = typename Backend::Kernel;
  using Flight = typename Backend::Flight;
  using OwnResident = typename Backend::Resident;
  using OnDevice = typename Assembly::OnDevice;

  /// What a device that is given up may still use: then it is never destroyed.
  struct Parts {
    explicit Parts(Device&& opened) : device(std::move(opened)), memory(device) {}
    Device device;
    Memory memory;
    typename Backend::Code code;
    std::vector<Kernel> kernels;
  };

  /// `tells_faults`: see Flights.
  ProgramOn(Device&& device, const Settings& settings, bool tells_faults)
      : parts_(std::make_unique<Parts>(std::move(device))),
        in_flight_(std::max(settings.in_flight, 1U)),
        flights_(std::make_unique<Flights>(settings.deadline, tells_faults)) {}
  /// In the destructor of the back-end, while the driver is there. True: what the device works on
  /// can never be given back.
  [[nodiscard]] bool end() {
    drain();
    const bool may_still_work = flights_->may_still_work();
    flights_.reset();
    return may_still_work;
  }

  [[nodiscard]] virtual std::unique_ptr<Flight> new_flight() = 0;
  /// Before the first launch of a submit; without it there is none.
  [[nodiscard]] virtual Result<void> begin(Assembly& assembly) = 0;
  /// Gives the kernel its arguments and enqueues it.
  [[nodiscard]] virtual Result<void> start(const Launch& launch, Assembly& assembly) = 0;
  /// Enqueues what has to be done after the kernels, of which one may have failed.
  virtual void finish(Assembly& assembly) = 0;

  [[nodiscard]] virtual bool is_aligned(std::span<const std::byte> bytes) const = 0;
  [[nodiscard]] virtual Result<Value> in_place(std::span<const std::byte> bytes, bool writable,
                                               Assembly& assembly) = 0;
  [[nodiscard]] virtual Result<Buffer> allocate(std::size_t size) = 0;
  /// Enqueues a copy to the device.
  [[nodiscard]] virtual Result<void> write(const OnDevice& to, std::span<const std::byte> bytes,
                                           Assembly& assembly) = 0;
  /// The same of a payload, whose memory comes again.
  [[nodiscard]] virtual Result<void> upload(const OnDevice& to, std::span<const std::byte> bytes,
                                            Assembly& assembly) {
    return write(to, bytes, assembly);
  }
  [[nodiscard]] virtual Result<void> clear(const OnDevice& memory, std::size_t size) = 0;
  /// Of this device?
  [[nodiscard]] virtual bool is_here(const OwnResident& resident) const = 0;
  /// The next kernel waits until it is written.
  [[nodiscard]] virtual Result<void> await(const OwnResident& resident, Assembly& assembly) = 0;

  /// What a kernel is given for an argument that is no number.
  [[nodiscard]] Result<Value> value_of(std::span<const std::byte> in, Assembly& assembly) {
    return value_of(Reading{in}, assembly);
  }
  [[nodiscard]] Result<Value> value_of(std::span<std::byte> out, Assembly& assembly) {
    return value_of(Writing{out}, assembly);
  }
  [[nodiscard]] Result<Value> value_of(const Reading& in, Assembly& assembly);
  [[nodiscard]] Result<Value> value_of(const Writing& out, Assembly& assembly);
  [[nodiscard]] Result<Value> value_of(const Values& values, Assembly& assembly);
  [[nodiscard]] Result<Value> value_of(const Kept& kept, Assembly& assembly);
  [[nodiscard]] Result<Value> value_of(const Leaving& leaving, Assembly& assembly);
  [[nodiscard]] Result<Value> value_of(const Arriving& arriving, Assembly& assembly);

  /// When a flight lands: what failed may not be relied on, what was staged is free.
  void note_landed(Flight& flight) {
    if (!flight.result) {
      last_arguments_.distrust();
    }
    parts_->memory.staging().give_back(std::move(flight.lease));
  }

  std::unique_ptr<Parts> parts_;
  std::vector<KernelDescription> descriptions_;
  Counters counters_;

 private:
  [[nodiscard]] Model model_of(Model asked) const {
    return asked == Model::automatic ? device().model : asked;
  }
  [[nodiscard]] Result<void> enqueue(const Launch& launch, Assembly& assembly);
  [[nodiscard]] Result<OnDevice> stage(std::span<const std::byte> bytes, Model model,
                                       Assembly& assembly) {
    return parts_->memory.staging().stage(bytes, kind_of(model), assembly.flight->lease);
  }
  /// Where it lies, if the model and its place allow that; else staged, and `fill` says with what.
  template <typename Payload, typename Fill>
  [[nodiscard]] Result<Value> place(const Payload& payload, Assembly& assembly, const Fill& fill);

  const std::size_t in_flight_;
  LastArguments last_arguments_;
  std::unique_ptr<Flights> flights_;
};

template <typename Backend>
void ProgramOn<Backend>::submit(std::span<const Launch> launches,
                                std::unique_ptr<Completion> completion) {
  Assembly assembly;
  assembly.flight = new_flight();
  Flight& flight = *assembly.flight;
  flight.completion = std::move(completion);
  if (flights_->is_lost()) {
    flight.result = unexpected<Error>(was_given_up(device()));
    flights_->add(std::move(assembly.flight));
    return;
  }
  wait_for_room();
  flight.result = begin(assembly);
  last_arguments_.begin(descriptions_.size());
  for (std::size_t i = 0; flight.result && i < launches.size(); ++i) {
    flight.result = enqueue(launches[i], assembly);
  }
  finish(assembly);
  flights_->add(std::move(assembly.flight));
}

template <typename Backend>
Result<void> ProgramOn<Backend>::enqueue(const Launch& launch, Assembly& assembly) {
  if (auto checked = check_launch(launch, descriptions_); !checked) {
    return checked;
  }
  if (launches_nothing(launch)) {
    return {};
  }
  if (launch.when_changed) {
    const auto changed = last_arguments_.note(
        launch, [this](const Kept& kept) { return parts_->memory.staging().generation_of(kept); });
    if (!changed || !*changed) {
      return changed ? Result<void>() : Result<void>(unexpected<Error>(changed.error()));
    }
  }
  Result<void> done = start(launch, assembly);
  if (!done) {
    last_arguments_.forget(launch.kernel);
  }
  return done;
}

template <typename Backend>
template <typename Payload, typename Fill>
auto ProgramOn<Backend>::place(const Payload& payload, Assembly& assembly, const Fill& fill)
    -> Result<Value> {
  const Model model = model_of(payload.model);
  if (payload.bytes.empty()) {
    return Value{};
  }
  // Others' messages, over a network say, need not lie as ours do: these are copied, and counted.
  if (model == Model::zero_copy && is_aligned(payload.bytes)) {
    return in_place(payload.bytes, std::is_same_v<Payload, Writing>, assembly);
  }
  const auto staged = stage(payload.bytes, model, assembly);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  if (staged->is_new) {
    if (auto filled = fill(*staged); !filled) {
      return unexpected<Error>(filled.error());
    }
  }
  return staged->value;
}

template <typename Backend>
auto ProgramOn<Backend>::value_of(const Reading& in, Assembly& assembly) -> Result<Value> {
  return place(in, assembly, [&](const OnDevice& staged) {
    auto written = upload(staged, in.bytes, assembly);
    if (written) {
      counters_.count_copy(in.bytes.size());
    }
    return written;
  });
}

/// What a kernel leaves out must not show an earlier message.
template <typename Backend>
auto ProgramOn<Backend>::value_of(const Writing& out, Assembly& assembly) -> Result<Value> {
  return place(out, assembly, [&](const OnDevice& staged) {
    auto cleared = clear(staged, out.bytes.size());
    if (cleared) {
      assembly.out.push_back({out.bytes, staged});
    }
    return cleared;
  });
}

template <typename Backend>
auto ProgramOn<Backend>::value_of(const Values& values, Assembly& assembly) -> Result<Value> {
  if (auto checked = check_values(values); !checked) {
    return unexpected<Error>(checked.error());
  }
  if (values.bytes.empty()) {
    return Value{};
  }
  const auto staged = stage(values.bytes, device().model, assembly);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  if (staged->is_new) {
    if (auto written = write(*staged, values.bytes, assembly); !written) {
      return unexpected<Error>(written.error());
    }
  }
  return staged->value;
}

template <typename Backend>
auto ProgramOn<Backend>::value_of(const Kept& kept, Assembly& /*assembly*/) -> Result<Value> {
  const auto found = parts_->memory.staging().keep(kept);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  if (found->is_new) {
    if (auto cleared = clear(*found, static_cast<std::size_t>(kept.bytes)); !cleared) {
      return unexpected<Error>(cleared.error());
    }
  }
  return found->value;
}

template <typename Backend>
auto ProgramOn<Backend>::value_of(const Leaving& leaving, Assembly& assembly) -> Result<Value> {
  auto own = std::dynamic_pointer_cast<OwnResident>(leaving.resident);
  if (own == nullptr || leaving.bytes.empty()) {
    return unexpected<Error>(is_on_another_device());
  }
  own->is_valid = false;
  assembly.leaving.push_back(own);
  assembly.flight->residents.push_back(own);
  if (model_of(leaving.model) == Model::zero_copy) {
    return in_place(leaving.bytes, true, assembly);
  }
  if (own->size < leaving.bytes.size()) {
    auto made = allocate(leaving.bytes.size());
    if (!made) {
      return unexpected<Error>(made.error());
    }
    own->give_buffer_up();
    own->buffer = std::move(*made);
    own->size = leaving.bytes.size();
  }
  if (auto cleared = clear({own->buffer.get(), Kind::device}, leaving.bytes.size()); !cleared) {
    return unexpected<Error>(cleared.error());
  }
  return own->buffer.get();
}

template <typename Backend>
auto ProgramOn<Backend>::value_of(const Arriving& arriving, Assembly& assembly) -> Result<Value> {
  const auto own = std::dynamic_pointer_cast<OwnResident>(arriving.resident);
  if (own == nullptr || !is_here(*own)) {
    return unexpected<Error>(is_on_another_device());
  }
  if (!own->is_valid) {
    return unexpected<Error>(was_not_written());
  }
  if (auto awaited = await(*own, assembly); !awaited) {
    return unexpected<Error>(awaited.error());
  }
  assembly.flight->residents.push_back(own);
  if (own->value() == Value{}) {
    return in_place(arriving.bytes, false, assembly);
  }
  if (own->size < arriving.bytes.size()) {
    return unexpected<Error>(
        Error{ErrorCode::launch_failed, "the buffer on the device is smaller than its payload"});
  }
  return own->value();
}

/// Opens a program on a device, which may have failed to open.
template <typename Made, typename Device>
[[nodiscard]] Result<std::unique_ptr<Program>> built_on(Result<Device> device,
                                                        const ProgramDescription& description,
                                                        const Settings& settings) {
  if (!device) {
    return unexpected<Error>(device.error());
  }
  auto program = std::make_unique<Made>(std::move(*device), settings);
  if (auto built = program->build(description); !built) {
    return unexpected<Error>(built.error());
  }
  return program;
}

}  // namespace ligament::gpu
