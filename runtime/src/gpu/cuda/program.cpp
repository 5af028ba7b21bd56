// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gpu/retain_until_exit.hpp"
#include "gpu/sources.hpp"

namespace ligament::gpu::cuda {
namespace {

EncodedNumber encoded(std::uint64_t value) {
  EncodedNumber number;
  std::memcpy(number.bytes.data(), &value, sizeof value);
  number.size = sizeof value;
  return number;
}

/// What every CUDA device takes: blocks of a grid, threads of a block.
constexpr std::array<std::int64_t, 3> most_blocks{std::numeric_limits<std::int32_t>::max(), 65535,
                                                  65535};
constexpr std::array<std::int64_t, 3> most_threads{1024, 1024, 64};
constexpr std::int64_t most_threads_of_all = 1024;

std::string text_of(const std::array<std::int64_t, 3>& sizes) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
         std::to_string(sizes[2]);
}

}  // namespace

// A driver that gives a device up does not tell.
CudaProgram::CudaProgram(Device&& device, const Settings& settings)
    : ProgramOn(std::move(device), settings, false) {}

CudaProgram::~CudaProgram() {
  const Current current(*parts_->device.context);
  const bool may_still_work = end();
  reference_.reset();
  const std::shared_ptr<Parts> parts(std::move(parts_));  // goes before `current` does
  if (may_still_work) {
    retain_until_exit(parts);  // releasing would wait for the device
  }
}

Result<void> CudaProgram::build(const ProgramDescription& description) {
  const Device& device = parts_->device;
  const Current current(*device.context);
  if (auto is_current = current.result(); !is_current) {
    return is_current;
  }
  auto compiled = compile(description, device.facts.architecture);
  if (!compiled) {
    return unexpected<Error>(compiled.error());
  }
  Module module = nullptr;
  if (const Status status = driver().module_load(&module, compiled->image.data());
      status != status::success) {
    return failure(ErrorCode::not_compiled,
                   names_of(description.sources) + ": " +
                       failed(driver(), "cuModuleLoadData", status).value().text);
  }
  parts_->code = ModuleHandle(driver(), module);
  for (CompiledKernel& kernel : compiled->kernels) {
    Function function = nullptr;
    const Status found = driver().module_function(&function, module, kernel.entry.c_str());
    if (found != status::success) {
      return failure(ErrorCode::kernel_mismatch, "kernel '" + kernel.name +
                                                     "' is not in what was compiled of " +
                                                     names_of(description.sources));
    }
    parts_->kernels.push_back({std::move(kernel), function});
  }
  descriptions_ = description.kernels;
  return {};
}

Result<void> CudaProgram::begin(Assembly& assembly) {
  assembly.current.emplace(*parts_->device.context);
  auto is_current = assembly.current->result();
  if (is_current && assembly.flight->completion->wants_times()) {
    reference_ = reference_of(parts_->device, std::move(reference_));
    assembly.flight->reference = reference_;
  }
  return is_current;
}

void CudaProgram::finish(Assembly& assembly) {
  Result<void>& result = assembly.flight->result;
  if (result) {
    result = read_back(assembly);
  }
  if (!result) {
    (void)leave_to_host(assembly);  // who has it next writes it on the host
  }
  close(assembly);
}

Result<void> CudaProgram::start(const Launch& launch, Assembly& assembly) {
  const Kernel& kernel = parts_->kernels[launch.kernel];
  std::vector<EncodedNumber> arguments;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    auto argument = encode_argument(kernel, i, launch.arguments[i], assembly);
    if (!argument) {
      return unexpected<Error>(argument.error());
    }
    arguments.push_back(*argument);
  }
  return enqueue(kernel, launch, arguments, assembly);
}

Result<EncodedNumber> CudaProgram::encode_argument(const Kernel& kernel, std::size_t index,
                                                   const Argument& argument, Assembly& assembly) {
  return std::visit(
      [&](const auto& given) -> Result<EncodedNumber> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(given)>>) {
          return encode(given, kernel.compiled.parameters[index].number,
                        {kernel.compiled.name, index});
        } else {
          const auto address = value_of(given, assembly);
          return address ? Result<EncodedNumber>(encoded(*address))
                         : Result<EncodedNumber>(unexpected<Error>(address.error()));
        }
      },
      argument);
}

Result<Address> CudaProgram::in_place(std::span<const std::byte> bytes, bool /*writable*/,
                                      Assembly& /*assembly*/) {
  return parts_->memory.import(bytes);
}

