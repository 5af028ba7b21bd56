// SPDX-License-Identifier: Apache-2.0
/// ligament-agent: gives microcontrollers that speak DDS-XRCE their place among ROS 2's nodes.
#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "agent/can.hpp"
#include "agent/rpmsg.hpp"
#include "agent/rpmsg_device.hpp"
#include "agent/serial.hpp"
#include "agent/server.hpp"
#include "agent/udp.hpp"

namespace {

namespace xrce = ligament::xrce;

struct Arguments {
  std::string address = "0.0.0.0";
  std::uint16_t port = 8888;
  int domain = 0;
  std::string types;
  std::string profiles;
  double silence_s = 30;
  std::int64_t spin_us = 0;
  std::string device;
  std::uint32_t baud = 0;
  std::string can;
  xrce::RpmsgOptions core;
  xrce::RpmsgDeviceOptions driver;
  bool without_edge = false;
};

/// Linux speaks RPMsg with the core, or we do.
void declare_driver(CLI::App& rpmsg, xrce::RpmsgDeviceOptions& driver) {
  rpmsg.add_option("--device", driver.device, "As /dev/rpmsg0 or /dev/rpmsg_ctrl0: Linux's driver");
  rpmsg.add_option("--to", driver.to, "The core's address of an endpoint that is made")
      ->capture_default_str();
  CLI::Option* folder = rpmsg.add_option("--remoteproc", driver.remoteproc,
                                         "As /sys/class/remoteproc/remoteproc0: the core's state");
  rpmsg.add_option("--firmware", driver.firmware, "Image that it is started with, and stopped")
      ->needs(folder);
}

void declare_rpmsg(CLI::App& rpmsg, xrce::RpmsgOptions& core) {
  CLI::Option* bell =
      rpmsg.add_option("--bell", core.bell, "Socket where each byte is an interrupt");
  rpmsg.add_option("memory", core.memory, "File or device that is the core's memory")->needs(bell);
  rpmsg.add_option("--offset", core.offset, "Of the shared area in it")->capture_default_str();
  rpmsg.add_option("--base", core.map.base, "The area's address as the core sees it")
      ->capture_default_str();
  rpmsg.add_option("--buffers", core.map.count, "Buffers in each direction")->capture_default_str();
  rpmsg.add_option("--buffer-size", core.map.buffer_size, "Bytes of one")->capture_default_str();
  rpmsg.add_option("--blocks", core.map.blocks, "Blocks of the slab in each direction")
      ->capture_default_str();
  rpmsg.add_option("--block-size", core.map.block_size, "Bytes of one; 0: there is no slab")
      ->capture_default_str();
  rpmsg.add_option("--qtest", core.qtest, "QEMU's qtest socket, if only that can ring the core");
  rpmsg.add_option("--core", core.core, "Then: its path in QEMU")->capture_default_str();
  rpmsg.add_option("--channel", core.channel, "Name that the core announces")
      ->capture_default_str();
}

void declare(CLI::App& app, Arguments& arguments) {
  app.fallthrough();  // options of all links may also come behind the link's
  CLI::App* udp = app.add_subcommand("udp", "Clients on a network");
  udp->add_option("--address", arguments.address, "IPv4 address to listen on")
      ->capture_default_str();
  udp->add_option("--port", arguments.port, "UDP port; 0: any")->capture_default_str();
  udp->add_option("--spin", arguments.spin_us,
                  "Microseconds for which it looks after a datagram, before it sleeps")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  CLI::App* serial = app.add_subcommand("serial", "Clients on a serial line");
  serial->add_option("device", arguments.device, "As /dev/ttyUSB0")->required();
  serial->add_option("--baud", arguments.baud, "Its rate; 0: as it is")->capture_default_str();
  CLI::App* can = app.add_subcommand("can", "Clients on a CAN bus");
  can->add_option("interface", arguments.can, "As can0; it must be up, with CAN FD")->required();
  CLI::App* rpmsg = app.add_subcommand("rpmsg", "Clients on a core of this chip");
  declare_rpmsg(*rpmsg, arguments.core);
  declare_driver(*rpmsg, arguments.driver);
  rpmsg
      ->add_option("--spin", arguments.spin_us,
                   "Microseconds for which memory is looked at after a message to the core, before "
                   "it sleeps")
      ->needs(rpmsg->get_option("--bell"))
      ->excludes(rpmsg->get_option("--device"))
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  rpmsg->get_option("memory")->excludes(rpmsg->get_option("--device"));
  rpmsg->callback([rpmsg] {
    if (rpmsg->count("memory") + rpmsg->count("--device") == 0) {
      throw CLI::RequiredError("memory or --device");
    }
  });
  app.require_subcommand(1);
  app.add_option("--ros", arguments.domain, "ROS domain, for clients that say none (255)")
      ->envname("ROS_DOMAIN_ID")
      ->check(CLI::Range(0, 232))
      ->capture_default_str();
  app.add_option("--types", arguments.types, "Table of message types that the tool has written");
  app.add_option("--profiles", arguments.profiles, "File of profiles that clients refer to");
  app.add_option("--silence", arguments.silence_s, "Seconds after which a silent client is removed")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("--no-edge", arguments.without_edge, "Do not start the domain's edge to DDS");
}

void say(const std::string& text) {
  fmt::print("ligament-agent: {}\n", text);
  std::fflush(stdout);
}

int fail(const std::string& text) {
  fmt::print(stderr, "ligament-agent: {}\n", text);
  return 1;
}

/// Readable when the end is asked for. Before any thread begins: all of them block the signals.
int end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

ligament::expected<xrce::ServerOptions, std::string> options_of(const Arguments& arguments) {
  xrce::ServerOptions options;
  options.agent.domain = arguments.domain;
  options.agent.silence_ns = static_cast<std::int64_t>(arguments.silence_s * 1e9);
  options.agent.log = say;
  options.spin_ns = arguments.spin_us * 1000;
  options.bus.wants_edge = !arguments.without_edge;
  if (!arguments.types.empty()) {
    auto types = xrce::read_types(arguments.types);
    if (!types) {
      return ligament::unexpected<std::string>(types.error());
    }
    options.bus.types = std::move(*types);
  }
  if (!arguments.profiles.empty()) {
    std::ostringstream text;
    text << std::ifstream(arguments.profiles).rdbuf();
    options.profiles = text.str();
    if (options.profiles.empty()) {
      return ligament::unexpected<std::string>(arguments.profiles + ": cannot be read, or empty");
    }
  }
  return options;
}

using Opened = ligament::expected<std::unique_ptr<xrce::Transport>, std::string>;

Opened open(Arguments& arguments) {
  if (!arguments.driver.device.empty()) {
    arguments.driver.channel = arguments.core.channel;
    arguments.driver.log = say;
    auto device = xrce::RpmsgDevice::open(std::move(arguments.driver));
    return device ? Opened(std::move(*device)) : ligament::unexpected<std::string>(device.error());
  }
  if (!arguments.core.memory.empty()) {
    arguments.core.log = say;
    auto core = xrce::RpmsgTransport::open(std::move(arguments.core));
    return core ? Opened(std::move(*core)) : ligament::unexpected<std::string>(core.error());
  }
  if (!arguments.can.empty()) {
    auto bus = xrce::CanTransport::open(arguments.can);
    return bus ? Opened(std::move(*bus)) : ligament::unexpected<std::string>(bus.error());
  }
  if (!arguments.device.empty()) {
    auto line = xrce::SerialTransport::open(arguments.device, arguments.baud);
    return line ? Opened(std::move(*line)) : ligament::unexpected<std::string>(line.error());
  }
  auto socket = xrce::UdpTransport::open(arguments.address, arguments.port);
  return socket ? Opened(std::move(*socket)) : ligament::unexpected<std::string>(socket.error());
}

int serve(Arguments& arguments, int stop_fd) {
  auto options = options_of(arguments);
  if (!options) {
    return fail(options.error());
  }
  auto transport = open(arguments);
  if (!transport) {
    return fail(transport.error());
  }
  auto server = xrce::Server::make(std::move(*options));
  if (!server) {
    return fail(server.error());
  }
  say(fmt::format("{}, ROS domain {}", (*transport)->name(), arguments.domain));
  (*server)->serve(**transport, stop_fd);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Serves microcontrollers that speak DDS-XRCE, micro-ROS's too: their nodes, topics and "
      "services are those of ROS 2's graph."};
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const int stop_fd = end_signals();
  std::signal(SIGCHLD, SIG_IGN);  // an edge that we started and that ends is no zombie
  std::signal(SIGPIPE, SIG_IGN);
  return serve(arguments, stop_fd);
}
