// SPDX-License-Identifier: Apache-2.0
/// Questions about the graph: who is there, on which topics and services, with which types and QoS.
#include <rcutils/strdup.h>
#include <rcutils/types/string_array.h>
#include <rmw/get_node_info_and_types.h>
#include <rmw/get_service_names_and_types.h>
#include <rmw/get_topic_endpoint_info.h>
#include <rmw/get_topic_names_and_types.h>
#include <rmw/names_and_types.h>
#include <rmw/rmw.h>
#include <rmw/sanity_checks.h>
#include <rmw/topic_endpoint_info_array.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "elsewhere.hpp"
#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"

namespace rmw_ligament_cpp {

namespace {

namespace pool = ligament::pool;
using pool::EndpointInfo;
using pool::EndpointKind;
using NamesAndTypes = std::map<std::string, std::set<std::string>>;

Context& context_of_node(const rmw_node_t* node) { return static_cast<Node*>(node->data)->context; }

bool is_marker(const EndpointInfo& endpoint) {
  return endpoint.description.topic == pool::graph_topic;
}
/// Device topics and what else is not ROS 2's; halves of services.
bool is_topic(const EndpointInfo& endpoint) { return endpoint.description.topic.starts_with('/'); }

struct FoundNode {
  std::string full_name;
  std::string enclave;
};

/// A node of rmw once per node, also where names are equal; others by their endpoints.
std::vector<FoundNode> nodes_of(Context& context) {
  std::vector<FoundNode> nodes;
  std::set<std::string> known;
  const auto graph = context.graph();
  for (const auto& endpoint : *graph) {
    if (is_marker(endpoint) && endpoint.description.node != edge_node) {
      nodes.push_back({endpoint.description.node, endpoint.description.type_name});
      known.insert(endpoint.description.node);
    }
  }
  for (const auto& endpoint : *graph) {
    const std::string& name = endpoint.description.node;
    if (!name.empty() && name != edge_node && known.insert(name).second) {
      nodes.push_back({name, "/"});
    }
  }
  return nodes;
}

/// `pkg/srv/Name` and its name, where the topic is the given half of a service.
struct Half {
  const char* prefix;
  const char* suffix;
  const char* type_suffix;
};
constexpr Half request{"rq/", "Request", "_Request"};
constexpr Half reply{"rr/", "Reply", "_Response"};

bool is_half(const EndpointInfo& endpoint, const Half& half) {
  return endpoint.description.topic.starts_with(half.prefix) &&
         endpoint.description.topic.ends_with(half.suffix);
}
std::string service_name(const EndpointInfo& endpoint, const Half& half) {
  const std::string& topic = endpoint.description.topic;
  return topic.substr(2, topic.size() - 2 - std::strlen(half.suffix));
}
std::string service_type(const EndpointInfo& endpoint, const Half& half) {
  const std::string& type = endpoint.description.type_name;
  const std::size_t size = std::strlen(half.type_suffix);
  return type.ends_with(half.type_suffix) ? type.substr(0, type.size() - size) : type;
}

/// As DDS has it, for those who ask for names as they are there.
std::string dds_topic(const EndpointInfo& endpoint) {
  const std::string& topic = endpoint.description.topic;
  return topic.starts_with('/') ? std::string("rt").append(topic) : topic;
}
std::string dds_type(std::string type) {
  for (auto at = type.find('/'); at != std::string::npos; at = type.find('/')) {
    type[at] = ':';
    type.insert(at, 1, ':');
  }
  const auto last = type.rfind("::");
  return last == std::string::npos
             ? type
             : type.substr(0, last) + "::dds_::" + type.substr(last + 2) + "_";
}

void add_topic(NamesAndTypes& found, const EndpointInfo& endpoint, bool no_demangle) {
  if (is_marker(endpoint)) {
    return;
  }
  if (no_demangle) {
    found[dds_topic(endpoint)].insert(dds_type(endpoint.description.type_name));
  } else if (is_topic(endpoint)) {
    found[endpoint.description.topic].insert(endpoint.description.type_name);
  }
}

/// What is there when it fails is for the caller to take back.
template <typename Texts>
rmw_ret_t fill(rcutils_string_array_t* to, const Texts& texts, rcutils_allocator_t allocator) {
  if (rcutils_string_array_init(to, texts.size(), &allocator) != RCUTILS_RET_OK) {
    return fail("out of memory", RMW_RET_BAD_ALLOC);
  }
  std::size_t at = 0;
  for (const std::string& text : texts) {
    to->data[at] = rcutils_strdup(text.c_str(), allocator);
    if (to->data[at++] == nullptr) {
      return fail("out of memory", RMW_RET_BAD_ALLOC);
    }
  }
  return RMW_RET_OK;
}

rmw_ret_t give(const NamesAndTypes& found, rcutils_allocator_t* allocator,
               rmw_names_and_types_t* to) {
  rmw_ret_t result = rmw_names_and_types_init(to, found.size(), allocator);
  if (result != RMW_RET_OK) {
    return result;
  }
  std::size_t at = 0;
  for (const auto& [name, types] : found) {
    to->names.data[at] = rcutils_strdup(name.c_str(), *allocator);
    result = to->names.data[at] == nullptr ? fail("out of memory", RMW_RET_BAD_ALLOC)
                                           : fill(&to->types[at], types, *allocator);
    if (result != RMW_RET_OK) {
      ignore(rmw_names_and_types_fini(to));
      return result;
    }
    ++at;
  }
  return RMW_RET_OK;
}

/// Checks that all queries for names and types share.
rmw_ret_t check(const rmw_node_t* node, rcutils_allocator_t* allocator,
                rmw_names_and_types_t* names_and_types) {
  RMW_LIGAMENT_CHECK(node);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid",
                                   return RMW_RET_INVALID_ARGUMENT);
  return rmw_names_and_types_check_zero(names_and_types);
}

/// The node's full name; empty, with an error, where there is none of that name.
std::string find_node(const rmw_node_t* node, const char* name, const char* space,
                      rmw_ret_t& result) {
  const bool is_missing = name == nullptr || space == nullptr;
  const std::string fault =
      is_missing ? "the node's name or namespace is null" : fault_of_node(name, space);
  if (!fault.empty()) {
    result = fail(fault, RMW_RET_INVALID_ARGUMENT);
    return {};
  }
  const std::string root = std::strcmp(space, "/") == 0 ? "" : space;
  const std::string full_name = root + "/" + name;
  const auto nodes = nodes_of(context_of_node(node));
  if (std::none_of(nodes.begin(), nodes.end(),
                   [&](const FoundNode& one) { return one.full_name == full_name; })) {
    result = fail("there is no node '" + full_name + "'", RMW_RET_NODE_NAME_NON_EXISTENT);
    return {};
  }
  result = RMW_RET_OK;
  return full_name;
}

struct NodeQuery {
  const rmw_node_t* node;
  rcutils_allocator_t* allocator;
  const char* name;
  const char* space;
};

/// What `add` finds of the endpoints that are there.
template <typename Add>
rmw_ret_t give_found(const rmw_node_t* node, rcutils_allocator_t* allocator,
                     rmw_names_and_types_t* to, const Add& add) {
  NamesAndTypes found;
  for (const auto& endpoint : *context_of_node(node).graph()) {
    add(found, endpoint);
  }
  return give(found, allocator, to);
}

template <typename Add>
rmw_ret_t of_all(const rmw_node_t* node, rcutils_allocator_t* allocator, rmw_names_and_types_t* to,
                 const Add& add) {
  const rmw_ret_t checked = check(node, allocator, to);
  return checked != RMW_RET_OK ? checked
                               : guarded([&] { return give_found(node, allocator, to, add); });
}

template <typename Add>
rmw_ret_t by_node(const NodeQuery& query, rmw_names_and_types_t* to, const Add& add) {
  if (const rmw_ret_t checked = check(query.node, query.allocator, to); checked != RMW_RET_OK) {
    return checked;
  }
  return guarded([&] {
    rmw_ret_t result = RMW_RET_OK;
    const std::string full_name = find_node(query.node, query.name, query.space, result);
    if (result != RMW_RET_OK) {
      return result;
    }
    return give_found(query.node, query.allocator, to,
                      [&](NamesAndTypes& found, const EndpointInfo& endpoint) {
                        if (endpoint.description.node == full_name) {
                          add(found, endpoint);
                        }
                      });
  });
}

void add_service(NamesAndTypes& found, const EndpointInfo& endpoint, const Half& half) {
  if (is_half(endpoint, half)) {
    found[service_name(endpoint, half)].insert(service_type(endpoint, half));
  }
}

rmw_ret_t topics_by_node(const NodeQuery& query, bool no_demangle, EndpointKind kind,
                         rmw_names_and_types_t* to) {
  return by_node(query, to, [&](NamesAndTypes& found, const EndpointInfo& endpoint) {
    if (endpoint.kind == kind) {
      add_topic(found, endpoint, no_demangle);
    }
  });
}

/// A server reads requests, a client reads replies.
rmw_ret_t services_by_node(const NodeQuery& query, const Half& half, rmw_names_and_types_t* to) {
  return by_node(query, to, [&](NamesAndTypes& found, const EndpointInfo& endpoint) {
    if (endpoint.kind == EndpointKind::reader) {
      add_service(found, endpoint, half);
    }
  });
}

rmw_ret_t count(const rmw_node_t* node, const char* name, std::size_t* result, EndpointKind kind,
                const Half* half) {
  RMW_LIGAMENT_CHECK(node);
  RMW_CHECK_ARGUMENT_FOR_NULL(name, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(result, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    rmw_qos_profile_t rules{};
    if (const auto fault = fault_of_topic(name, rules); !fault.empty()) {
      return fail(fault, RMW_RET_INVALID_ARGUMENT);
    }
    const std::string topic = half == nullptr
                                  ? std::string(name)
                                  : std::string(half->prefix).append(name + 1).append(half->suffix);
    const auto graph = context_of_node(node).graph();
    *result = static_cast<std::size_t>(
        std::count_if(graph->begin(), graph->end(), [&](const EndpointInfo& endpoint) {
          return endpoint.kind == kind && endpoint.description.topic == topic;
        }));
    return RMW_RET_OK;
  });
}

/// `no_mangle`: its type as DDS has it.
rmw_ret_t tell(const EndpointInfo& endpoint, rcutils_allocator_t* allocator, bool no_mangle,
               rmw_topic_endpoint_info_t* to) {
  const auto& description = endpoint.description;
  const bool is_unknown = description.node.empty() || description.node == edge_node;
  // The words of other implementations, for those who look for them.
  const auto [name, space] = is_unknown ? std::pair<std::string, std::string>(
                                              "_NODE_NAME_UNKNOWN_", "_NODE_NAMESPACE_UNKNOWN_")
                                        : split(description.node);
  const auto qos = to_rmw(description.qos);
  rosidl_type_hash_t hash = rosidl_get_zero_initialized_type_hash();
  hash.version = 1;
  std::copy(description.type_hash.begin(), description.type_hash.end(), hash.value);
  const auto kind =
      endpoint.kind == EndpointKind::writer ? RMW_ENDPOINT_PUBLISHER : RMW_ENDPOINT_SUBSCRIPTION;
  rmw_ret_t result = rmw_topic_endpoint_info_set_node_name(to, name.c_str(), allocator);
  const auto then = [&result](rmw_ret_t next) { result = result == RMW_RET_OK ? next : result; };
  then(rmw_topic_endpoint_info_set_node_namespace(to, space.c_str(), allocator));
  const std::string type = no_mangle ? dds_type(description.type_name) : description.type_name;
  then(rmw_topic_endpoint_info_set_topic_type(to, type.c_str(), allocator));
  then(rmw_topic_endpoint_info_set_topic_type_hash(to, &hash));
  then(rmw_topic_endpoint_info_set_endpoint_type(to, kind));
  then(rmw_topic_endpoint_info_set_gid(to, endpoint.gid.data(), endpoint.gid.size()));
  then(rmw_topic_endpoint_info_set_qos_profile(to, &qos));
  return result;
}

/// `no_mangle`: the name is one of DDS.
Context::Endpoints ends_called(Context& context, const char* name, EndpointKind kind,
                               bool no_mangle) {
  if (!no_mangle) {
    return endpoints_of(context, name, kind);
  }
  Context::Endpoints found;
  const auto graph = context.graph();
  std::copy_if(graph->begin(), graph->end(), std::back_inserter(found), [&](const auto& endpoint) {
    return endpoint.kind == kind && !is_marker(endpoint) && dds_topic(endpoint) == name;
  });
  return found;
}

rmw_ret_t ends_of_topic(const rmw_node_t* node, rcutils_allocator_t* allocator, const char* name,
                        EndpointKind kind, bool no_mangle, rmw_topic_endpoint_info_array_t* to) {
  RMW_LIGAMENT_CHECK(node);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid",
                                   return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(name, RMW_RET_INVALID_ARGUMENT);
  if (const rmw_ret_t zero = rmw_topic_endpoint_info_array_check_zero(to); zero != RMW_RET_OK) {
    return RMW_RET_INVALID_ARGUMENT;  // it has set the text
  }
  return guarded([&] {
    const auto found = ends_called(context_of_node(node), name, kind, no_mangle);
    rmw_ret_t result = rmw_topic_endpoint_info_array_init_with_size(to, found.size(), allocator);
    for (std::size_t i = 0; result == RMW_RET_OK && i < found.size(); ++i) {
      to->info_array[i] = rmw_get_zero_initialized_topic_endpoint_info();
      result = tell(found[i], allocator, no_mangle, &to->info_array[i]);
    }
    if (result != RMW_RET_OK) {
      ignore(rmw_topic_endpoint_info_array_fini(to, allocator));
    }
    return result;
  });
}

rmw_ret_t tell_nodes(const rmw_node_t* node, rcutils_string_array_t* names,
                     rcutils_string_array_t* spaces, rcutils_string_array_t* enclaves) {
  std::vector<std::string> columns[3];
  for (const FoundNode& found : nodes_of(context_of_node(node))) {
    auto [name, space] = split(found.full_name);
    columns[0].push_back(std::move(name));
    columns[1].push_back(std::move(space));
    columns[2].push_back(found.enclave);
  }
  rcutils_string_array_t* const targets[3] = {names, spaces, enclaves};
  rmw_ret_t result = RMW_RET_OK;
  for (std::size_t i = 0; i < 3 && result == RMW_RET_OK; ++i) {
    result = targets[i] == nullptr ? RMW_RET_OK
                                   : fill(targets[i], columns[i], rcutils_get_default_allocator());
  }
  if (result != RMW_RET_OK) {
    for (rcutils_string_array_t* target : targets) {
      if (target != nullptr) {
        ignore(rcutils_string_array_fini(target));
      }
    }
  }
  return result;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_ret_t rmw_get_node_names(const rmw_node_t* node, rcutils_string_array_t* node_names,
                             rcutils_string_array_t* node_namespaces) {
  RMW_LIGAMENT_CHECK(node);
  if (rmw_check_zero_rmw_string_array(node_names) != RMW_RET_OK ||
      rmw_check_zero_rmw_string_array(node_namespaces) != RMW_RET_OK) {
    return RMW_RET_INVALID_ARGUMENT;
  }
  return guarded([&] { return tell_nodes(node, node_names, node_namespaces, nullptr); });
}

rmw_ret_t rmw_get_node_names_with_enclaves(const rmw_node_t* node,
                                           rcutils_string_array_t* node_names,
                                           rcutils_string_array_t* node_namespaces,
                                           rcutils_string_array_t* enclaves) {
  RMW_LIGAMENT_CHECK(node);
  if (rmw_check_zero_rmw_string_array(node_names) != RMW_RET_OK ||
      rmw_check_zero_rmw_string_array(node_namespaces) != RMW_RET_OK ||
      rmw_check_zero_rmw_string_array(enclaves) != RMW_RET_OK) {
    return RMW_RET_INVALID_ARGUMENT;
  }
  return guarded([&] { return tell_nodes(node, node_names, node_namespaces, enclaves); });
}

rmw_ret_t rmw_count_publishers(const rmw_node_t* node, const char* topic_name, size_t* count_) {
  return count(node, topic_name, count_, ligament::pool::EndpointKind::writer, nullptr);
}
rmw_ret_t rmw_count_subscribers(const rmw_node_t* node, const char* topic_name, size_t* count_) {
  return count(node, topic_name, count_, ligament::pool::EndpointKind::reader, nullptr);
}
rmw_ret_t rmw_count_clients(const rmw_node_t* node, const char* service_name, size_t* count_) {
  return count(node, service_name, count_, ligament::pool::EndpointKind::reader, &reply);
}
rmw_ret_t rmw_count_services(const rmw_node_t* node, const char* service_name, size_t* count_) {
  return count(node, service_name, count_, ligament::pool::EndpointKind::reader, &request);
}

rmw_ret_t rmw_get_topic_names_and_types(const rmw_node_t* node, rcutils_allocator_t* allocator,
                                        bool no_demangle,
                                        rmw_names_and_types_t* topic_names_and_types) {
  return of_all(node, allocator, topic_names_and_types,
                [no_demangle](NamesAndTypes& found, const EndpointInfo& endpoint) {
                  add_topic(found, endpoint, no_demangle);
                });
}

rmw_ret_t rmw_get_service_names_and_types(const rmw_node_t* node, rcutils_allocator_t* allocator,
                                          rmw_names_and_types_t* service_names_and_types) {
  return of_all(node, allocator, service_names_and_types,
                [](NamesAndTypes& found, const EndpointInfo& endpoint) {
                  add_service(found, endpoint, request);
                  add_service(found, endpoint, reply);
                });
}

rmw_ret_t rmw_get_subscriber_names_and_types_by_node(const rmw_node_t* node,
                                                     rcutils_allocator_t* allocator,
                                                     const char* node_name,
                                                     const char* node_namespace, bool no_demangle,
                                                     rmw_names_and_types_t* topic_names_and_types) {
  return topics_by_node({node, allocator, node_name, node_namespace}, no_demangle,
                        ligament::pool::EndpointKind::reader, topic_names_and_types);
}
rmw_ret_t rmw_get_publisher_names_and_types_by_node(const rmw_node_t* node,
                                                    rcutils_allocator_t* allocator,
                                                    const char* node_name,
                                                    const char* node_namespace, bool no_demangle,
                                                    rmw_names_and_types_t* topic_names_and_types) {
  return topics_by_node({node, allocator, node_name, node_namespace}, no_demangle,
                        ligament::pool::EndpointKind::writer, topic_names_and_types);
}
rmw_ret_t rmw_get_service_names_and_types_by_node(const rmw_node_t* node,
                                                  rcutils_allocator_t* allocator,
                                                  const char* node_name, const char* node_namespace,
                                                  rmw_names_and_types_t* service_names_and_types) {
  return services_by_node({node, allocator, node_name, node_namespace}, request,
                          service_names_and_types);
}
rmw_ret_t rmw_get_client_names_and_types_by_node(const rmw_node_t* node,
                                                 rcutils_allocator_t* allocator,
                                                 const char* node_name, const char* node_namespace,
                                                 rmw_names_and_types_t* service_names_and_types) {
  return services_by_node({node, allocator, node_name, node_namespace}, reply,
                          service_names_and_types);
}

rmw_ret_t rmw_get_publishers_info_by_topic(const rmw_node_t* node, rcutils_allocator_t* allocator,
                                           const char* topic_name, bool no_mangle,
                                           rmw_topic_endpoint_info_array_t* publishers_info) {
  return ends_of_topic(node, allocator, topic_name, ligament::pool::EndpointKind::writer, no_mangle,
                       publishers_info);
}
rmw_ret_t rmw_get_subscriptions_info_by_topic(const rmw_node_t* node,
                                              rcutils_allocator_t* allocator,
                                              const char* topic_name, bool no_mangle,
                                              rmw_topic_endpoint_info_array_t* subscriptions_info) {
  return ends_of_topic(node, allocator, topic_name, ligament::pool::EndpointKind::reader, no_mangle,
                       subscriptions_info);
}

}  // extern "C"
