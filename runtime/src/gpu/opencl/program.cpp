// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/program.hpp"

#include <algorithm>

namespace ligament::gpu {
namespace opencl {
namespace {

/// The compiler counts lines per source, and names it.
std::string with_line(const Source& source) {
  std::string path;
  for (const char c : source.path) {
    path += c == '\\' || c == '"' ? std::string{'\\', c} : std::string{c};
  }
  return "#line 1 \"" + path + "\"\n" + source.text + "\n";
}

std::string names_of(const std::vector<Source>& sources) {
  std::string names;
  for (const Source& source : sources) {
    names += (names.empty() ? "" : ", ") + source.path;
  }
  return names;
}

}  // namespace

Result<void> OpenClProgram::build(const ProgramDescription& description) {
  std::string text;
  for (const Source& source : description.sources) {
    text += with_line(source);
  }
  const char* pointer = text.c_str();
  const std::size_t length = text.size();
  cl_int status = CL_SUCCESS;
  program_ = ProgramHandle(
      clCreateProgramWithSource(device_.context.get(), 1, &pointer, &length, &status));
  if (status != CL_SUCCESS) {
    return failed("clCreateProgramWithSource", status);
  }
  status = clBuildProgram(program_.get(), 1, &device_.id, "-cl-kernel-arg-info", nullptr, nullptr);
  if (status != CL_SUCCESS) {
    return failure(ErrorCode::not_compiled,
                   names_of(description.sources) + " cannot be compiled for '" + device_.info.name +
                       "':\n" +
                       text_of(clGetProgramBuildInfo, program_.get(), device_.id,
                               cl_program_build_info{CL_PROGRAM_BUILD_LOG}));
  }
  for (const KernelDescription& expected : description.kernels) {
    auto kernel = Kernel::find(program_.get(), expected);
    if (!kernel) {
      return failure(kernel.error().code,
                     names_of(description.sources) + ": " + kernel.error().text);
    }
    kernels_.push_back(std::move(*kernel));
  }
  return {};
}

Result<void> OpenClProgram::run(std::span<const Launch> launches) {
  if (is_lost_) {
    return failure(ErrorCode::device_lost, "'" + device_.info.name + "' was lost before");
  }
  outputs_.clear();
  events_.clear();
  Result<void> result;
  for (const Launch& launch : launches) {
    if (result = enqueue(launch); !result) {
      break;
    }
  }
  if (result) {
    result = read_back();
  }
  // Also after an error: nothing may run on when the caller gives its memory back.
  if (auto finished = finish(); result && !finished) {
    result = finished;
  }
  memory_.release();
  is_lost_ = !result && result.error().code == ErrorCode::device_lost;
  return result;
}

Result<void> OpenClProgram::enqueue(const Launch& launch) {
  if (launch.kernel >= kernels_.size()) {
    return failure(ErrorCode::kernel_mismatch, "there is no such kernel in the program");
  }
  Kernel& kernel = kernels_[launch.kernel];
  if (launch.arguments.size() != kernel.argument_count()) {
    return failure(ErrorCode::kernel_mismatch,
                   "kernel '" + kernel.name() + "' was launched with another number of arguments");
  }
  if (std::any_of(launch.global.begin(), launch.global.end(), [](auto size) { return size < 1; })) {
    return {};
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (auto done = set(kernel, i, launch.arguments[i]); !done) {
      return done;
    }
  }
  return start(kernel, launch);
}

Result<void> OpenClProgram::set(Kernel& kernel, std::size_t index, const Argument& argument) {
  if (const auto* whole = std::get_if<std::int64_t>(&argument)) {
    return kernel.set_number(index, *whole);
  }
  if (const auto* fraction = std::get_if<double>(&argument)) {
    return kernel.set_number(index, *fraction);
  }
  const auto* in = std::get_if<std::span<const std::byte>>(&argument);
  auto mapped = in != nullptr
                    ? memory_.input(*in, statistics_)
                    : memory_.output(std::get<std::span<std::byte>>(argument), statistics_);
  if (!mapped) {
    return unexpected<Error>(mapped.error());
  }
  if (auto written = in != nullptr ? write(*mapped) : clear(*mapped); !written) {
    return written;
  }
  outputs_.push_back(*mapped);
  return kernel.set_buffer(index, mapped->buffer);
}

/// What a kernel leaves out must not show an earlier message.
Result<void> OpenClProgram::clear(const Mapped& mapped) {
  if (mapped.out.empty()) {
    return {};
  }
  const cl_uchar zero = 0;
  const cl_int status = clEnqueueFillBuffer(device_.queue.get(), mapped.buffer, &zero, sizeof zero,
                                            0, mapped.out.size(), 0, nullptr, nullptr);
  return status == CL_SUCCESS ? Result<void>() : failed("clEnqueueFillBuffer", status);
}

Result<void> OpenClProgram::write(const Mapped& mapped) {
  if (mapped.in.empty()) {
    return {};
  }
  const cl_int status =
      clEnqueueWriteBuffer(device_.queue.get(), mapped.buffer, CL_FALSE, 0, mapped.in.size(),
                           mapped.in.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    return failed("clEnqueueWriteBuffer", status);
  }
  ++statistics_.copies;
  statistics_.bytes_copied += mapped.in.size();
  return {};
}

Result<void> OpenClProgram::start(const Kernel& kernel, const Launch& launch) {
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
  const cl_int status =
      clEnqueueNDRangeKernel(device_.queue.get(), kernel.get(), 3, nullptr, global.data(),
                             is_local ? local.data() : nullptr, 0, nullptr, event.out());
  if (status != CL_SUCCESS) {
    return failed(("clEnqueueNDRangeKernel of '" + kernel.name() + "'").c_str(), status);
  }
  ++statistics_.launches;
  events_.push_back(std::move(event));
  return {};
}

Result<void> OpenClProgram::read_back() {
  for (const Mapped& output : outputs_) {
    if (output.out.empty()) {
      continue;
    }
    const cl_int status =
        clEnqueueReadBuffer(device_.queue.get(), output.buffer, CL_FALSE, 0, output.out.size(),
                            output.out.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) {
      return failed("clEnqueueReadBuffer", status);
    }
    ++statistics_.copies;
    statistics_.bytes_copied += output.out.size();
  }
  return {};
}

Result<void> OpenClProgram::finish() {
  if (const cl_int status = clFinish(device_.queue.get()); status != CL_SUCCESS) {
    return failed("clFinish", status);
  }
  for (const EventHandle& event : events_) {
    cl_int state = CL_COMPLETE;
    (void)clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                         nullptr);
    if (state < 0) {
      return failed("a kernel", state);
    }
  }
  note_kernel_times();
  return {};
}

void OpenClProgram::note_kernel_times() {
  for (const EventHandle& event : events_) {
    cl_ulong begin = 0;
    cl_ulong end = 0;
    (void)clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                  nullptr);
    (void)clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    statistics_.kernel_ns += end > begin ? static_cast<std::int64_t>(end - begin) : 0;
  }
}

}  // namespace opencl

Result<std::unique_ptr<Program>> Program::open(const ProgramDescription& description,
                                               const Settings& settings) {
  auto device = opencl::open_device(settings);
  if (!device) {
    return unexpected<Error>(device.error());
  }
  auto program = std::make_unique<opencl::OpenClProgram>(std::move(*device));
  if (auto built = program->build(description); !built) {
    return unexpected<Error>(built.error());
  }
  return program;
}

}  // namespace ligament::gpu