std::shared_ptr<Resident> CudaProgram::make_resident() {
  return std::make_shared<CudaResident>(parts_->device.context);
}

Result<void> CudaProgram::show(Resident& resident, std::span<std::byte, ticket_bytes> ticket) {
  const Current current(*parts_->device.context);
  auto* const own = dynamic_cast<CudaResident*>(&resident);
  if (own == nullptr) {
    return unexpected<Error>(is_on_another_device());
  }
  auto is_current = current.result();
  return is_current ? Peers::show(*own, parts_->device, ticket) : is_current;
}

Result<std::shared_ptr<Resident>> CudaProgram::find_shown(
    std::span<const std::byte, ticket_bytes> ticket) {
  const Current current(*parts_->device.context);
  if (auto is_current = current.result(); !is_current) {
    return unexpected<Error>(is_current.error());
  }
  return peers_.find(parts_->device, ticket);
}

Result<void> CudaProgram::await(const CudaResident& resident, Assembly& /*assembly*/) {
  return as_result(driver(), "cuStreamWaitEvent",
                   driver().stream_wait(parts_->device.kernels.get(), resident.written.get(), 0));
}

/// Where host and kernels cannot use managed memory at the same time, each buffer belongs to the
/// one or to the stream of the other.
Result<void> CudaProgram::attach(const OnDevice& memory, unsigned flags) {
  if (memory.kind != Kind::unified || parts_->device.facts.shares_managed_memory) {
    return {};
  }
  return as_result(driver(), "cuStreamAttachMemAsync",
                   driver().attach(parts_->device.kernels.get(), memory.value, 0, flags));
}

Result<void> CudaProgram::clear(const OnDevice& memory, std::size_t size) {
  auto done = attach(memory, attach_single);
  return done ? as_result(driver(), "cuMemsetD8Async",
                          driver().fill(memory.value, 0, size, parts_->device.kernels.get()))
              : done;
}

Result<void> CudaProgram::write(const OnDevice& to, std::span<const std::byte> bytes,
                                Assembly& assembly) {
  if (to.kind == Kind::unified) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): managed memory has one address for both
    std::memcpy(reinterpret_cast<void*>(to.value), bytes.data(), bytes.size());
    return attach(to, attach_single);
  }
  return enqueue_write(to.value, bytes, nullptr, assembly);
}

Result<void> CudaProgram::upload(const OnDevice& to, std::span<const std::byte> bytes,
                                 Assembly& assembly) {
  if (to.kind == Kind::unified) {
    return write(to, bytes, assembly);
  }
  const auto through = stand_in(bytes, assembly);
  return through ? enqueue_write(to.value, bytes, *through, assembly)
                 : Result<void>(unexpected<Error>(through.error()));
}

/// Pinned memory for a payload whose own the device does not copy from or to by itself; else null.
Result<std::byte*> CudaProgram::stand_in(std::span<const std::byte> bytes, Assembly& assembly) {
  Memory& memory = parts_->memory;
  const auto is_pinned = memory.pin(bytes);
  if (!is_pinned) {
    return unexpected<Error>(is_pinned.error());
  }
  if (*is_pinned) {
    return nullptr;
  }
  const auto found = memory.pinned().stage(bytes, Kind::device, assembly.flight->pinned);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  counters_.count_staged(bytes.size());
  return static_cast<std::byte*>(found->value);
}

/// `through`, if any: the device takes from there a piece that the host has copied, while the host
/// copies the next.
Result<void> CudaProgram::enqueue_write(Address to, std::span<const std::byte> bytes,
                                        std::byte* through, Assembly& assembly) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const Stream stream = parts_->device.uploads.get();
  auto begin = record(stream);
  if (!begin) {
    return unexpected<Error>(begin.error());
  }
  const std::size_t most = through == nullptr ? bytes.size() : piece_bytes;
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const auto piece = bytes.subspan(at, std::min(most, bytes.size() - at));
    const void* from =
        through == nullptr ? piece.data() : std::memcpy(through + at, piece.data(), piece.size());
    if (auto done = as_result(driver(), "cuMemcpyHtoDAsync",
                              driver().write(to + at, from, piece.size(), stream));
        !done) {
      return done;
    }
  }
  auto end = record(stream);
  if (!end) {
    return unexpected<Error>(end.error());
  }
  auto uploaded = record(stream);
  if (!uploaded) {
    return unexpected<Error>(uploaded.error());
  }
  assembly.flight->steps.push_back({"copy in", false, std::move(*begin), std::move(*end)});
  assembly.uploaded = std::move(*uploaded);
  return {};
}

