// SPDX-License-Identifier: Apache-2.0
/// \file A server or client in a process of its own: service_peer DOMAIN serve|ask NAME COUNT
///
/// `serve` answers until it is killed; it writes `ready` once the server exists. `ask` sends COUNT
/// requests one after the other and exits with 0 if each had the right response.
#include <cstdio>
#include <cstdlib>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <string>

namespace {

using ligament::example_interfaces::srv::AddTwoInts;

int serve(const std::shared_ptr<ligament::Node>& node, const std::string& name) {
  auto service = node->create_service<AddTwoInts>(
      name, [](const std::shared_ptr<AddTwoInts::Request> request,
               const std::shared_ptr<AddTwoInts::Response> response) {
        response->sum = request->a + request->b;
      });
  std::puts("ready");
  std::fflush(stdout);
  return ligament::spin(node) ? 0 : 1;
}

int ask(const std::shared_ptr<ligament::Node>& node, const std::string& name, std::int64_t count) {
  auto client = node->create_client<AddTwoInts>(name);
  if (!client->wait_for_service()) {
    return 2;
  }
  std::puts("ready");
  std::fflush(stdout);
  for (std::int64_t i = 0; i < count; ++i) {
    AddTwoInts::Request request;
    request.a = i;
    request.b = 1;
    auto sent = client->async_send_request(request);
    if (ligament::spin_until_future_complete(node, sent) != ligament::FutureReturnCode::success ||
        sent.get()->sum != i + 1) {
      return 3;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5 || !ligament::init({.domain = words[1], .run_id = "test"})) {
    return 64;
  }
  const auto node = std::make_shared<ligament::Node>(std::string("peer_") + words[2]);
  return std::string(words[2]) == "serve"
             ? serve(node, words[3])
             : ask(node, words[3], std::strtoll(words[4], nullptr, 10));
}
