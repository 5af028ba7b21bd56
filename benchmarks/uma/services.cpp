// SPDX-License-Identifier: Apache-2.0
// The same by services: each request carries a tile or the matrix, each response the result. Two
// nodes: the CPU node asks the GPU node. More: the scheduler has all data and asks every worker,
// one server each; it merges what they answer into its own.
#include <algorithm>
#include <array>
#include <chrono>
#include <ligament/uma_msgs/srv/work.hpp>
#include <vector>

#include "ends.hpp"
#include "processors.hpp"
#include "two_nodes.hpp"

namespace uma {
namespace {

using WorkService = ligament::uma_msgs::srv::Work;
using Client = ligament::Client<WorkService>;
using Request = std::shared_ptr<WorkService::Request>;
using Response = std::shared_ptr<WorkService::Response>;

std::string name_of(std::uint32_t worker) { return "work_" + std::to_string(worker); }

void count(Copies& copies, const ligament::PublisherBase& out,
           const ligament::SubscriptionBase& in) {
  const auto sent = out.statistics();
  const auto came = in.statistics();
  copies += {sent.published, sent.serialised, came.taken, came.copies};
}

class Server : public ligament::Node {
 public:
  Server(const Setup& setup, std::uint32_t worker, const ligament::NodeOptions& options)
      : Node("server" + std::to_string(worker), options), setup_(setup) {
    if (worker >= setup.cpus && !open_device()) {
      return;
    }
    service_ = create_service<WorkService>(
        name_of(worker),
        [this](const Request& request, const Response& response) { serve(*request, *response); });
  }

  [[nodiscard]] Copies copies() const {
    Copies copies = copies_of({}, program_.get());
    count(copies, *service_->replies(), *service_->requests());
    return copies;
  }

 private:
  bool open_device() {
    const auto settings = gpu::settings_from_environment();
    if (!settings) {
      report_error(settings.error().text);
      return false;
    }
    auto program = gpu::Program::open(kernels(), *settings);
    if (!program) {
      report_error(program.error().text);
      return false;
    }
    program_ = std::move(*program);
    return true;
  }

  void serve(const WorkService::Request& request, WorkService::Response& response) {
    if (program_ == nullptr) {
      serve_on_cpu(request, response);
      return;
    }
    response.data.resize(answer_words(setup_.workload, setup_.size));
    const auto arguments = arguments_of(setup_.size, request.data, response.data);
    const auto done = program_->run(std::array{launch_of(setup_.workload, setup_.size, arguments)});
    if (!done) {
      report_error(done.error().text);
    }
  }

  void serve_on_cpu(const WorkService::Request& request, WorkService::Response& response) const {
    if (setup_.workload == Workload::cache) {
      response.data = request.data;
      work_on_one_address(response.data, setup_.size.cpu_repeats);
    } else {
      response.data.resize(request.data.size());
      work_on_tile(request.data, response.data, setup_.size.cpu_repeats);
    }
  }

  Setup setup_;
  std::unique_ptr<gpu::Program> program_;
  std::shared_ptr<ligament::Service<WorkService>> service_;
};

/// What both kinds of askers have.
class Asker : public ligament::Node {
 public:
  [[nodiscard]] bool is_ready() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const auto& client) { return client->service_is_ready(); });
  }
  [[nodiscard]] Copies copies() const {
    Copies copies;
    for (const auto& client : clients_) {
      count(copies, *client->requests(), *client->replies());
    }
    return copies;
  }
  virtual void begin() = 0;
  [[nodiscard]] virtual bool is_done() const = 0;

 protected:
  Asker(const std::string& name, const Setup& setup, const ligament::NodeOptions& options)
      : Node(name, options), setup_(setup) {}

  void add_client(std::uint32_t worker) {
    clients_.push_back(create_client<WorkService>(name_of(worker)));
  }

  template <typename Answered>
  void ask(std::size_t client, const WorkService::Request& request, Answered answered) {
    (void)clients_[client]->async_send_request(
        request, [answered = std::move(answered)](const Client::SharedFuture& future) {
          const Response response = future.get();
          if (response == nullptr) {
            give_up("a request has no response");
          }
          answered(*response);
        });
  }
  [[nodiscard]] const Setup& setup() const { return setup_; }

 private:
  Setup setup_;
  std::vector<std::shared_ptr<Client>> clients_;
};

class CpuAsker final : public Asker {
 public:
  CpuAsker(const Setup& setup, const ligament::NodeOptions& options)
      : Asker("cpu", setup, options), part_(setup) {
    add_client(setup.cpus);
  }
  void begin() override {
    part_.begin();
    send();
    if (part_.may_send()) {
      send();
    }
  }
  bool is_done() const override { return part_.is_done(); }

