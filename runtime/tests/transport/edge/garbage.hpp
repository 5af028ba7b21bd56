// SPDX-License-Identifier: Apache-2.0
/// Sends what looks like RTPS and is not, to a process that listens on UDP.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace ligament::edge {

/// The UDP ports that a process is bound to, as the kernel lists them.
inline std::set<std::uint16_t> udp_ports_of(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code gone;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", gone)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) {
      inodes.insert(target.substr(8, target.size() - 9));
    }
  }
  std::set<std::uint16_t> ports;
  std::ifstream table("/proc/" + std::to_string(pid) + "/net/udp");
  std::string line;
  std::getline(table, line);  // the head
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::array<std::string, 10> word;
    for (auto& each : word) {
      words >> each;
    }
    if (inodes.count(word[9]) != 0) {
      ports.insert(static_cast<std::uint16_t>(
          std::stoul(word[1].substr(word[1].find(':') + 1), nullptr, 16)));
    }
  }
  return ports;
}

class GarbageSender {
 public:
  explicit GarbageSender(pid_t to)
      : ports_(udp_ports_of(to)), socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~GarbageSender() { ::close(socket_); }
  GarbageSender(const GarbageSender&) = delete;
  GarbageSender& operator=(const GarbageSender&) = delete;

  [[nodiscard]] bool has_found_it() const { return !ports_.empty(); }
  /// The head of RTPS 2.1, and a submessage that is longer than the packet; no two are the same.
  void send(std::size_t number) const {
    std::array<unsigned char, 40> packet{'R', 'T', 'P', 'S', 2, 1, 1, 16};
    std::memcpy(packet.data() + 8, &number, sizeof number);
    packet[20] = 0x15;  // DATA
    packet[21] = 0x05;
    packet[22] = static_cast<unsigned char>(8 + number % 8);
    std::memcpy(packet.data() + 28, &number, sizeof number);
    for (const std::uint16_t port : ports_) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      (void)::sendto(socket_, packet.data(), packet.size(), 0,
                     reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
  }

 private:
  std::set<std::uint16_t> ports_;
  int socket_;
};

}  // namespace ligament::edge
