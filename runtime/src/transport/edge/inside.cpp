// SPDX-License-Identifier: Apache-2.0
/// libligament-edge.so: the edge for a container to load. It joins the pool as the container's own
/// nodes do, so what they publish goes to the engine in their own thread.
#include "container/inner_edge.hpp"
#include "transport/edge/edge.hpp"
#include "transport/edge/status.hpp"

namespace ligament::edge {
namespace {

using container::InnerEdge;
using container::InnerEdgeRequest;

class Inside final : public InnerEdge {
 public:
  Inside(std::unique_ptr<Edge> edge, container::StatusChannel& channel)
      : edge_(std::move(edge)), status_(channel, *edge_, container::inner_edge_origin) {}
  void tell() override { status_.write(); }

 private:
  std::unique_ptr<Edge> edge_;
  StatusWriter status_;
};

expected<std::unique_ptr<InnerEdge>, std::string> start(const InnerEdgeRequest& request) {
  Options options{.graph = request.graph, .run_id = request.run_id};
  options.participant.domain = request.domain_id;
  options.gid_form = request.humble ? GidForm::humble : GidForm::jazzy;
  auto edge = Edge::start(options);
  if (!edge) {
    return unexpected<std::string>(edge.error());
  }
  return std::make_unique<Inside>(std::move(*edge), *request.channel);
}

}  // namespace
}  // namespace ligament::edge

extern "C" {
/// Found by name (container/inner_edge.hpp).
extern const ligament::container::InnerEdgeEntry ligament_inner_edge;
const ligament::container::InnerEdgeEntry ligament_inner_edge{
    .start = &ligament::edge::start,
};
}
