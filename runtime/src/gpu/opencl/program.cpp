// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/program.hpp"

#include <algorithm>
#include <type_traits>

#include "gpu/sources.hpp"
#include "ligament/detail/pool.hpp"

namespace ligament::gpu::opencl {
namespace {

EventHandle another(const EventHandle& event) {
  (void)clRetainEvent(event.get());
  return EventHandle(event.get());
}

Result<void> as_result(const char* call, cl_int status) {
  return status == CL_SUCCESS ? Result<void>() : failed(call, status);
}

}  // namespace

OpenClProgram::OpenClProgram(Device&& device, const Settings& settings)
    : parts_(std::make_unique<Parts>(std::move(device))),
      in_flight_(std::max(settings.in_flight, 1U)),
      flights_(settings.deadline, [this](Flight& flight) { note_landed(flight); }) {}

OpenClProgram::~OpenClProgram() {
  drain();
  if (flights_.is_lost()) {
    keep_for_ever(std::shared_ptr<Parts>(std::move(parts_)));  // releasing would wait for it
  }
}

Result<void> OpenClProgram::build(const ProgramDescription& description) {
  const Device& device = parts_->device;
  std::string text;
  for (const Source& source : description.sources) {
    text += is_cuda(source) ? std::string() : with_line(source);
  }
  const char* pointer = text.c_str();
  const std::size_t length = text.size();
  cl_int status = CL_SUCCESS;
  parts_->program =
      ProgramHandle(clCreateProgramWithSource(device.context.get(), 1, &pointer, &length, &status));
  if (status != CL_SUCCESS) {
    return failed("clCreateProgramWithSource", status);
  }
  const cl_program program = parts_->program.get();
  status = clBuildProgram(program, 1, &device.id, "-cl-kernel-arg-info", nullptr, nullptr);
  if (status != CL_SUCCESS) {
    return failure(ErrorCode::not_compiled,
                   names_of(description.sources) + " cannot be compiled for '" + device.info.name +
                       "':\n" +
                       text_of(clGetProgramBuildInfo, program, device.id,
                               cl_program_build_info{CL_PROGRAM_BUILD_LOG}));
  }
  for (const KernelDescription& expected : description.kernels) {
    auto kernel = Kernel::find(program, expected);
    if (!kernel) {
      return failure(kernel.error().code,
                     names_of(description.sources) + ": " + kernel.error().text);
    }
    parts_->kernels.push_back(std::move(*kernel));
  }
  parts_->last_arguments.resize(parts_->kernels.size());
  return {};
}

void OpenClProgram::wait_for_room() { flights_.wait_until_fewer_than(in_flight_); }
void OpenClProgram::drain() { flights_.wait_until_fewer_than(1); }

void OpenClProgram::submit(std::span<const Launch> launches,
                           std::unique_ptr<Completion> completion) {
  Assembly assembly;
  Flight& flight = assembly.flight;
  flight.completion = std::move(completion);
  assembly.is_timed = flight.completion->wants_times();
  if (flights_.is_lost()) {
    flight.result = failure(ErrorCode::device_lost, "'" + device().name + "' was given up before");
    flights_.add(std::move(flight));
    return;
  }
  wait_for_room();
  parts_->memory.begin();
  if (arguments_are_stale_.exchange(false)) {
    std::fill(parts_->last_arguments.begin(), parts_->last_arguments.end(),
              std::vector<std::byte>());
  }
  for (const Launch& launch : launches) {
    if (flight.result = enqueue(launch, assembly); !flight.result) {
      break;
    }
  }
  if (flight.result) {
    flight.result = read_back(assembly);
  }
  close(assembly);
  flights_.add(std::move(flight));
}

Result<void> OpenClProgram::check(const Launch& launch) const {
  if (launch.kernel >= parts_->kernels.size()) {
    return failure(ErrorCode::kernel_mismatch, "there is no such kernel in the program");
  }
  const Kernel& kernel = parts_->kernels[launch.kernel];
  if (launch.arguments.size() != kernel.argument_count()) {
    return failure(ErrorCode::kernel_mismatch,
                   "kernel '" + kernel.name() + "' was launched with another number of arguments");
  }
  return {};
}

Result<void> OpenClProgram::enqueue(const Launch& launch, Assembly& assembly) {
  if (auto checked = check(launch); !checked) {
    return checked;
  }
  if (std::any_of(launch.global.begin(), launch.global.end(), [](auto size) { return size < 1; })) {
    return {};
  }
  if (launch.when_changed) {
    auto key =
        key_of(launch, [this](const Kept& kept) { return parts_->memory.generation_of(kept); });
    if (!key) {
      return unexpected<Error>(key.error());
    }
    auto& last = parts_->last_arguments[launch.kernel];
    if (last == *key) {
      return {};
    }
    last = std::move(*key);
  }
  Kernel& kernel = parts_->kernels[launch.kernel];
  Result<void> done;
  for (std::size_t i = 0; done && i < launch.arguments.size(); ++i) {
    done = set(kernel, i, launch.arguments[i], assembly);
  }
  done = done ? start(kernel, launch, assembly) : done;
  if (!done) {
    parts_->last_arguments[launch.kernel].clear();
  }
  return done;
}

Result<void> OpenClProgram::set(Kernel& kernel, std::size_t index, const Argument& argument,
                                Assembly& assembly) {
  return std::visit(
      [&](const auto& given) -> Result<void> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(given)>>) {
          return kernel.set_number(index, given);
        } else {
          const auto buffer = buffer_for(given, assembly);
          return buffer ? kernel.set_buffer(index, *buffer)
                        : Result<void>(unexpected<Error>(buffer.error()));
        }
      },
      argument);
}

