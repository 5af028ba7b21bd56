// SPDX-License-Identifier: Apache-2.0
#include "memory/os/holder.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

namespace ligament::pool::os {
namespace {

namespace fs = std::filesystem;

std::string name_of_user(std::uint32_t uid) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, memory.data(), memory.size(), &found) != 0 || found == nullptr) {
    return std::to_string(uid);
  }
  return fmt::format("'{}' ({})", found->pw_name, uid);
}

/// What the process runs, in one line of readable length. The process itself chooses these bytes.
std::string command_of(std::int32_t pid) {
  constexpr std::size_t longest = 80;
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::array<char, longest + 1> words{};
  file.read(words.data(), words.size());
  std::string text(words.data(), static_cast<std::size_t>(file.gcount()));
  while (!text.empty() && text.back() == '\0') {
    text.pop_back();
  }
  const bool is_cut = text.size() > longest;
  text.resize(std::min(text.size(), longest));
  for (char& c : text) {
    c = c == '\0' ? ' ' : c < ' ' || c > '~' ? '?' : c;
  }
  return is_cut ? text + "..." : text;
}

using Inodes = std::map<std::string, std::uint64_t, std::less<>>;

/// Of abstract stream sockets by name. A line: address, references, protocol, flags, type, state,
/// inode, name with '@' before it.
Inodes bound_sockets() {
  Inodes found;
  std::ifstream table("/proc/net/unix");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string skipped;
    std::string type;
    std::uint64_t inode = 0;
    std::string name;
    if (words >> skipped >> skipped >> skipped >> skipped >> type >> skipped >> inode >> name &&
        type == "0001" && name.starts_with('@')) {
      found.emplace(name.substr(1), inode);
    }
  }
  return found;
}

/// 0: it is none.
std::uint64_t inode_of_socket(const fs::path& descriptor) {
  constexpr std::string_view head = "socket:[";
  std::error_code error;
  const std::string target = fs::read_symlink(descriptor, error).string();
  std::uint64_t inode = 0;
  if (!error && target.starts_with(head)) {
    (void)std::from_chars(target.data() + head.size(), target.data() + target.size(), inode);
  }
  return inode;
}

/// Which process has which of these sockets open, of the processes that we may look at.
std::map<std::uint64_t, PeerCredentials> owners() {
  std::map<std::uint64_t, PeerCredentials> found;
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; process != end;
       process.increment(error)) {
    const std::string name = process->path().filename().string();
    std::int32_t pid = 0;
    struct stat status {};
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr !=
            name.data() + name.size() ||
        ::stat(process->path().c_str(), &status) != 0) {
      continue;
    }
    std::error_code closed;
    for (fs::directory_iterator descriptor(process->path() / "fd", closed);
         !closed && descriptor != end; descriptor.increment(closed)) {
      if (const auto inode = inode_of_socket(descriptor->path()); inode != 0) {
        found.emplace(inode, PeerCredentials{pid, status.st_uid});
      }
    }
  }
  return found;
}

}  // namespace

std::string describe(const PeerCredentials& who) {
  const std::string command = command_of(who.pid);
  return fmt::format("process {} of user {}{}", who.pid, name_of_user(who.uid),
                     command.empty() ? "" : ", `" + command + "`");
}

std::vector<PeerCredentials> holders_of(const std::vector<std::string>& names) {
  const Inodes sockets = bound_sockets();
  const auto seen = owners();
  std::vector<PeerCredentials> holders;
  Caller caller;
  for (const std::string& name : names) {
    const auto inode = sockets.find(name);
    const auto owner = inode == sockets.end() ? seen.end() : seen.find(inode->second);
    if (owner != seen.end()) {
      holders.push_back(owner->second);
      continue;
    }
    const auto listener = caller.ask(name, {});
    holders.push_back(listener ? *listener : PeerCredentials{});
  }
  return holders;
}

}  // namespace ligament::pool::os
