// SPDX-License-Identifier: Apache-2.0
/// A stand-in: registers over a socket, the interrupt and the memory by their descriptors. Nothing
/// that it says is trusted: it may be any process.
#include <board_link.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "device/failure.hpp"
#include "device/fpga_uio/attachment.hpp"

namespace ligament::device::fpga_uio {
namespace {

/// What a simulation may need for one access, at the most: it is dead, or stopped, after that.
constexpr int patience_ms = 10'000;

/// A signal of this process says nothing about the stand-in.
template <typename Call>
auto past_signals(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

/// Waits until a socket has something, or is over; false: too long.
bool has_more(int socket) {
  pollfd waits{socket, POLLIN, 0};
  return past_signals([&] { return ::poll(&waits, 1, patience_ms); }) == 1;
}

class ServedRegisters final : public RegisterSpace {
 public:
  ServedRegisters(File socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  [[nodiscard]] Result<std::uint64_t> read(std::uint32_t place) override {
    return access({LIGAMENT_BOARD_READ, place, 0});
  }
  [[nodiscard]] Result<void> write(std::uint32_t place, std::uint64_t value) override {
    auto done = access({LIGAMENT_BOARD_WRITE, place, value});
    return done ? Result<void>() : unexpected<Error>(done.error());
  }

 private:
  Result<std::uint64_t> access(const ligament_board_request& request) {
    ligament_board_reply reply{};
    const auto sent =
        past_signals([&] { return ::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL); });
    if (sent == static_cast<ssize_t>(sizeof request) && !has_more(socket_.get())) {
      return failure(ErrorCode::device_lost, "the stand-in '" + path_ +
                                                 "' does not answer within " +
                                                 std::to_string(patience_ms / 1000) +
                                                 " s: its process is stopped, or hangs");
    }
    const auto got =
        past_signals([&] { return ::recv(socket_.get(), &reply, sizeof reply, MSG_TRUNC); });
    if (got > 0 && got != static_cast<ssize_t>(sizeof reply)) {
      return failure(
          ErrorCode::device_lost,
          "the stand-in '" + path_ + "' says what is no answer: it is of another version");
    }
    if (sent != static_cast<ssize_t>(sizeof request) || got <= 0) {
      return failure(ErrorCode::device_lost, "the stand-in '" + path_ + "' has ended");
    }
    if (reply.error != 0) {
      std::array<char, 16> place{};
      (void)std::snprintf(place.data(), place.size(), "0x%05x", request.address);
      return failure(ErrorCode::device_lost, "the registers of '" + path_ + "' refuse " +
                                                 place.data() +
                                                 ": the design is not that of the folder");
    }
    return reply.value;
  }

  File socket_;
  std::string path_;
};

File connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return {};
  }
  path.copy(address.sun_path, path.size());
  File socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const bool there =
      socket.get() >= 0 &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return there ? std::move(socket) : File();
}

/// The hello: how memory lies in the design's addresses, and two descriptors.
struct Hello {
  std::vector<DmaMemory::Extent> extents;
  File memory;
  File interrupt;
};

/// Descriptors that came with a message are this process's, whatever the message is.
std::vector<File> files_of(msghdr& message) {
  std::vector<File> files;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(one) + i * sizeof(int), sizeof number);
      files.emplace_back(number);
    }
  }
  return files;
}

bool receive_hello(int socket, Hello& hello) {
  static_assert(sizeof(DmaMemory::Extent) == sizeof(ligament_board_extent));
  ligament_board_hello head{};
  std::vector<ligament_board_extent> extents(LIGAMENT_BOARD_MOST_EXTENTS);
  std::array<iovec, 2> parts{iovec{&head, sizeof head},
                             iovec{extents.data(), extents.size() * sizeof(ligament_board_extent)}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (!has_more(socket)) {
    return false;
  }
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  std::vector<File> files = files_of(message);
  const bool sound =
      got >= static_cast<ssize_t>(sizeof head) &&
      (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && files.size() == 2 &&
      head.magic == LIGAMENT_BOARD_LINK_MAGIC && head.extents > 0 &&
      head.extents <= LIGAMENT_BOARD_MOST_EXTENTS &&
      static_cast<std::size_t>(got) == sizeof head + head.extents * sizeof(ligament_board_extent);
  if (!sound) {
    return false;
  }
  for (std::size_t i = 0; i < head.extents; ++i) {
    hello.extents.push_back({extents[i].address, extents[i].bytes});
  }
  hello.memory = std::move(files[0]);
  hello.interrupt = std::move(files[1]);
  return true;
}

/// The memory in this process, if it is as large as was said. It is sealed: a stand-in that made it
/// smaller would end this process by SIGBUS.
bool map_memory(Hello& hello, DmaMemory& memory) {
  std::uint64_t bytes = 0;
  for (const auto& extent : hello.extents) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;
    if (extent.bytes == 0 || extent.bytes % 4096 != 0 || extent.address % 4096 != 0 ||
        extent.bytes > most || extent.address > UINT64_MAX - extent.bytes) {
      return false;
    }
    bytes += extent.bytes;
  }
  struct stat state {};
  const int seals = ::fcntl(hello.memory.get(), F_GET_SEALS);
  if (::fstat(hello.memory.get(), &state) != 0 || state.st_size < 0 || seals < 0 ||
      (seals & F_SEAL_SHRINK) == 0 || static_cast<std::uint64_t>(state.st_size) != bytes) {
    return false;
  }
  memory.mapping = Mapping::of(hello.memory.get(), static_cast<std::size_t>(bytes), 0);
  memory.extents = std::move(hello.extents);
  return !memory.mapping.bytes().empty();
}

}  // namespace

Result<Attachment> attach_stand_in(const std::string& path) {
  Attachment board{.path = path, .stand_in = true, .registers = {}, .interrupt = {}, .memory = {}};
  File socket = connected(path);
  if (socket.get() < 0) {
    return failure(ErrorCode::unavailable, "nobody serves the stand-in's socket '" + path +
                                               "': " + std::strerror(errno) + "; start it first");
  }
  Hello hello;
  if (!receive_hello(socket.get(), hello) || !map_memory(hello, board.memory)) {
    return failure(ErrorCode::unavailable,
                   "'" + path +
                       "' is no stand-in of this version, or it serves another process already: "
                       "its first message is not that of spec/device/uio.md");
  }
  const int flags = ::fcntl(hello.interrupt.get(), F_GETFL);
  if (flags < 0 || ::fcntl(hello.interrupt.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return failure(ErrorCode::unavailable,
                   "the interrupt of '" + path + "' is no file to wait for");
  }
  board.interrupt = std::move(hello.interrupt);
  board.registers = std::make_unique<ServedRegisters>(std::move(socket), path);
  return board;
}

}  // namespace ligament::device::fpga_uio
