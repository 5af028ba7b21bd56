// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/program.hpp"

#include <type_traits>

#include "gpu/retain_until_exit.hpp"
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
    : ProgramOn(std::move(device), settings, true) {}

OpenClProgram::~OpenClProgram() {
  if (end()) {
    retain_until_exit(std::shared_ptr<Parts>(std::move(parts_)));  // releasing would wait for it
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
  parts_->code =
      ProgramHandle(clCreateProgramWithSource(device.context.get(), 1, &pointer, &length, &status));
  if (status != CL_SUCCESS) {
    return failed("clCreateProgramWithSource", status);
  }
  const cl_program program = parts_->code.get();
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
  descriptions_ = description.kernels;
  return {};
}

Result<void> OpenClProgram::begin(Assembly& assembly) {
  assembly.is_timed = assembly.flight->completion->wants_times();
  parts_->memory.begin();
  return {};
}

void OpenClProgram::finish(Assembly& assembly) {
  Result<void>& result = assembly.flight->result;
  if (result) {
    result = read_back(assembly);
  }
  if (auto handed = hand_back(assembly); result && !handed) {
    result = handed;
  }
  close(assembly);
}

Result<void> OpenClProgram::start(const Launch& launch, Assembly& assembly) {
  Kernel& kernel = parts_->kernels[launch.kernel];
  Result<void> done;
  for (std::size_t i = 0; done && i < launch.arguments.size(); ++i) {
    done = set(kernel, i, launch.arguments[i], assembly);
  }
  return done ? enqueue(kernel, launch, assembly) : done;
}

Result<void> OpenClProgram::set(Kernel& kernel, std::size_t index, const Argument& argument,
                                Assembly& assembly) {
  return std::visit(
      [&](const auto& given) -> Result<void> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(given)>>) {
          return kernel.set_number(index, given);
        } else {
          const auto buffer = value_of(given, assembly);
          return buffer ? kernel.set_buffer(index, *buffer)
                        : Result<void>(unexpected<Error>(buffer.error()));
        }
      },
      argument);
}

/// The bytes are the device's from here on, until hand_back().
Result<cl_mem> OpenClProgram::in_place(std::span<const std::byte> bytes, bool writable,
                                       Assembly& assembly) {
  auto found = parts_->memory.import(bytes, writable);
  if (!found) {
    return unexpected<Error>(found.error());
  }
  Import& import = **found;
  auto& lent = assembly.lent;
  if (parts_->device.is_handed_over && std::find(lent.begin(), lent.end(), &import) == lent.end()) {
    if (auto done = lend(import, assembly.uploads); !done) {
      return unexpected<Error>(done.error());
    }
    lent.push_back(&import);
  }
  return import.buffer.get();
}

/// What is new has the content of when it was made, and a kernel of another program may be about to
/// write it: so it becomes the host's before it is lent.
Result<void> OpenClProgram::lend(Import& import, const std::vector<cl_event>& before) {
  const cl_command_queue queue = parts_->device.kernels.get();
  cl_int status = CL_SUCCESS;
  if (!import.is_the_hosts) {
    (void)clEnqueueMapBuffer(queue, import.buffer.get(), CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION,
                             0, import.size, 0, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) {
      return failed("clEnqueueMapBuffer", status);
    }
    import.is_the_hosts = true;
  }
  status = clEnqueueUnmapMemObject(queue, import.buffer.get(), import.host,
                                   static_cast<cl_uint>(before.size()),
                                   before.empty() ? nullptr : before.data(), nullptr);
  import.is_the_hosts = status != CL_SUCCESS;
  return as_result("clEnqueueUnmapMemObject", status);
}

