// SPDX-License-Identifier: Apache-2.0
/// \file A board as the driver has it: registers, an interrupt, and memory that the design reaches
/// (spec/device/uio.md). `/dev/uioN` and a stand-in's socket differ in these few functions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ligament/device.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::device::fpga_uio {

/// A file that is closed at the end; -1: none.
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File();
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

/// Mapped, shared memory of a file.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();
  /// Empty, with errno, if the system refuses.
  [[nodiscard]] static Mapping of(int file, std::size_t bytes, std::int64_t offset);
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// Registers of 64 bits, by their places in bytes. An error is the end: DEVICE_LOST.
class RegisterSpace {
 public:
  virtual ~RegisterSpace() = default;
  [[nodiscard]] virtual Result<std::uint64_t> read(std::uint32_t place) = 0;
  [[nodiscard]] virtual Result<void> write(std::uint32_t place, std::uint64_t value) = 0;
};

/// Memory that the design reads and writes, and where it finds it.
struct DmaMemory {
  struct Extent {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  Mapping mapping;
  std::vector<Extent> extents;  ///< in the order of the mapping, which they fill

  /// The design's address of a place in the mapping.
  [[nodiscard]] std::uint64_t address_of(std::size_t offset) const;
};

struct Attachment {
  std::string path;
  bool stand_in = false;
  std::unique_ptr<RegisterSpace> registers;
  /// As `/dev/uioN` has it: a read gives 4 bytes, a count, when it has fired; 4 bytes that are 1
  /// written to it let it fire again.
  File interrupt;
  DmaMemory memory;
};

/// Where Linux has devices: other places for tests.
struct Places {
  std::filesystem::path devices = "/dev";
  std::filesystem::path uio = "/sys/class/uio";
  std::filesystem::path buffers = "/sys/class/u-dma-buf";
};

/// Opens `/dev/uioN` with the memory of the u-dma-buf of that name, or a stand-in's socket.
[[nodiscard]] Result<Attachment> attach(const std::string& path, const std::string& buffer,
                                        const Places& places = {});
/// The first `/dev/uioN`; empty: there is none.
[[nodiscard]] std::string first_uio(const Places& places = {});

[[nodiscard]] Result<Attachment> attach_stand_in(const std::string& path);

}  // namespace ligament::device::fpga_uio