 private:
  void send() {
    WorkService::Request request;
    request.data.resize(setup().size.words());
    part_.make(request.data);
    ask(0, request, [this](const WorkService::Response& response) {
      part_.answered(response.data);
      if (part_.may_send()) {
        send();
      }
    });
  }

  CpuPart part_;
};

class SchedulingAsker final : public Asker {
 public:
  SchedulingAsker(const Setup& setup, const ligament::NodeOptions& options)
      : Asker("scheduler", setup, options),
        tiles_(setup.workers(), std::vector<std::uint32_t>(setup.size.words())) {
    for (std::uint32_t worker = 0; worker < setup.workers(); ++worker) {
      add_client(worker);
    }
  }
  void begin() override {
    for (auto& tile : tiles_) {
      fill(tile);
    }
    left_ = setup().steps * (setup().workload == Workload::cache ? 2 : 1);
    next();
  }
  bool is_done() const override { return left_ == 0 && missing_ == 0; }

 private:
  [[nodiscard]] bool is_cache() const { return setup().workload == Workload::cache; }

  void next() {
    const bool cpus = !is_cache() || left_ % 2 == 0;
    const bool gpus = !is_cache() || left_ % 2 == 1;
    --left_;
    std::vector<std::uint32_t> asked;
    for (std::uint32_t worker = 0; worker < setup().workers(); ++worker) {
      if (worker < setup().cpus ? cpus : gpus) {
        asked.push_back(worker);
      }
    }
    missing_ = asked.size();
    // Each request is serialised before it is sent: what comes back may be merged at once.
    for (const std::uint32_t worker : asked) {
      WorkService::Request request;
      request.data = tiles_[source_of(worker)];
      ask(worker, request,
          [this, worker](const WorkService::Response& response) { merge(worker, response.data); });
    }
  }

  [[nodiscard]] std::uint32_t source_of(std::uint32_t worker) const {
    if (!is_cache()) {
      return setup().before(worker);
    }
    return worker < setup().cpus ? worker : setup().matrix_of(worker);
  }

  void merge(std::uint32_t worker, ConstWords made) {
    if (is_cache() && worker >= setup().cpus) {
      if (sum_of(made) != sum_of(tiles_[setup().matrix_of(worker)])) {
        give_up("a GPU node's sum is wrong");
      }
    } else {
      std::copy(made.begin(), made.end(), tiles_[worker].begin());
    }
    if (--missing_ == 0) {
      finish_step();
    }
  }

  void finish_step() {
    if (left_ != 0) {
      next();
      return;
    }
    if (!is_cache()) {
      const auto expected = ring_after(setup(), 1);
      for (std::uint32_t worker = 0; worker < setup().workers(); ++worker) {
        if (tiles_[worker][0] != expected[worker]) {
          give_up("the last tile of worker " + std::to_string(worker) + " is wrong");
        }
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> tiles_;  ///< cache: the matrices of the CPUs
  std::int64_t left_ = 0;
  std::size_t missing_ = 0;
};

class Services : public Runner {
 public:
  Services(const Setup& setup, const Commands& commands)
      : setup_(setup), place_(setup, "client"), node_(make(setup, place_.options(setup))) {
    for (std::uint32_t worker = setup.has_scheduler ? 0 : setup.cpus; worker < setup.workers();
         ++worker) {
      peers_.start(setup, commands, "server:" + std::to_string(worker));
    }
    spinner_.emplace(place_, node_, peers_);
    while (!node_->is_ready()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      peers_.check();
    }
  }

  std::int64_t run() override {
    std::optional<Staying> cpu;
    if (!setup_.has_scheduler) {
      cpu.emplace(setup_, 0);
    }
    const std::int64_t begin = ligament::pool::monotonic_now_ns();
    node_->begin();
    spinner_->until([this] { return node_->is_done(); });
    return ligament::pool::monotonic_now_ns() - begin;
  }

  Copies copies() override {
    Copies sum = node_->copies();
    sum += peers_.copies();
    return sum;
  }

 private:
  static std::shared_ptr<Asker> make(const Setup& setup, const ligament::NodeOptions& options) {
    if (setup.has_scheduler) {
      return std::make_shared<SchedulingAsker>(setup, options);
    }
    return std::make_shared<CpuAsker>(setup, options);
  }

  Setup setup_;
  Place place_;
  Peers peers_;
  std::shared_ptr<Asker> node_;
  std::optional<Spinner> spinner_;
};

}  // namespace

Served make_server(const Setup& setup, std::uint32_t worker, const Place& place) {
  auto node = std::make_shared<Server>(setup, worker, place.options(setup));
  return {node, [node] { return node->copies(); }};
}

std::unique_ptr<Runner> with_services(const Setup& setup, const Commands& commands) {
  return std::make_unique<Services>(setup, commands);
}

}  // namespace uma