Result<EventHandle> CudaProgram::record(Stream stream) {
  auto event = make_event(parts_->device);
  if (!event) {
    return event;
  }
  if (auto done = as_result(driver(), "cuEventRecord", driver().event_record(event->get(), stream));
      !done) {
    return unexpected<Error>(done.error());
  }
  return event;
}

/// The grid covers the index space: an entry leaves out what is beyond, a kernel of CUDA C++ asks
/// itself.
Result<CudaProgram::Block> CudaProgram::block_of(const Kernel& kernel, const Launch& launch) {
  const bool is_local =
      std::any_of(launch.local.begin(), launch.local.end(), [](auto size) { return size > 0; });
  const bool is_flat = launch.global[1] == 1 && launch.global[2] == 1;
  const std::array<std::int64_t, 3> own{is_flat ? 256 : 32, is_flat ? 1 : 8, 1};
  std::array<std::int64_t, 3> local{};
  Block block;
  bool fits = true;
  std::int64_t threads_of_all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t size = launch.global.at(d);
    const std::int64_t threads =
        is_local ? std::max(launch.local.at(d), std::int64_t{1}) : std::min(own.at(d), size);
    const std::int64_t grid = size / threads + (size % threads != 0 ? 1 : 0);
    const bool divides = !is_local || !kernel.compiled.takes_sizes || size % threads == 0;
    fits = fits && divides && threads <= most_threads.at(d) && grid <= most_blocks.at(d);
    local.at(d) = threads;
    threads_of_all *= std::min(threads, most_threads_of_all + 1);
    block.threads.at(d) = static_cast<unsigned>(threads);
    block.grid.at(d) = static_cast<unsigned>(grid);
  }
  if (!fits || threads_of_all > most_threads_of_all) {
    return failure(ErrorCode::launch_failed,
                   "kernel '" + kernel.compiled.name + "': CUDA does not take the global size " +
                       text_of(launch.global) + " with the local size " + text_of(local) +
                       ": a local size has at most 1024 items (the third at most 64) and divides "
                       "the global size of an OpenCL kernel; there are at most 65535 of them in "
                       "the second and the third dimension");
  }
  return block;
}

Result<void> CudaProgram::enqueue(const Kernel& kernel, const Launch& launch,
                                  std::span<EncodedNumber> arguments, Assembly& assembly) {
  const Stream stream = parts_->device.kernels.get();
  const auto block = block_of(kernel, launch);
  if (!block) {
    return unexpected<Error>(block.error());
  }
  std::vector<void*> parameters;
  for (EncodedNumber& argument : arguments) {
    parameters.push_back(argument.bytes.data());
  }
  std::array<std::uint64_t, 3> sizes{};
  for (std::size_t d = 0; d < 3; ++d) {
    sizes.at(d) = static_cast<std::uint64_t>(launch.global.at(d));
    if (kernel.compiled.takes_sizes) {
      parameters.push_back(&sizes.at(d));
    }
  }
  if (assembly.uploaded) {
    const Status waits = driver().stream_wait(stream, assembly.uploaded.get(), 0);
    if (waits != status::success) {
      return failed(driver(), "cuStreamWaitEvent", waits);
    }
  }
  auto begin = record(stream);
  if (!begin) {
    return unexpected<Error>(begin.error());
  }
  const auto& [grid, threads] = *block;
  const Status launched =
      driver().launch(kernel.function, grid[0], grid[1], grid[2], threads[0], threads[1],
                      threads[2], 0, stream, parameters.data(), nullptr);
  if (launched != status::success) {
    return failed(driver(), ("cuLaunchKernel of '" + kernel.compiled.name + "'").c_str(), launched);
  }
  auto end = record(stream);
  if (!end) {
    return unexpected<Error>(end.error());
  }
  counters_.count_launch();
  Flight& flight = *assembly.flight;
  flight.steps.push_back({kernel.compiled.name, true, std::move(*begin), std::move(*end)});
  flight.names += (flight.names.empty() ? "kernel '" : ", '") + kernel.compiled.name + "'";
  return {};
}

