// SPDX-License-Identifier: Apache-2.0
/// \file The channel to who started a container, by itself: no line is cut, none is lost.
#include "container/status_channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>

namespace ligament::container {
namespace {

std::atomic<int> interruptions{0};

TEST(StatusChannel, EveryDescriptorIsOpenAndNoneIsNot) {
  EXPECT_TRUE(StatusChannel(0).is_open());
  EXPECT_FALSE(StatusChannel(-1).is_open());
}

TEST(StatusChannel, ALineThatASignalCutsIsWrittenToItsEnd) {
  struct sigaction interrupts {};
  interrupts.sa_handler = [](int) { ++interruptions; };  // and the write returns
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &interrupts, &before), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int room = ::fcntl(ends[0], F_GETPIPE_SZ);
  const nlohmann::json line{{"text", std::string(3U * static_cast<std::size_t>(room), 'x')}};
  std::thread writer([&] {
    StatusChannel(ends[1]).send(line);
    ::close(ends[1]);
  });
  for (int waiting = 0; waiting < room; ::ioctl(ends[0], FIONREAD, &waiting)) {
    std::this_thread::yield();
  }
  ::pthread_kill(writer.native_handle(), SIGUSR1);
  while (interruptions == 0) {
    std::this_thread::yield();
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = ::read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  writer.join();
  ::close(ends[0]);
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(text, line.dump() + "\n");
}

}  // namespace
}  // namespace ligament::container