/// Also where the rest failed. What kernels only read has the host's content already, in memory
/// that nothing may be written to.
Result<void> OpenClProgram::hand_back(Assembly& assembly) {
  Result<void> done;
  for (Import* import : assembly.lent) {
    cl_int status = CL_SUCCESS;
    EventHandle event;
    const cl_map_flags use =
        import->is_writable ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
    (void)clEnqueueMapBuffer(parts_->device.kernels.get(), import->buffer.get(), CL_FALSE, use, 0,
                             import->size, 0, nullptr, event.out(), &status);
    if (status != CL_SUCCESS) {
      done = failed("clEnqueueMapBuffer", status);
      parts_->memory.forget(*import);
      continue;
    }
    import->is_the_hosts = true;
    assembly.handed_back = another(event);
    assembly.flight->copies.push_back(std::move(event));
  }
  return done;
}

std::shared_ptr<Resident> OpenClProgram::make_resident() {
  return std::make_shared<OpenClResident>(parts_->device.context.get());
}

Result<Buffer> OpenClProgram::allocate(std::size_t size) {
  cl_int status = CL_SUCCESS;
  Buffer buffer(
      clCreateBuffer(parts_->device.context.get(), CL_MEM_READ_WRITE, size, nullptr, &status));
  return status == CL_SUCCESS ? Result<Buffer>(std::move(buffer))
                              : Result<Buffer>(failed("clCreateBuffer", status));
}

Result<void> OpenClProgram::await(const OpenClResident& resident, Assembly& assembly) {
  assembly.uploads.push_back(resident.written.get());
  return {};
}

/// Who takes it waits for the last kernel, on the device, and until it is handed back.
void OpenClProgram::leave(Assembly& assembly) {
  const Flight& flight = *assembly.flight;
  for (const auto& resident : assembly.leaving) {
    resident->is_valid = flight.result && !flight.kernels.empty();
    resident->written = !resident->is_valid                     ? EventHandle()
                        : assembly.handed_back.get() != nullptr ? another(assembly.handed_back)
                                                                : another(flight.kernels.back());
  }
}

Result<void> OpenClProgram::clear(const OnDevice& memory, std::size_t size) {
  const cl_uchar zero = 0;
  return as_result("clEnqueueFillBuffer",
                   clEnqueueFillBuffer(parts_->device.kernels.get(), memory.value, &zero,
                                       sizeof zero, 0, size, 0, nullptr, nullptr));
}

Result<void> OpenClProgram::write(const OnDevice& to, std::span<const std::byte> bytes,
                                  Assembly& assembly) {
  EventHandle event;
  const std::int64_t before = assembly.now();
  const cl_command_queue queue = parts_->device.upload_queue();
  const bool is_shared = to.kind == Kind::unified;
  const cl_int status =
      is_shared ? clEnqueueSVMMemcpy(queue, CL_FALSE, shared_memory_of(to.value), bytes.data(),
                                     bytes.size(), 0, nullptr, event.out())
                : clEnqueueWriteBuffer(queue, to.value, CL_FALSE, 0, bytes.size(), bytes.data(), 0,
                                       nullptr, event.out());
  if (status != CL_SUCCESS) {
    return failed(is_shared ? "clEnqueueSVMMemcpy" : "clEnqueueWriteBuffer", status);
  }
  assembly.note(event.get(), "copy in", trace::Category::copy, before);
  assembly.uploads.push_back(event.get());
  assembly.flight->copies.push_back(std::move(event));
  return {};
}

Result<void> OpenClProgram::enqueue(const Kernel& kernel, const Launch& launch,
                                    Assembly& assembly) {
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
  counters_.count_launch();
  assembly.note(event.get(), kernel.name(), trace::Category::compute, before);
  assembly.flight->kernels.push_back(std::move(event));
  std::string& names = assembly.flight->names;
  names += (names.empty() ? "kernel '" : ", '") + kernel.name() + "'";
  return {};
}

