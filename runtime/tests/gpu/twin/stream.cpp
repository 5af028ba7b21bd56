// SPDX-License-Identifier: Apache-2.0
/// The driver's calls for streams, for events, and for what is enqueued.
#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "objects.hpp"

using namespace twin;

namespace {

constexpr Status invalid_handle = 400;

void count_pageable(const void* host, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(host);
  const auto holds = [&](const auto& entry) {
    return entry.first <= begin && begin + size <= entry.first + entry.second;
  };
  World& all = world();
  const std::lock_guard lock(all.mutex);
  const bool is_pinned = std::any_of(all.registered.begin(), all.registered.end(), holds) ||
                         std::any_of(all.pinned.begin(), all.pinned.end(), holds);
  all.pageable += is_pinned ? 0 : 1;
}

/// In the stream's turn.
void copy(void* to, const void* from, std::size_t size) {
  std::memcpy(to, from, size);
  ++world().copies;
}

void finish(Mark& mark) {
  const std::lock_guard lock(mark.mutex);
  mark.is_done = true;
  mark.at = std::chrono::steady_clock::now();
  mark.changed.notify_all();
}

void wait_for(Mark& mark) {
  std::unique_lock lock(mark.mutex);
  mark.changed.wait(lock, [&] { return mark.is_done; });
}

}  // namespace

extern "C" {

Status cuStreamCreate(cuda::Stream* stream, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuStreamCreate"); fate != status::success) {
    return fate;
  }
  auto queue = std::make_shared<Queue>();
  std::thread([queue] { queue->serve(); }).detach();
  *stream = new cuda::OpaqueStream(std::move(queue));
  return status::success;
}

Status cuStreamDestroy_v2(cuda::Stream stream) {
  expect_context("cuStreamDestroy");
  {
    const std::lock_guard lock(stream->queue->mutex);
    stream->queue->is_ending = true;
    stream->queue->changed.notify_all();
  }
  delete stream;
  return status::success;
}

Status cuStreamWaitEvent(cuda::Stream stream, cuda::Event event, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuStreamWaitEvent"); fate != status::success) {
    return fate;
  }
  if (event->shared != nullptr) {
    stream->queue->add([shared = event->shared, last = event->shared->recorded.load()] {
      while (shared->done < last) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  }
  if (event->mark != nullptr) {
    stream->queue->add([mark = event->mark] { wait_for(*mark); });
  }
  return status::success;
}

Status cuEventCreate(cuda::Event* event, unsigned flags) {
  const bool has_time = (flags & cuda::event_without_time) == 0;
  const bool is_shared = (flags & cuda::event_between_processes) != 0;
  if (is_shared && has_time) {
    return status::invalid_value;
  }
  if (const Status fate = fate_of("cuEventCreate"); fate != status::success) {
    return fate;
  }
  auto made = std::make_unique<cuda::OpaqueEvent>(has_time);
  if (is_shared) {
    made->fd = make_shared_file(sizeof(SharedMark));
    made->shared = shared_mark_in(map_shared(made->fd, sizeof(SharedMark)));
    if (made->shared == nullptr) {
      return status::out_of_memory;
    }
  }
  *event = made.release();
  return status::success;
}

Status cuEventDestroy_v2(cuda::Event event) {
  expect_context("cuEventDestroy");
  delete event;
  return status::success;
}

Status cuEventRecord(cuda::Event event, cuda::Stream stream) {
  if (const Status fate = fate_of("cuEventRecord"); fate != status::success) {
    return fate;
  }
  event->mark = std::make_shared<Mark>();
  const std::uint64_t number = event->shared == nullptr ? 0 : ++event->shared->recorded;
  stream->queue->add([mark = event->mark, shared = event->shared, number] {
    finish(*mark);
    if (shared != nullptr) {
      shared->done = number;
    }
  });
  return status::success;
}

Status cuEventQuery(cuda::Event event) {
  if (const Status fate = fate_of("cuEventQuery"); fate != status::success) {
    return fate;
  }
  const std::lock_guard lock(event->mark->mutex);
  return event->mark->is_done ? status::success : status::not_ready;
}

Status cuEventSynchronize(cuda::Event event) {
  wait_for(*event->mark);
  return fate_of("cuEventSynchronize");
}

Status cuEventElapsedTime(float* milliseconds, cuda::Event begin, cuda::Event end) {
  if (!begin->has_time || !end->has_time) {
    return invalid_handle;
  }
  const std::scoped_lock lock(begin->mark->mutex, end->mark->mutex);
  if (!begin->mark->is_done || !end->mark->is_done) {
    return status::not_ready;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->at - begin->mark->at).count();
  return fate_of("cuEventElapsedTime");
}

Status cuIpcGetEventHandle(cuda::IpcHandle* handle, cuda::Event event) {
  if (event->shared == nullptr) {
    return status::invalid_value;
  }
  *handle = handle_of(event->fd, sizeof(SharedMark));
  return fate_of("cuIpcGetEventHandle");
}

Status cuIpcOpenEventHandle(cuda::Event* event, cuda::IpcHandle handle) {
  if (const Status fate = fate_of("cuIpcOpenEventHandle"); fate != status::success) {
    return fate;
  }
  auto shared = shared_mark_in(map_of_peer(place_of(handle)));
  if (shared == nullptr) {
    return status::invalid_value;
  }
  *event = new cuda::OpaqueEvent(false);
  (*event)->shared = std::move(shared);
  return status::success;
}

Status cuLaunchHostFunc(cuda::Stream stream, cuda::Driver::HostFunction function, void* user_data) {
  const Status fate = fate_of("cuLaunchHostFunc");
  if (fate == status::success) {
    stream->queue->add([=] { function(user_data); });
  }
  return fate;
}

Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemcpyHtoDAsync"); fate != status::success) {
    return fate;
  }
  count_pageable(from, size);
  stream->queue->add([=] { copy(reinterpret_cast<void*>(to), from, size); });
  return status::success;
}

Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemcpyDtoHAsync"); fate != status::success) {
    return fate;
  }
  count_pageable(to, size);
  stream->queue->add([=] { copy(to, reinterpret_cast<const void*>(from), size); });
  return status::success;
}

Status cuMemsetD8Async(Address to, unsigned char value, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemsetD8Async"); fate != status::success) {
    return fate;
  }
  stream->queue->add([=] { std::memset(reinterpret_cast<void*>(to), value, size); });
  return status::success;
}

Status cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z,
                      unsigned /*shared_bytes*/, cuda::Stream stream, void** parameters,
                      void** /*extra*/) {
  if (const Status fate = fate_of("cuLaunchKernel"); fate != status::success) {
    return fate;
  }
  const std::array<unsigned, 3> grid{grid_x, grid_y, grid_z};
  const std::array<unsigned, 3> block{block_x, block_y, block_z};
  if (grid_y > 65535 || grid_z > 65535 || block_x * block_y * block_z > 1024) {
    return status::invalid_value;
  }
  // By value, as they are now.
  std::vector<std::array<std::byte, 16>> values;
  for (std::size_t i = 0; function->sizes[i] != 0; ++i) {
    std::memcpy(values.emplace_back().data(), parameters[i], function->sizes[i]);
  }
  const Status fault = injected("kernel");
  stream->queue->add([=]() mutable {
    if (fault != status::success) {
      world().sticky = fault;
      return;
    }
    std::vector<void*> pointers;
    for (auto& value : values) {
      pointers.push_back(value.data());
    }
    function->entry(pointers.data(), grid.data(), block.data());
  });
  return status::success;
}

}  // extern "C"
