// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/peers.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/launch.hpp"

namespace ligament::gpu::cuda {
namespace {

/// In place of a payload.
struct Ticket {
  static constexpr std::uint64_t mark = 0x3154'4341'4449'4c;  // nothing that is there by chance
  std::uint64_t is_ticket = 0;
  std::uint64_t size = 0;
  IpcHandle memory;
  IpcHandle event;
};
static_assert(sizeof(Ticket) <= ticket_bytes);

constexpr std::size_t most_known = 64;

}  // namespace

Result<void> Peers::show(CudaResident& resident, const Device& device,
                         std::span<std::byte, ticket_bytes> ticket) {
  std::fill(ticket.begin(), ticket.end(), std::byte{0});
  if (!resident.is_valid) {
    return unexpected<Error>(was_not_written());
  }
  if (!resident.buffer) {
    return failure(ErrorCode::setting,
                   "a queue topic between processes keeps payloads in the device's own memory, and "
                   "zero_copy in the pool: ask for standard_copy, or leave `peer_buffers` out of "
                   "the platform");
  }
  const Driver& driver = *device.driver;
  if (!resident.told) {
    auto made = make_event(device, event_between_processes | event_without_time);
    if (!made) {
      return unexpected<Error>(made.error());
    }
    resident.told = std::move(*made);
  }
  Ticket said{Ticket::mark, resident.size, {}, {}};
  auto done = as_result(driver, "cuEventRecord",
                        driver.event_record(resident.told.get(), device.kernels.get()));
  done = !done ? done
               : as_result(driver, "cuIpcGetMemHandle",
                           driver.ipc_show_memory(&said.memory, resident.buffer.get()));
  done = !done ? done
               : as_result(driver, "cuIpcGetEventHandle",
                           driver.ipc_show_event(&said.event, resident.told.get()));
  if (done) {
    std::memcpy(ticket.data(), &said, sizeof said);
  }
  return done;
}

Result<std::shared_ptr<Resident>> Peers::find(const Device& device,
                                              std::span<const std::byte, ticket_bytes> ticket) {
  Ticket said;
  std::memcpy(&said, ticket.data(), sizeof said);
  if (said.is_ticket != Ticket::mark) {
    return unexpected<Error>(was_not_written());
  }
  const Handles handles{said.memory.bytes, said.event.bytes};
  if (const auto found = known_.find(handles); found != known_.end()) {
    found->second->size = said.size;
    return found->second;
  }
  if (known_.size() >= most_known) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  const Driver& driver = *device.driver;
  auto resident = std::make_shared<CudaResident>(device.context);
  Address address = 0;
  Event event = nullptr;
  if (auto opened = as_result(driver, "cuIpcOpenMemHandle",
                              driver.ipc_open_memory(&address, said.memory, ipc_default));
      !opened) {
    return unexpected<Error>(opened.error());
  }
  resident->opened = OpenedMemory(driver, address);
  if (auto opened =
          as_result(driver, "cuIpcOpenEventHandle", driver.ipc_open_event(&event, said.event));
      !opened) {
    return unexpected<Error>(opened.error());
  }
  resident->written = EventHandle(driver, event);
  resident->size = said.size;
  resident->is_valid = true;
  known_.emplace(handles, resident);
  return resident;
}

}  // namespace ligament::gpu::cuda