Result<void> OpenClProgram::read_back(Assembly& assembly) {
  Flight& flight = *assembly.flight;
  const cl_event before = flight.kernels.empty() ? nullptr : flight.kernels.back().get();
  for (const auto& [out, from] : assembly.out) {
    EventHandle event;
    const std::int64_t enqueued = assembly.now();
    const cl_uint waits = before == nullptr ? 0 : 1;
    const cl_event* const list = before == nullptr ? nullptr : &before;
    const cl_command_queue queue = parts_->device.download_queue();
    const bool is_shared = from.kind == Kind::unified;
    const cl_int status =
        is_shared ? clEnqueueSVMMemcpy(queue, CL_FALSE, out.data(), shared_memory_of(from.value),
                                       out.size(), waits, list, event.out())
                  : clEnqueueReadBuffer(queue, from.value, CL_FALSE, 0, out.size(), out.data(),
                                        waits, list, event.out());
    if (status != CL_SUCCESS) {
      return failed(is_shared ? "clEnqueueSVMMemcpy" : "clEnqueueReadBuffer", status);
    }
    counters_.count_copy(out.size());
    assembly.note(event.get(), "copy out", trace::Category::copy, enqueued);
    assembly.read_back = another(event);
    flight.copies.push_back(std::move(event));
  }
  return {};
}

/// The last commands of a submit: queues are in order, its kernels wait for its uploads, and its
/// downloads for its kernels. Where it was put together in part, all of its copies.
std::vector<cl_event> OpenClProgram::ends_of(const Assembly& assembly) {
  const Flight& flight = *assembly.flight;
  std::vector<cl_event> ends;
  if (!flight.result || flight.kernels.empty()) {
    for (const EventHandle& event : flight.copies) {
      ends.push_back(event.get());
    }
    return ends;
  }
  if (assembly.read_back.get() != nullptr) {
    ends.push_back(assembly.read_back.get());
  }
  if (assembly.handed_back.get() != nullptr) {
    ends.push_back(assembly.handed_back.get());
  } else if (ends.empty()) {
    ends.push_back(flight.kernels.back().get());
  }
  return ends;
}

/// Finds the event that is the last of all, and lets the device begin.
void OpenClProgram::close(Assembly& assembly) {
  Flight& flight = *assembly.flight;
  const std::vector<cl_event> ends = ends_of(assembly);
  if (flight.result && ends.size() == 1) {
    (void)clRetainEvent(ends.front());
    flight.last = EventHandle(ends.front());
  } else if (!flight.kernels.empty() || !flight.copies.empty()) {
    // In the queue of kernels: behind all of them. Whatever there is has to end before its memory
    // is given back.
    const cl_int marked =
        clEnqueueMarkerWithWaitList(parts_->device.kernels.get(), static_cast<cl_uint>(ends.size()),
                                    ends.empty() ? nullptr : ends.data(), flight.last.out());
    if (marked != CL_SUCCESS) {
      for_each_queue(&clFinish);
    }
  }
  leave(assembly);
  for_each_queue(&clFlush);
}

void OpenClProgram::for_each_queue(cl_int (*call)(cl_command_queue queue)) const {
  const Device& device = parts_->device;
  for (const QueueHandle* queue : {&device.uploads, &device.kernels, &device.downloads}) {
    if (queue->get() != nullptr) {
      (void)call(queue->get());
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
    counters_.count_kernel_time(end > begin ? static_cast<std::int64_t>(end - begin) : 0);
  }
  tell_work(flight);
  ProgramOn::note_landed(flight);
}

void OpenClProgram::tell_work(const Flight& flight) {
  if (!flight.result || flight.timed.empty()) {
    return;
  }
  for (const auto& work : clock_.work_of(flight.timed, device().name, pool::monotonic_now_ns())) {
    flight.completion->worked(work);
  }
}

std::int64_t OpenClAssembly::now() const { return is_timed ? pool::monotonic_now_ns() : 0; }

void OpenClAssembly::note(cl_event event, std::string_view name, trace::Category category,
                          std::int64_t before_ns) {
  if (is_timed) {
    flight->timed.push_back({event, name, category, before_ns, pool::monotonic_now_ns()});
  }
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
  return built_on<OpenClProgram>(open_device(settings, description.access), description, settings);
}

}  // namespace ligament::gpu::opencl