Result<cl_mem> OpenClProgram::buffer_for(std::span<const std::byte> in, Assembly& assembly) {
  if (in.empty()) {
    return nullptr;
  }
  if (parts_->device.is_in_place()) {
    return parts_->memory.import(in, false);
  }
  const auto staged = parts_->memory.stage(in, assembly.flight.lease);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  if (staged->is_new) {
    if (auto written = write(staged->buffer, in, assembly); !written) {
      return unexpected<Error>(written.error());
    }
    copies_.fetch_add(1, std::memory_order_relaxed);
    bytes_copied_.fetch_add(in.size(), std::memory_order_relaxed);
  }
  return staged->buffer;
}

/// What a kernel leaves out must not show an earlier message.
Result<cl_mem> OpenClProgram::buffer_for(std::span<std::byte> out, Assembly& assembly) {
  if (out.empty()) {
    return nullptr;
  }
  if (parts_->device.is_in_place()) {
    return parts_->memory.import(out, true);
  }
  const auto staged = parts_->memory.stage(out, assembly.flight.lease);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  if (staged->is_new) {
    if (auto cleared = clear(staged->buffer, out.size()); !cleared) {
      return unexpected<Error>(cleared.error());
    }
    assembly.out.push_back(out);
    assembly.out_buffers.push_back(staged->buffer);
  }
  return staged->buffer;
}

Result<cl_mem> OpenClProgram::buffer_for(const Values& values, Assembly& assembly) {
  if (values.bytes.size() > most_value_bytes) {
    return failure(ErrorCode::launch_failed,
                   "an array of " + std::to_string(values.bytes.size()) +
                       " bytes is too large to be copied with a launch; it may have " +
                       std::to_string(most_value_bytes));
  }
  if (values.bytes.empty()) {
    return nullptr;
  }
  const auto staged = parts_->memory.stage(values.bytes, assembly.flight.lease);
  if (!staged) {
    return unexpected<Error>(staged.error());
  }
  if (staged->is_new) {
    if (auto written = write(staged->buffer, values.bytes, assembly); !written) {
      return unexpected<Error>(written.error());
    }
  }
  return staged->buffer;
}

Result<cl_mem> OpenClProgram::buffer_for(const Kept& kept, Assembly& /*assembly*/) {
  const auto buffer = parts_->memory.kept(kept);
  if (!buffer) {
    return unexpected<Error>(buffer.error());
  }
  if (buffer->is_new) {
    if (auto cleared = clear(buffer->buffer, static_cast<std::size_t>(kept.bytes)); !cleared) {
      return unexpected<Error>(cleared.error());
    }
  }
  return buffer->buffer;
}

std::shared_ptr<Resident> OpenClProgram::make_resident() {
  return std::make_shared<OpenClResident>();
}

Result<cl_mem> OpenClProgram::buffer_for(const Leaving& leaving, Assembly& assembly) {
  const Device& device = parts_->device;
  auto own = std::dynamic_pointer_cast<OpenClResident>(leaving.resident);
  if (own == nullptr || leaving.bytes.empty()) {
    return failure(ErrorCode::launch_failed, "a payload shall stay on another device");
  }
  own->is_valid = false;
  own->context = device.context.get();
  assembly.leaving.push_back(own);
  assembly.flight.residents.push_back(own);
  if (device.is_in_place()) {
    return parts_->memory.import(leaving.bytes, true);
  }
  if (own->size < leaving.bytes.size()) {
    cl_int status = CL_SUCCESS;
    own->buffer = Buffer(clCreateBuffer(device.context.get(), CL_MEM_READ_WRITE,
                                        leaving.bytes.size(), nullptr, &status));
    if (status != CL_SUCCESS) {
      own->size = 0;
      return failed("clCreateBuffer", status);
    }
    own->size = leaving.bytes.size();
  }
  if (auto cleared = clear(own->buffer.get(), leaving.bytes.size()); !cleared) {
    return unexpected<Error>(cleared.error());
  }
  return own->buffer.get();
}

