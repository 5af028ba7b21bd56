// SPDX-License-Identifier: Apache-2.0
// The agent's way to a core whose RPMsg Linux speaks. A socket of packets stands for the character
// device: one read is one message, there too. Folders stand for sysfs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agent/rpmsg_device.hpp"

namespace ligament::xrce {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

void put(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
std::string get(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What is behind the device.
class Core {
 public:
  explicit Core(const fs::path& path) : listens_(::socket(AF_UNIX, SOCK_SEQPACKET, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    ::unlink(path.c_str());
    EXPECT_EQ(::bind(listens_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listens_, 4), 0);
  }
  ~Core() {
    end();
    ::close(listens_);
  }
  void meet() {
    fd_ = ::accept(listens_, nullptr, nullptr);
    ASSERT_GE(fd_, 0);
  }
  void end() {
    if (fd_ >= 0) {
      ::close(std::exchange(fd_, -1));
    }
  }
  void send(const std::string& text) {
    ASSERT_EQ(::send(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  std::string receive() {
    std::array<char, 2048> packet{};
    const ssize_t size = ::recv(fd_, packet.data(), packet.size(), 0);
    EXPECT_GE(size, 0);
    return {packet.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
  }

 private:
  int listens_;
  int fd_ = -1;
};

struct RpmsgDeviceTest : testing::Test {
  RpmsgDeviceTest() {
    std::string made = fs::temp_directory_path() / "ligament-device-XXXXXX";
    folder = ::mkdtemp(made.data());
    options.device = folder / "rpmsg0";
    options.sys = folder / "sys";
    options.log = [this](const std::string& text) { said.push_back(text); };
  }
  ~RpmsgDeviceTest() override {
    device.reset();
    fs::remove_all(folder);
  }
  void open() {
    auto opened = RpmsgDevice::open(options);
    ASSERT_TRUE(opened) << opened.error();
    device = std::move(*opened);
  }
  Transport::Came work() {
    return device->work([this](const Address& from, Bytes data) {
      address = from;
      got.emplace_back(reinterpret_cast<const char*>(data.data()), data.size());
    });
  }
  void send(const std::string& one, const std::string& two) {
    const std::array<Bytes, 2> pieces{std::as_bytes(std::span(one)), std::as_bytes(std::span(two))};
    device->send(address, pieces);
  }
  fs::path remoteproc(const std::string& state) {
    const fs::path made = folder / "remoteproc0";
    fs::create_directories(made);
    put(made / "state", state + "\n");
    put(made / "firmware", "(null)\n");
    options.remoteproc = made;
    return made;
  }

  fs::path folder;
  RpmsgDeviceOptions options;
  Texts said;
  Texts got;
  Address address;
  std::unique_ptr<RpmsgDevice> device;
};

TEST_F(RpmsgDeviceTest, OneReadIsOneMessageAndTheFirstIsEmpty) {
  Core core(options.device);
  open();
  core.meet();
  EXPECT_EQ(core.receive(), "");
  core.send("first");
  core.send("");
  core.send(std::string(496, 's'));
  EXPECT_EQ(work(), Transport::Came::something);
  EXPECT_EQ(got, (Texts{"first", std::string(496, 's')}));
  send("head", "body");
  EXPECT_EQ(core.receive(), "headbody") << "the pieces of one message are one packet";
  EXPECT_EQ(work(), Transport::Came::nothing);
}

TEST_F(RpmsgDeviceTest, ManyAreTakenInTurns) {
  Core core(options.device);
  open();
  core.meet();
  constexpr int count = 80;  // more than a turn has
  for (int i = 0; i < count; ++i) {
    core.send(std::to_string(i));
  }
  int turns = 0;
  while (work() == Transport::Came::something) {
    ++turns;
  }
  EXPECT_EQ(got.size(), std::size_t{count});
  EXPECT_GT(turns, 2);
}

TEST_F(RpmsgDeviceTest, ACoreThatGoesIsWaitedFor) {
  EXPECT_TRUE(said.empty());
  open();
  EXPECT_EQ(device->fd(), -1);
  EXPECT_EQ(work(), Transport::Came::nothing);
  ASSERT_EQ(said.size(), 1U) << "told once";
  EXPECT_NE(said[0].find("waiting for it"), std::string::npos);
  send("nobody", "");
  EXPECT_EQ(device->lost(), 1U);
  for (int life = 0; life < 2; ++life) {
    Core core(options.device);
    EXPECT_EQ(work(), Transport::Came::something);
    core.meet();
    EXPECT_EQ(core.receive(), "");
    core.send("here");
    core.end();
    EXPECT_EQ(work(), Transport::Came::end);
    EXPECT_EQ(got.back(), "here") << "what it said before is not lost";
    EXPECT_EQ(device->fd(), -1);
    fs::remove(options.device);
  }
}

TEST_F(RpmsgDeviceTest, WhatIsTooLongIsCountedAndTold) {
  Core core(options.device);
  open();
  core.meet();
  const std::string large(8 << 20U, 'L');  // a socket has no room for it, as a driver's packet
  send(large, "");
  send(large, "");
  EXPECT_EQ(device->lost(), 2U);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("is too long for it"), std::string::npos);
}

TEST_F(RpmsgDeviceTest, AnEndpointIsMadeAndFoundByItsName) {
  options.device = folder / "rpmsg_ctrl0";
  options.to = 1030;
  put(options.device, "");
  const fs::path list = folder / "sys" / "class" / "rpmsg";
  fs::create_directories(list / "rpmsg0");
  put(list / "rpmsg0" / "name", "ligament-xrce\n");  // of somebody else
  fs::create_directories(list / "rpmsg_ctrl0");
  int made = 0;
  options.create = [&](int fd, rpmsg_endpoint_info& endpoint) {
    EXPECT_GE(fd, 0);
    EXPECT_STREQ(endpoint.name, "ligament-xrce");
    EXPECT_EQ(endpoint.src, 0xFFFFFFFF);
    EXPECT_EQ(endpoint.dst, 1030U);
    ++made;
    fs::create_directories(list / "rpmsg7");
    put(list / "rpmsg7" / "name", "ligament-xrce\n");
    return 0;
  };
  open();
  EXPECT_EQ(device->fd(), -1) << "its node in /dev is not there yet";
  put(folder / "rpmsg7", "hello");
  EXPECT_EQ(work(), Transport::Came::something);
  EXPECT_GE(device->fd(), 0);
  EXPECT_EQ(made, 1) << "and not another one";
  EXPECT_EQ(work(), Transport::Came::something);
  EXPECT_EQ(got, Texts{"hello"});
}

TEST_F(RpmsgDeviceTest, AnEndpointThatCannotBeMadeIsTold) {
  options.device = folder / "rpmsg_ctrl0";
  put(options.device, "");
  options.create = [](int, rpmsg_endpoint_info&) {
    errno = EINVAL;
    return -1;
  };
  open();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("Invalid argument"), std::string::npos);
  options.create = nullptr;  // the real call, on what is no such device
  open();
  EXPECT_NE(said.back().find("Inappropriate ioctl"), std::string::npos) << said.back();
}

TEST_F(RpmsgDeviceTest, ACoreIsLoadedStartedAndStopped) {
  const fs::path core = remoteproc("offline");
  options.firmware = "imu.elf";
  open();
  EXPECT_EQ(get(core / "firmware").substr(0, 7), "imu.elf");
  EXPECT_EQ(get(core / "state").substr(0, 5), "start");
  device.reset();
  EXPECT_EQ(get(core / "state").substr(0, 4), "stop");
}

TEST_F(RpmsgDeviceTest, ACoreOfOthersIsOnlyLookedAt) {
  const fs::path core = remoteproc("running");
  open();
  (void)work();
  EXPECT_NE(said.back().find("running"), std::string::npos);
  put(core / "state", "crashed\n");
  (void)work();
  (void)work();
  EXPECT_NE(said.back().find("remoteproc0: crashed"), std::string::npos);
  EXPECT_EQ(get(core / "state"), "crashed\n");
  device.reset();
  EXPECT_EQ(get(core / "state"), "crashed\n");
}

TEST_F(RpmsgDeviceTest, OurCoreThatCrashesIsStartedAgain) {
  const fs::path core = remoteproc("offline");
  options.firmware = "imu.elf";
  open();
  put(core / "firmware", "(null)\n");
  put(core / "state", "crashed\n");
  (void)work();
  EXPECT_EQ(get(core / "firmware").substr(0, 7), "imu.elf");
  EXPECT_EQ(get(core / "state").substr(0, 5), "start");
}

TEST_F(RpmsgDeviceTest, ACoreThatCannotBeStartedIsAnError) {
  options.remoteproc = folder / "nothing";
  options.firmware = "imu.elf";
  const auto opened = RpmsgDevice::open(options);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().find("cannot write 'imu.elf' to"), std::string::npos);
}

}  // namespace
}  // namespace ligament::xrce
