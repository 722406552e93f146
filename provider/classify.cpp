#include "provider/classify.hpp"

#include "provider/cause.hpp"
#include "provider/refusal_texts.hpp"
#include "provider/text_match.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider {
namespace {

using quota::outcome_class;

constexpr std::array<std::string_view, 9> fault_codes{"cyber_policy",
                                                      "context_length_exceeded",
                                                      "message_too_big",
                                                      "string_above_max_length",
                                                      "invalid_prompt",
                                                      "invalid_value",
                                                      "unsupported_value",
                                                      "invalid_request_error",
                                                      "previous_response_not_found"};

constexpr std::array<std::string_view, 4> fault_types{"invalid_request", "invalid_request_error",
                                                      "bad_request_error", "invalid_prompt"};

/// OpenAI's words for what has the status 429.
constexpr std::array<std::string_view, 2> quota_words{"insufficient_quota", "rate_limit_exceeded"};

template <std::size_t N>
bool names_one(const error_body& body, const char* key,
               const std::array<std::string_view, N>& words) {
  for (const auto* place : body.places()) {
    const auto word = string_of(place, key);
    const bool found = std::any_of(words.begin(), words.end(), [&](std::string_view known) {
      return equal_ignoring_case(word, known);
    });
    if (found) return true;
  }
  return false;
}

bool is_request_fault(int status, const error_body& body) {
  // A refused login says nothing about the request, whatever type its body carries.
  if (status == 401 || status == 402 || status == 429) return false;
  if (names_one(body, "code", fault_codes) || names_one(body, "type", fault_types)) return true;
  return misses_unstored_item(status, body) || status == 400 || status == 409 || status == 413 ||
         status == 422;
}

outcome_class class_of(int status, const error_body& body, const header_lookup& header) {
  if (refuses_model(status, body)) return outcome_class::model_not_supported;
  if (is_challenge(status, body, header)) return outcome_class::cloudflare_challenge;
  if (reports_dead_grant(status, body)) return outcome_class::invalid_grant;
  if (is_request_fault(status, body)) return outcome_class::request_fault;
  return class_of_status(status);
}

bool stops_compact(int status) {
  constexpr std::array stops{400, 404, 405, 409, 413, 422, 501};
  return std::find(stops.begin(), stops.end(), status) != stops.end();
}

/// Classes that a compact call charges like any other call.
bool charged_on_compact(const quota::outcome& what) {
  switch (what.kind) {
    case outcome_class::quota:
    case outcome_class::unauthorized:
    case outcome_class::payment_required:
    case outcome_class::invalid_grant:
    case outcome_class::cloudflare_challenge:
      return true;
    case outcome_class::success:
    case outcome_class::model_not_supported:
    case outcome_class::not_found:
    case outcome_class::transient:
    case outcome_class::transport:
    case outcome_class::lifecycle:
    case outcome_class::request_fault:
    case outcome_class::cancelled:
      return what.covers == quota::scope::credential;
  }
  return true;
}

}  // namespace

outcome_class class_of_status(int status) {
  switch (status) {
    case 401:
      return outcome_class::unauthorized;
    case 402:
    case 403:
      return outcome_class::payment_required;
    case 404:
      return outcome_class::not_found;
    case 429:
      return outcome_class::quota;
    default:
      return outcome_class::transient;
  }
}

quota::outcome classify_shared(int status, const error_body& body, const header_lookup& header,
                               const attempt_view& attempt) {
  quota::outcome out;
  out.kind = class_of(status, body, header);
  out.status = status;
  out.cause = cause_of(status, body, attempt.who);
  out.started_at = attempt.started_at;
  out.observed_at = attempt.observed_at;
  const bool login = out.kind == outcome_class::unauthorized ||
                     out.kind == outcome_class::invalid_grant ||
                     (out.kind == outcome_class::payment_required && status == 402);
  if (login) out.covers = quota::scope::credential;
  return out;
}

void apply_surface_rules(quota::outcome& what, protocol::surface surface) {
  switch (surface) {
    case protocol::surface::responses_compact:
      if (charged_on_compact(what) || what.kind == outcome_class::request_fault) return;
      if (stops_compact(what.status)) {
        what.kind = outcome_class::request_fault;
        what.deadline.reset();
      } else {
        what.rule = quota::rule_action::next;
      }
      return;
    case protocol::surface::count_tokens:
    case protocol::surface::gemini_count_tokens:
      if (what.kind == outcome_class::not_found) what.rule = quota::rule_action::next;
      return;
    case protocol::surface::responses:
    case protocol::surface::chat_completions:
    case protocol::surface::completions:
    case protocol::surface::messages:
    case protocol::surface::gemini_generate:
    case protocol::surface::gemini_stream_generate:
      return;
  }
}

std::optional<int> stated_status(const error_body& body) {
  const auto all = body.places();
  for (const std::size_t at : {1U, 0U, 2U}) {
    for (const char* key : {"status", "status_code"}) {
      const auto value = whole_number_of(all.at(at), key);
      if (value && *value >= 400 && *value <= 599) return static_cast<int>(*value);
    }
  }
  return std::nullopt;
}

quota::outcome conclude_frame(conclusion conclude, const protocol::sse_frame& frame,
                              const header_lookup& header, const attempt_view& attempt) {
  const error_body body{frame.data};
  auto status = stated_status(body);
  if (!status) {
    // Google, and some who speak like OpenAI, put the HTTP status where OpenAI has a word; these
    // may have no `error` around it.
    const auto code = whole_number_of(body.error() ? body.error() : &body.root(), "code");
    if (code && *code >= 400 && *code <= 599) status = static_cast<int>(*code);
  }
  if (!status && (names_one(body, "code", quota_words) || names_one(body, "type", quota_words))) {
    status = 429;
  }
  return conclude(status.value_or(502), body, header, attempt);
}

std::optional<quota::window_report> no_windows(const header_lookup&, instant) {
  return std::nullopt;
}

std::optional<quota::window_report> no_frame_windows(const protocol::sse_frame&, instant) {
  return std::nullopt;
}

}  // namespace tidegate::provider