Result<cl_mem> OpenClProgram::buffer_for(const Arriving& arriving, Assembly& assembly) {
  const Device& device = parts_->device;
  const auto own = std::dynamic_pointer_cast<OpenClResident>(arriving.resident);
  if (own == nullptr || own->context != device.context.get() ||
      device.is_in_place() == (own->buffer.get() != nullptr)) {
    return failure(ErrorCode::launch_failed,
                   "the payload is on another device, or was left by another device model");
  }
  if (!own->is_valid) {
    return failure(ErrorCode::launch_failed, "the kernel that should write the payload failed");
  }
  assembly.uploads.push_back(own->written.get());
  assembly.flight.residents.push_back(own);
  return device.is_in_place() ? parts_->memory.import(arriving.bytes, false)
                              : Result<cl_mem>(own->buffer.get());
}

/// Who takes it waits for the last kernel, on the device.
void OpenClProgram::leave(Assembly& assembly) {
  const Flight& flight = assembly.flight;
  for (const auto& resident : assembly.leaving) {
    resident->is_valid = flight.result && !flight.kernels.empty();
    resident->written = resident->is_valid ? another(flight.kernels.back()) : EventHandle();
  }
}

Result<void> OpenClProgram::clear(cl_mem buffer, std::size_t size) {
  const cl_uchar zero = 0;
  return as_result("clEnqueueFillBuffer",
                   clEnqueueFillBuffer(parts_->device.kernels.get(), buffer, &zero, sizeof zero, 0,
                                       size, 0, nullptr, nullptr));
}

Result<void> OpenClProgram::write(cl_mem buffer, std::span<const std::byte> bytes,
                                  Assembly& assembly) {
  EventHandle event;
  const std::int64_t before = assembly.now();
  const cl_command_queue queue = parts_->device.upload_queue();
  const bool is_shared = device().model == Model::unified_memory;
  const cl_int status =
      is_shared ? clEnqueueSVMMemcpy(queue, CL_FALSE, shared_memory_of(buffer), bytes.data(),
                                     bytes.size(), 0, nullptr, event.out())
                : clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes.size(), bytes.data(), 0,
                                       nullptr, event.out());
  if (status != CL_SUCCESS) {
    return failed(is_shared ? "clEnqueueSVMMemcpy" : "clEnqueueWriteBuffer", status);
  }
  assembly.note(event.get(), "copy in", trace::Category::copy, before);
  assembly.uploads.push_back(event.get());
  assembly.flight.copies.push_back(std::move(event));
  return {};
}

Result<void> OpenClProgram::start(const Kernel& kernel, const Launch& launch, Assembly& assembly) {
  std::array<std::size_t, 3> global{};
  std::array<std::size_t, 3> local{};
  std::transform(launch.global.begin(), launch.global.end(), global.begin(),
                 [](std::int64_t size) { return static_cast<std::size_t>(size); });
  std::transform(launch.local.begin(), launch.local.end(), local.begin(), [](std::int64_t size) {
    return static_cast<std::size_t>(std::max(size, std::int64_t{0}));
  });
  const bool is_local =
      std::any_of(local.begin(), local.end(), [](auto size) { return size != 0; });
  EventHandle event;
  const auto& uploads = assembly.uploads;
  const std::int64_t before = assembly.now();
  const cl_int status = clEnqueueNDRangeKernel(
      parts_->device.kernels.get(), kernel.get(), 3, nullptr, global.data(),
      is_local ? local.data() : nullptr, static_cast<cl_uint>(uploads.size()),
      uploads.empty() ? nullptr : uploads.data(), event.out());
  if (status != CL_SUCCESS) {
    return failed(("clEnqueueNDRangeKernel of '" + kernel.name() + "'").c_str(), status);
  }
  launches_.fetch_add(1, std::memory_order_relaxed);
  assembly.note(event.get(), kernel.name(), trace::Category::compute, before);
  assembly.flight.kernels.push_back(std::move(event));
  std::string& names = assembly.flight.names;
  names += (names.empty() ? "kernel '" : ", '") + kernel.name() + "'";
  return {};
}

