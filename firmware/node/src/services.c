/* SPDX-License-Identifier: Apache-2.0 */
/* The services that an image's nodes offer: one request of each at a time. */
#include "parts.h"

static uint16_t number_of(const ligament_provider_t* provider) {
  return (uint16_t)(provider - provider->instance->providers);
}

/* Of its requests: behind the inputs. */
static uint16_t input_of(const ligament_provider_t* provider) {
  return (uint16_t)(provider->instance->type->input_count + number_of(provider));
}

/* Of its responses: behind the outputs. */
static uint16_t output_of(const ligament_provider_t* provider) {
  return (uint16_t)(provider->instance->type->output_count + number_of(provider));
}

static void lose_response(const ligament_provider_t* provider) {
  image_refuse(provider->instance, image_output_end(provider->instance, output_of(provider)));
}

/* A response that finds no room on the link waits; what is asked meanwhile is not answered. */
static void respond(ligament_provider_t* provider) {
  const int result =
      ligament_server_reply(&provider->server, &provider->id, provider->response, provider->size);
  if (result == LIGAMENT_ERROR_FULL) {
    return;
  }
  provider->size = 0;
  if (result < 0) {
    lose_response(provider);
  } else {
    ++provider->answered;
  }
}

static void serve(ligament_provider_t* provider, const ligament_request_id_t* id,
                  ligament_cdr_t* request) {
  ligament_instance_t* instance = provider->instance;
  const ligament_service_t* service = &instance->type->services[number_of(provider)];
  ligament_cdr_t response = ligament_cdr_over(provider->response, service->most);
  if (!service->serve(instance->node, request, &response)) {
    image_refuse(instance, input_of(provider));
    return;
  }
  image_record(instance, LIGAMENT_TRACE_PUBLISH, output_of(provider), provider->answered + 1u);
  provider->id = *id;
  provider->size = response.at;
  respond(provider);
}

static void on_request(void* context, const ligament_request_id_t* id, ligament_cdr_t* request) {
  ligament_provider_t* provider = context;
  image_record(provider->instance, LIGAMENT_TRACE_TAKE, input_of(provider), ++provider->taken);
  if (provider->size != 0) {
    lose_response(provider);
    return;
  }
  serve(provider, id, request);
  if (!request->has_failed) { /* the author's function was called */
    image_record(provider->instance, LIGAMENT_TRACE_END, 0, 0);
  }
}

int image_create_services(ligament_instance_t* instance) {
  int result = 0;
  for (uint16_t i = 0; i < instance->type->service_count && result >= 0; ++i) {
    const ligament_service_t* service = &instance->type->services[i];
    ligament_provider_t* provider = &instance->providers[i];
    const ligament_service_types_t types = {service->request, service->response};
    ligament_request_callback_t callback;
    callback.call = on_request;
    callback.context = provider;
    provider->instance = instance;
    provider->size = 0;
    result = ligament_server_create(&provider->server, &instance->entity, provider->name, types,
                                    callback);
  }
  return result;
}

int64_t image_work_services(ligament_instance_t* instance, int64_t now_us) {
  int64_t next_us = INT64_MAX;
  for (uint16_t i = 0; i < instance->type->service_count; ++i) {
    if (instance->providers[i].size != 0) {
      respond(&instance->providers[i]);
      next_us = now_us + 1000;
    }
  }
  return next_us;
}
