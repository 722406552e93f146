#include "app/sim/meaning.hpp"

namespace tidegate::sim {

using protocol::wire;

namespace {

meaning of_status(int status) {
  switch (status) {
    case 400:
      return {400, "invalid_request_error", "", "The request is invalid.", ""};
    case 401:
      return {401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided.", ""};
    case 402:
      return {402, "billing_error", "", "Payment is required.", ""};
    case 403:
      return {403, "permission_error", "", "This account may not use the model.", ""};
    case 404:
      return {404, "invalid_request_error", "model_not_found", "The model does not exist.", ""};
    case 408:
      return {408, "timeout_error", "", "The request timed out.", ""};
    case 413:
      return {413, "invalid_request_error", "", "The request is too large.", ""};
    case 429:
      return {429, "requests", "rate_limit_exceeded", "Rate limit reached.", ""};
    case 503:
      return {503, "server_error", "", "The service is unavailable.", ""};
    case 529:
      return {529, "overloaded_error", "", "Overloaded", ""};
    default:
      break;
  }
  if (status >= 500) return {status, "server_error", "", "The server had an error.", ""};
  return {status, "invalid_request_error", "", "The request was refused.", ""};
}

meaning of_preset(preset kind, int status, wire form) {
  switch (kind) {
    case preset::none:
    case preset::bare:
      return of_status(status == 0 ? 429 : status);
    case preset::usage_limit:
      return {429, "usage_limit_reached", "", "The usage limit has been reached",
              "QUOTA_EXHAUSTED"};
    case preset::insufficient_quota:
      return {429, "insufficient_quota", "insufficient_quota",
              "You exceeded your current quota, please check your plan and billing details.",
              "QUOTA_EXHAUSTED"};
    case preset::rate_limit:
    case preset::google_rate:
      return {429, "requests", "rate_limit_exceeded", "Rate limit reached for requests.",
              "RATE_LIMIT_EXCEEDED"};
    case preset::claude_unified:
      return {429, "requests", "rate_limit_exceeded",
              "This request would exceed your account's rate limit.", ""};
    case preset::google_quota:
      return {429, "insufficient_quota", "insufficient_quota",
              "You have exhausted your capacity on this model.", "QUOTA_EXHAUSTED"};
    case preset::overloaded:
      return {form == wire::anthropic_messages ? 529 : 503, "server_error", "server_is_overloaded",
              form == wire::anthropic_messages ? "Overloaded" : "Our servers are overloaded.", ""};
    case preset::capacity:
      return {form == wire::openai_responses ? 429 : 503, "server_error", "",
              "Selected model is at capacity. Please try a different model.",
              "MODEL_CAPACITY_EXHAUSTED"};
    case preset::context_length:
      return {400, "invalid_request_error", "context_length_exceeded",
              "Your input exceeds the context window of this model.", ""};
  }
  return of_status(500);
}

}  // namespace

std::string_view anthropic_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 402:
      return "billing_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 504:
      return "timeout_error";
    case 529:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

std::string_view google_status(int status) {
  switch (status) {
    case 400:
      return "INVALID_ARGUMENT";
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 408:
    case 504:
      return "DEADLINE_EXCEEDED";
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 503:
      return "UNAVAILABLE";
    default:
      return status >= 500 ? "INTERNAL" : "FAILED_PRECONDITION";
  }
}

meaning meaning_of(const failure_spec& spec, wire form) {
  auto what = of_preset(spec.kind, spec.status, form);
  if (spec.status != 0) what.status = spec.status;
  if (!spec.message.empty()) what.message = spec.message;
  if (!spec.type.empty()) what.type = spec.type;
  if (!spec.code.empty()) what.code = spec.code;
  return what;
}

wire dialect_of(const failure_spec& spec, wire form) {
  switch (spec.kind) {
    case preset::usage_limit:
      return wire::openai_responses;
    case preset::insufficient_quota:
      return wire::openai_chat;
    case preset::claude_unified:
      return wire::anthropic_messages;
    case preset::google_quota:
    case preset::google_rate:
      return wire::gemini;
    case preset::none:
    case preset::bare:
    case preset::rate_limit:
    case preset::overloaded:
    case preset::capacity:
    case preset::context_length:
      break;
  }
  return form;
}

}  // namespace tidegate::sim