Result<void> OpenClProgram::read_back(Assembly& assembly) {
  Flight& flight = assembly.flight;
  const cl_event before = flight.kernels.empty() ? nullptr : flight.kernels.back().get();
  for (std::size_t i = 0; i < assembly.out.size(); ++i) {
    EventHandle event;
    const std::int64_t enqueued = assembly.now();
    const std::span<std::byte> out = assembly.out[i];
    const cl_mem buffer = assembly.out_buffers[i];
    const cl_uint waits = before == nullptr ? 0 : 1;
    const cl_event* const list = before == nullptr ? nullptr : &before;
    const cl_command_queue queue = parts_->device.download_queue();
    const bool is_shared = device().model == Model::unified_memory;
    const cl_int status =
        is_shared ? clEnqueueSVMMemcpy(queue, CL_FALSE, out.data(), shared_memory_of(buffer),
                                       out.size(), waits, list, event.out())
                  : clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, out.size(), out.data(), waits,
                                        list, event.out());
    if (status != CL_SUCCESS) {
      return failed(is_shared ? "clEnqueueSVMMemcpy" : "clEnqueueReadBuffer", status);
    }
    copies_.fetch_add(1, std::memory_order_relaxed);
    bytes_copied_.fetch_add(assembly.out[i].size(), std::memory_order_relaxed);
    assembly.note(event.get(), "copy out", trace::Category::copy, enqueued);
    flight.last = another(event);
    flight.copies.push_back(std::move(event));
  }
  return {};
}

/// Finds the event that is the last of all, and lets the device begin.
void OpenClProgram::close(Assembly& assembly) {
  Flight& flight = assembly.flight;
  const bool any = !flight.kernels.empty() || !flight.copies.empty();
  if (flight.result && flight.last.get() == nullptr && !flight.kernels.empty()) {
    flight.last = another(flight.kernels.back());  // it waited for the uploads
  } else if (any && (!flight.result || flight.last.get() == nullptr)) {
    // Put together in part: whatever there is has to end before its memory is given back.
    std::vector<cl_event> all;
    for (const EventHandle& event : flight.copies) {
      all.push_back(event.get());
    }
    flight.last.reset();
    (void)clEnqueueMarkerWithWaitList(parts_->device.kernels.get(),
                                      static_cast<cl_uint>(all.size()),
                                      all.empty() ? nullptr : all.data(), flight.last.out());
  }
  leave(assembly);
  flush();
}

void OpenClProgram::flush() {
  const Device& device = parts_->device;
  for (const QueueHandle* queue : {&device.uploads, &device.kernels, &device.downloads}) {
    if (queue->get() != nullptr) {
      (void)clFlush(queue->get());
    }
  }
}

/// On the flights' thread.
void OpenClProgram::note_landed(Flight& flight) {
  for (const EventHandle& event : flight.kernels) {
    cl_ulong begin = 0;
    cl_ulong end = 0;
    (void)clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                  nullptr);
    (void)clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    kernel_ns_.fetch_add(end > begin ? static_cast<std::int64_t>(end - begin) : 0,
                         std::memory_order_relaxed);
  }
  if (!flight.result) {
    arguments_are_stale_ = true;
  }
  tell_work(flight);
  parts_->memory.give_back(std::move(flight.lease));
}

void OpenClProgram::tell_work(const Flight& flight) {
  if (!flight.result || flight.timed.empty()) {
    return;
  }
  for (const auto& work : clock_.work_of(flight.timed, device().name, pool::monotonic_now_ns())) {
    flight.completion->worked(work);
  }
}

std::int64_t OpenClProgram::Assembly::now() const {
  return is_timed ? pool::monotonic_now_ns() : 0;
}

void OpenClProgram::Assembly::note(cl_event event, std::string_view name, trace::Category category,
                                   std::int64_t before_ns) {
  if (is_timed) {
    flight.timed.push_back({event, name, category, before_ns, pool::monotonic_now_ns()});
  }
}

Statistics OpenClProgram::statistics() const {
  Statistics statistics;
  statistics.launches = launches_.load(std::memory_order_relaxed);
  statistics.copies = copies_.load(std::memory_order_relaxed);
  statistics.bytes_copied = bytes_copied_.load(std::memory_order_relaxed);
  statistics.kernel_ns = kernel_ns_.load(std::memory_order_relaxed);
  parts_->memory.count_into(statistics);
  return statistics;
}

Result<std::unique_ptr<Program>> open_program(const ProgramDescription& description,
                                              const Settings& settings) {
  if (!description.sources.empty() &&
      std::all_of(description.sources.begin(), description.sources.end(), is_cuda)) {
    return failure(ErrorCode::setting,
                   names_of(description.sources) +
                       ": CUDA C++, which no OpenCL device takes; give an OpenCL "
                       "kernel beside it, or choose the back-end cuda");
  }
  auto device = open_device(settings);
  if (!device) {
    return unexpected<Error>(device.error());
  }
  auto program = std::make_unique<OpenClProgram>(std::move(*device), settings);
  if (auto built = program->build(description); !built) {
    return unexpected<Error>(built.error());
  }
  return program;
}

}  // namespace ligament::gpu::opencl