/// Unified memory is copied by the host when the device is done.
Result<void> CudaProgram::read_back(Assembly& assembly) {
  const auto is_unified = [](const auto& entry) { return entry.second.kind == Kind::unified; };
  assembly.is_read_back = !std::all_of(assembly.out.begin(), assembly.out.end(), is_unified);
  auto done = assembly.is_read_back ? read_back_by_device(assembly) : Result<void>();
  done = done ? leave_to_host(assembly) : done;
  for (const auto& [to, from] : assembly.out) {
    if (done && from.kind == Kind::unified) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): managed memory has one address for both
      assembly.flight->host_copies.push_back({to, reinterpret_cast<const std::byte*>(from.value)});
      counters_.count_copy(to.size());
    }
  }
  return done;
}

Result<void> CudaProgram::read_back_by_device(Assembly& assembly) {
  const Stream stream = parts_->device.downloads.get();
  const auto computed = record(parts_->device.kernels.get());
  if (!computed) {
    return unexpected<Error>(computed.error());
  }
  if (auto waits = as_result(driver(), "cuStreamWaitEvent",
                             driver().stream_wait(stream, computed->get(), 0));
      !waits) {
    return waits;
  }
  for (const auto& [to, from] : assembly.out) {
    if (from.kind == Kind::unified) {
      continue;
    }
    const auto through = stand_in(to, assembly);
    if (!through) {
      return unexpected<Error>(through.error());
    }
    std::byte* const into = *through == nullptr ? to.data() : *through;
    auto begin = record(stream);
    if (!begin) {
      return unexpected<Error>(begin.error());
    }
    if (auto done = as_result(driver(), "cuMemcpyDtoHAsync",
                              driver().read(into, from.value, to.size(), stream));
        !done) {
      return done;
    }
    if (into != to.data()) {
      assembly.flight->host_copies.push_back({to, into});
    }
    auto end = record(stream);
    if (!end) {
      return unexpected<Error>(end.error());
    }
    counters_.count_copy(to.size());
    assembly.flight->steps.push_back({"copy out", false, std::move(*begin), std::move(*end)});
  }
  return {};
}

Result<void> CudaProgram::leave_to_host(Assembly& assembly) {
  for (const auto& staged : assembly.flight->lease) {
    if (auto attached = attach({staged.memory.get(), staged.kind}, attach_host); !attached) {
      return attached;
    }
  }
  return {};
}

/// Finds the event that is the last of all. Whatever was enqueued has to end before its memory is
/// given back, also where the rest failed.
void CudaProgram::close(Assembly& assembly) {
  const Device& device = parts_->device;
  Flight& flight = *assembly.flight;
  for (const auto& resident : assembly.leaving) {
    if (auto written = record(device.kernels.get())) {
      resident->written = std::move(*written);
      resident->is_valid = flight.result.has_value();
    }
  }
  if (flight.steps.empty() && flight.lease.empty() && flight.residents.empty()) {
    return;
  }
  if (!flight.result) {  // perhaps with copies that no event comes after
    if (auto uploaded = record(device.uploads.get())) {
      assembly.uploaded = std::move(*uploaded);
    }
  }
  const bool is_read = flight.result && assembly.is_read_back;
  const Stream last = is_read ? device.downloads.get() : device.kernels.get();
  if (!is_read && assembly.uploaded) {
    (void)driver().stream_wait(last, assembly.uploaded.get(), 0);
  }
  auto event = record(last);
  if (event) {
    flight.last = std::move(*event);
    return;
  }
  if (flight.result) {
    flight.result = unexpected<Error>(event.error());
  }
  if (!flight.steps.empty()) {  // without its time, then
    flight.last = std::move(flight.steps.back().end);
    flight.steps.pop_back();
  }
}

/// On the flights' thread.
void CudaProgram::note_landed(Flight& flight) {
  for (const Step& step : flight.steps) {
    float milliseconds = 0;
    if (step.is_kernel && driver().event_elapsed(&milliseconds, step.begin.get(), step.end.get()) ==
                              status::success) {
      counters_.count_kernel_time(std::llround(static_cast<double>(milliseconds) * 1e6));
    }
  }
  if (flight.result && flight.reference != nullptr) {
    for (const auto& work : work_of(flight.steps, *flight.reference, parts_->device)) {
      flight.completion->worked(work);
    }
  }
  parts_->memory.pinned().give_back(std::move(flight.pinned));
  ProgramOn::note_landed(flight);
}

Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                              const Settings& settings) {
  return built_on<CudaProgram>(open_device(settings, description.access), description, settings);
}

Result<void> is_usable(const std::string& device) {
  auto found = find_device(device);
  return found ? find_compiler() : found;
}

}  // namespace ligament::gpu::cuda
