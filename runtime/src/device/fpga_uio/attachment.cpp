// SPDX-License-Identifier: Apache-2.0
/// `/dev/uioN`: registers are mapped memory, the interrupt is the file, memory is a u-dma-buf.
#include "device/fpga_uio/attachment.hpp"

#include <board_link.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "device/failure.hpp"

namespace ligament::device::fpga_uio {
namespace {

namespace fs = std::filesystem;

/// A number that the kernel writes in a file, with or without 0x.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  if (!(in >> word)) {
    return std::nullopt;
  }
  char* end = nullptr;
  errno = 0;
  const std::uint64_t number = std::strtoull(word.c_str(), &end, 0);
  return errno == 0 && end != word.c_str() && *end == '\0' ? std::optional{number} : std::nullopt;
}

/// What was written to memory is there before what follows is done to a register, and the other
/// way round. Between processors a fence does it (`dmb ish` on aarch64); a device is outside of
/// these, so there all accesses have to be complete, for the whole system.
void order_with_device() {
#if defined(__aarch64__)
  asm volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The bus's answers to what is wrong are no values: reads of a place without a register may end
/// the process (SIGBUS). So places come from the exported folder alone.
class MappedRegisters final : public RegisterSpace {
 public:
  MappedRegisters(Mapping mapping, std::size_t first) : mapping_(std::move(mapping)) {
    base_ = mapping_.bytes().data() + first;
  }
  [[nodiscard]] Result<std::uint64_t> read(std::uint32_t place) override {
    const std::uint64_t value = *at(place);
    order_with_device();  // memory is looked at after the event
    return value;
  }
  [[nodiscard]] Result<void> write(std::uint32_t place, std::uint64_t value) override {
    order_with_device();  // memory is written before the doorbell
    *at(place) = value;
    return {};
  }

 private:
  [[nodiscard]] volatile std::uint64_t* at(std::uint32_t place) const {
    return reinterpret_cast<volatile std::uint64_t*>(base_ + place);
  }
  Mapping mapping_;
  std::byte* base_ = nullptr;
};

Result<DmaMemory> open_buffer(const std::string& name, const Places& places) {
  if (name.empty() || name.find('/') != std::string::npos) {
    return failure(ErrorCode::memory_refused,
                   "the design needs memory that it reaches: name a u-dma-buf with the setting "
                   "'memory' (udmabuf0)");
  }
  const auto address = number_in(places.buffers / name / "phys_addr");
  const auto bytes = number_in(places.buffers / name / "size");
  // O_SYNC: not cached, so that a port that is not coherent reads what was written.
  const File file(::open((places.devices / name).c_str(), O_RDWR | O_SYNC | O_CLOEXEC));
  if (!address || !bytes || file.get() < 0) {
    return failure(ErrorCode::memory_refused,
                   "there is no u-dma-buf '" + name + "' (" + (places.buffers / name).string() +
                       "): load its module, with a size, and be allowed to open it");
  }
  DmaMemory memory{Mapping::of(file.get(), *bytes, 0), {{*address, *bytes}}};
  if (memory.mapping.bytes().empty() || *address % 4096 != 0 || *bytes % 4096 != 0) {
    return failure(ErrorCode::memory_refused, "the u-dma-buf '" + name + "' cannot be mapped");
  }
  return memory;
}

/// Map 0 of a uio device, whole pages that hold its registers.
Result<std::unique_ptr<RegisterSpace>> map_registers(int file, const std::string& path,
                                                     const Places& places) {
  const fs::path map = places.uio / fs::path(path).filename() / "maps" / "map0";
  const auto size = number_in(map / "size");
  const std::uint64_t first = number_in(map / "offset").value_or(0);
  if (!size) {
    return failure(ErrorCode::unavailable,
                   "'" + path + "' has no registers: there is no " + (map / "size").string());
  }
  if (*size < LIGAMENT_BOARD_BYTES || first % 8 != 0) {
    return failure(ErrorCode::unavailable,
                   "the registers of '" + path + "' have " + std::to_string(*size) +
                       " bytes, a design of Ligament has " + std::to_string(LIGAMENT_BOARD_BYTES) +
                       ": the device tree is another board's");
  }
  auto mapping = Mapping::of(file, static_cast<std::size_t>(first + LIGAMENT_BOARD_BYTES), 0);
  if (mapping.bytes().empty()) {
    return failure(ErrorCode::unavailable,
                   "the registers of '" + path + "' cannot be mapped: " + std::strerror(errno));
  }
  return std::make_unique<MappedRegisters>(std::move(mapping), static_cast<std::size_t>(first));
}

}  // namespace

File::~File() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

Mapping Mapping::of(int file, std::size_t bytes, std::int64_t offset) {
  Mapping mapping;
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
  if (at != MAP_FAILED) {
    mapping.bytes_ = {static_cast<std::byte*>(at), bytes};
  }
  return mapping;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) {
    ::munmap(bytes_.data(), bytes_.size());
  }
}

std::uint64_t DmaMemory::address_of(std::size_t offset) const {
  for (const Extent& extent : extents) {
    if (offset < extent.bytes) {
      return extent.address + offset;
    }
    offset -= static_cast<std::size_t>(extent.bytes);
  }
  return 0;
}

std::string first_uio(const Places& places) {
  std::optional<unsigned> first;  // by number: uio10 is behind uio9
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(places.uio, ignored)) {
    const std::string name = entry.path().filename().string();
    unsigned number = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with("uio") &&
        std::from_chars(name.data() + 3, end, number) == std::from_chars_result{end, {}}) {
      first = std::min(first.value_or(number), number);
    }
  }
  return first ? (places.devices / ("uio" + std::to_string(*first))).string() : std::string();
}

Result<Attachment> attach(const std::string& path, const std::string& buffer,
                          const Places& places) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) {
    return failure(ErrorCode::unavailable,
                   "there is no board '" + path + "': " + std::strerror(errno) +
                       "; load its bitstream and device tree overlay, or run with "
                       "`--platform fpga_uio_sim`, which simulates it");
  }
  if (S_ISSOCK(state.st_mode)) {
    return attach_stand_in(path);
  }
  Attachment board{.path = path, .registers = {}, .interrupt = {}, .memory = {}};
  board.interrupt = File(::open(path.c_str(), O_RDWR | O_SYNC | O_CLOEXEC));
  if (board.interrupt.get() < 0) {
    return failure(ErrorCode::unavailable,
                   "'" + path + "' cannot be opened: " + std::strerror(errno));
  }
  if (::flock(board.interrupt.get(), LOCK_EX | LOCK_NB) != 0) {
    return failure(ErrorCode::unavailable, "'" + path + "' is driven by another process already");
  }
  auto registers = map_registers(board.interrupt.get(), path, places);
  if (!registers) {
    return unexpected<Error>(registers.error());
  }
  board.registers = std::move(*registers);
  auto memory = open_buffer(buffer, places);
  if (!memory) {
    return unexpected<Error>(memory.error());
  }
  board.memory = std::move(*memory);
  return board;
}

}  // namespace ligament::device::fpga_uio
