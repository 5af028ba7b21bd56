// SPDX-License-Identifier: Apache-2.0
#include "mcu/emulator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "rpmsg/qtest_bell.hpp"

namespace ligament::mcu {

namespace {

constexpr std::size_t longest_line = 400;

std::string find_program(const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

/// Two ends; theirs is inherited by the emulator.
struct Wire {
  int ours = -1;
  int theirs = -1;
};
Wire make_wire() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return {};
  }
  (void)::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

/// In the child: only what may be called between fork and exec.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                         std::array<int, 4> inherited) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  (void)::setpgid(0, 0);  // a Ctrl-C is for us, who end it in order
  for (const int fd : inherited) {
    (void)::fcntl(fd, F_SETFD, 0);
  }
  ::execve(arguments[0], arguments.data(), environment.data());
  ::_exit(127);
}

}  // namespace

const Board* find_board(const std::string& name) {
  static const std::vector<Board> boards{
      {"mps2_an386",
       "qemu-system-arm",
       "qemu-system-arm",
       "ram",
       nullptr,
       {"-M", "mps2-an386,memory-backend=ram", "-m", "MEMORY", "-kernel", "IMAGE"}},
      // A Cortex-A53 starts the real-time core, as on the chip, and sleeps: PSCI's CPU_ON for core
      // 4 at 0x100000, then WFI in a loop.
      {"zcu102_r5",
       "qemu-system-aarch64",
       "qemu-system-arm",
       "ddr",
       "/machine/soc/rpu-cluster/rpu-cpu[0]",
       {"-M",      "xlnx-zcu102,memory-backend=ddr",
        "-smp",    "6",
        "-m",      "MEMORY",
        "-device", "loader,file=IMAGE",
        "-device", "loader,data-len=8,addr=0x8000,data=0xF2B88000D2800060",
        "-device", "loader,data-len=8,addr=0x8008,data=0xD2A00202D2800081",
        "-device", "loader,data-len=8,addr=0x8010,data=0xD4000003D2800003",
        "-device", "loader,data-len=8,addr=0x8018,data=0x17FFFFFFD503207F",
        "-device", "loader,addr=0x8000,cpu-num=0",
        "-accel",  "tcg"}}};
  for (const Board& board : boards) {
    if (name == board.name) {
      return &board;
    }
  }
  return nullptr;
}

expected<std::unique_ptr<Emulator>, std::string> Emulator::make(const Board& board,
                                                                std::string image,
                                                                std::uint64_t size) {
  if (!std::filesystem::is_regular_file(image)) {
    return unexpected<std::string>(
        fmt::format("the firmware image {} is missing: run `ligament build` again", image));
  }
  std::string program = find_program(board.program);
  if (program.empty()) {
    return unexpected<std::string>(
        fmt::format("the board {} is emulated by {}, which is not here (Debian: apt install {})",
                    board.name, board.program, board.package));
  }
  const int memory = ::memfd_create("ligament-core", MFD_CLOEXEC);
  if (memory < 0 || ::ftruncate(memory, static_cast<off_t>(size)) != 0) {
    const std::string why = std::strerror(errno);
    if (memory >= 0) {
      ::close(memory);
    }
    return unexpected<std::string>("no memory for the core: " + why);
  }
  return std::unique_ptr<Emulator>(
      new Emulator(board, std::move(program), std::move(image), {memory, size}));
}

Emulator::~Emulator() {
  kill();
  ::close(memory_);
  if (console_ >= 0) {
    ::close(console_);
  }
}

std::vector<std::string> Emulator::words(int console, int bell, int qtest) const {
  const std::array<std::pair<std::string_view, std::string>, 2> places{
      {{"IMAGE", image_}, {"MEMORY", fmt::format("{}M", size_ >> 20U)}}};
  std::vector<std::string> words{program_};
  for (std::string word : board_.arguments) {
    for (const auto& [place, value] : places) {
      if (const auto found = word.find(place); found != std::string::npos) {
        word.replace(found, place.size(), value);
        break;
      }
    }
    words.push_back(std::move(word));
  }
  const std::vector<std::string> rest{
      "-object",
      fmt::format("memory-backend-file,id={},size={},share=on,mem-path=/proc/self/fd/{}",
                  board_.memory_id, size_, memory_),
      "-display",
      "none",
      "-monitor",
      "none",  //
      "-chardev",
      fmt::format("socket,id=console,fd={}", console),
      "-serial",
      "chardev:console",
      "-chardev",
      fmt::format("socket,id=bell,fd={}", bell),
      "-serial",
      "chardev:bell"};
  words.insert(words.end(), rest.begin(), rest.end());
  if (board_.core != nullptr) {
    const std::vector<std::string> line{"-chardev",   fmt::format("socket,id=qtest,fd={}", qtest),
                                        "-qtest",     "chardev:qtest",
                                        "-qtest-log", "/dev/null"};
    words.insert(words.end(), line.begin(), line.end());
  }
  return words;
}

expected<std::unique_ptr<rpmsg::Bell>, std::string> Emulator::start(std::uint32_t& cause) {
  const Wire bell = make_wire();
  const Wire console = make_wire();
  const Wire qtest = make_wire();
  if (bell.ours < 0 || console.ours < 0 || qtest.ours < 0) {
    return unexpected<std::string>(std::string("no socket for the core: ") + std::strerror(errno));
  }
  std::vector<std::string> said = words(console.theirs, bell.theirs, qtest.theirs);
  std::vector<char*> arguments;
  for (auto& word : said) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  std::string silent = "QEMU_AUDIO_DRV=none";  // a board with a screen has sound, too
  std::vector<char*> environment{silent.data()};
  for (char** word = environ; *word != nullptr; ++word) {
    environment.push_back(*word);
  }
  environment.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    become(arguments, environment, {memory_, console.theirs, bell.theirs, qtest.theirs});
  }
  for (const int fd : {bell.theirs, console.theirs, qtest.theirs, console_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
  console_ = console.ours;
  std::unique_ptr<rpmsg::Bell> ours;
  if (board_.core != nullptr) {
    ours = std::make_unique<rpmsg::QtestBell>(bell.ours, qtest.ours, board_.core, cause);
  } else {
    ::close(qtest.ours);
    ours = std::make_unique<rpmsg::SocketBell>(bell.ours);
  }
  if (child < 0) {
    return unexpected<std::string>(std::string("the emulator did not start: ") +
                                   std::strerror(errno));
  }
  process_ = child;
  ended_.clear();
  return ours;
}

void Emulator::kill() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
}

bool Emulator::is_running() {
  int status = 0;
  if (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = 0;
    ended_ = WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                                 : fmt::format("ended with status {}", WEXITSTATUS(status));
  }
  return process_ > 0;
}

void Emulator::read_console(const std::function<void(const std::string&)>& say) {
  std::array<char, 1024> buffer;
  for (ssize_t got = 0; (got = ::read(console_, buffer.data(), buffer.size())) > 0;) {
    for (const char letter : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
      const bool is_end = letter == '\n';
      // What a core prints is shown to people: nothing in it moves their cursor.
      line_ += is_end ? "" : std::string(1, letter >= ' ' && letter <= '~' ? letter : '?');
      if ((is_end && !line_.empty()) || line_.size() >= longest_line) {
        say(std::exchange(line_, {}));
      }
    }
  }
}

}  // namespace ligament::mcu
