// SPDX-License-Identifier: Apache-2.0
/// Nodes and guard conditions.
#include <fmt/format.h>
#include <rmw/allocators.h>
#include <rmw/rmw.h>
#include <rmw/validate_namespace.h>
#include <rmw/validate_node_name.h>

#include <cstring>

#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

Text copy_text(const std::string& text) {
  Text copy(require(static_cast<char*>(rmw_allocate(text.size() + 1))));
  std::memcpy(copy.get(), text.c_str(), text.size() + 1);
  return copy;
}

std::pair<std::string, std::string> split(const std::string& full_name) {
  const auto slash = full_name.rfind('/');
  if (slash == std::string::npos) {
    return {full_name, "/"};
  }
  return {full_name.substr(slash + 1), slash == 0 ? "/" : full_name.substr(0, slash)};
}

Context::Endpoints endpoints_of(Context& context, const std::string& topic,
                                ligament::pool::EndpointKind kind) {
  Context::Endpoints found;
  for (const auto& endpoint : *context.graph()) {
    if (endpoint.kind == kind && endpoint.description.topic == topic) {
      found.push_back(endpoint);
    }
  }
  return found;
}

rmw_qos_profile_t qos_facing(Context& context, const std::string& topic,
                             ligament::pool::EndpointKind kind, const rmw_qos_profile_t& wanted) {
  return wants_best(wanted) ? actual_qos(wanted, endpoints_of(context, topic, kind), kind)
                            : actual_qos(wanted, {}, kind);
}

std::string fault_of_node(const char* name, const char* space) {
  int result = 0;
  if (rmw_validate_node_name(name, &result, nullptr) != RMW_RET_OK) {
    return "the node's name cannot be checked";
  }
  if (result != RMW_NODE_NAME_VALID) {
    return std::string("'") + name +
           "' is no name of a node: " + rmw_node_name_validation_result_string(result);
  }
  if (rmw_validate_namespace(space, &result, nullptr) != RMW_RET_OK) {
    return "the node's namespace cannot be checked";
  }
  if (result != RMW_NAMESPACE_VALID) {
    return std::string("'") + space +
           "' is no namespace: " + rmw_namespace_validation_result_string(result);
  }
  return {};
}

namespace {

/// Null, with an error, where the pool refuses it.
std::unique_ptr<Node> open_node(Context& context, const std::string& name,
                                const std::string& space) {
  auto node = std::make_unique<Node>(context);
  node->full_name = fmt::format("{}/{}", space == "/" ? "" : space, name);
  ligament::pool::EndpointDescription marker;
  marker.topic = std::string(ligament::pool::graph_topic);
  marker.type_name = context.enclave();
  marker.node = node->full_name;
  marker.qos.depth = 1;
  marker.qos.max_held = 1;
  auto made = context.domain().create_reader(marker, context.waits().waiter());
  if (!made) {
    (void)fail("node '" + node->full_name + "': " + made.error().text);
    return nullptr;
  }
  node->marker = std::move(*made);
  node->graph_changed.waits = &context.waits();
  node->graph_handle = {identifier, &node->graph_changed, nullptr};
  context.add(node->graph_changed);
  node->shown = status::show_node(node->full_name);
  tracing::tell_node(node->full_name);
  return node;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_node_t* rmw_create_node(rmw_context_t* context, const char* name, const char* namespace_) {
  Context* const own = context_of(context);
  if (own == nullptr) {
    return nullptr;
  }
  RMW_CHECK_ARGUMENT_FOR_NULL(name, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(namespace_, nullptr);
  return guarded_make([&]() -> rmw_node_t* {
    if (const std::string fault = fault_of_node(name, namespace_); !fault.empty()) {
      (void)fail(fault, RMW_RET_INVALID_ARGUMENT);
      return nullptr;
    }
    auto node = open_node(*own, name, namespace_);
    if (node == nullptr) {
      return nullptr;
    }
    node->graph_handle.context = context;
    Text own_name = copy_text(name);
    Text own_space = copy_text(namespace_);
    auto* handle = require(rmw_node_allocate());
    *handle = {identifier, node.release(), own_name.release(), own_space.release(), context};
    return handle;
  });
}

rmw_ret_t rmw_destroy_node(rmw_node_t* node) {
  RMW_LIGAMENT_CHECK(node);
  if (!is_forked_child()) {
    delete static_cast<Node*>(node->data);
  }
  rmw_free(const_cast<char*>(node->name));
  rmw_free(const_cast<char*>(node->namespace_));
  rmw_node_free(node);
  return RMW_RET_OK;
}

const rmw_guard_condition_t* rmw_node_get_graph_guard_condition(const rmw_node_t* node) {
  RMW_LIGAMENT_CHECK_OR_NULL(node);
  return &static_cast<Node*>(node->data)->graph_handle;
}

rmw_guard_condition_t* rmw_create_guard_condition(rmw_context_t* context) {
  Context* const own = context_of(context);
  if (own == nullptr) {
    return nullptr;
  }
  return guarded_make([&]() -> rmw_guard_condition_t* {
    auto condition = std::make_unique<GuardCondition>();
    condition->waits = &own->waits();
    auto* handle = require(rmw_guard_condition_allocate());
    *handle = {identifier, condition.release(), context};
    return handle;
  });
}

rmw_ret_t rmw_destroy_guard_condition(rmw_guard_condition_t* guard_condition) {
  RMW_LIGAMENT_CHECK(guard_condition);
  delete static_cast<GuardCondition*>(guard_condition->data);
  rmw_guard_condition_free(guard_condition);
  return RMW_RET_OK;
}

rmw_ret_t rmw_trigger_guard_condition(const rmw_guard_condition_t* guard_condition) {
  RMW_LIGAMENT_CHECK(guard_condition);
  static_cast<GuardCondition*>(guard_condition->data)->trigger();
  return RMW_RET_OK;
}

}  // extern "C"
