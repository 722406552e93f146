#include "protocol/canonical/messages/answer_words.hpp"

#include <algorithm>
#include <utility>

namespace tidegate::protocol::messages {
namespace {

constexpr std::pair<std::string_view, finish_reason> reasons[] = {
    {"end_turn", finish_reason::stop},
    {"stop_sequence", finish_reason::stop_sequence},
    {"max_tokens", finish_reason::length},
    {"tool_use", finish_reason::tool_use},
    {"refusal", finish_reason::refusal},
    {"sensitive", finish_reason::content_filter},
    {"pause_turn", finish_reason::pause},
    {"model_context_window_exceeded", finish_reason::context_exceeded},
};

constexpr std::pair<std::string_view, int> error_types[] = {
    {"invalid_request_error", 400}, {"authentication_error", 401}, {"billing_error", 402},
    {"permission_error", 403},      {"not_found_error", 404},      {"request_too_large", 413},
    {"rate_limit_error", 429},      {"api_error", 500},            {"timeout_error", 504},
    {"overloaded_error", 529},
};

finish_reason with_calls(finish_reason reason, std::size_t calls) {
  if (reason == finish_reason::tool_use && calls == 0) return finish_reason::stop;
  const bool plain_end = reason == finish_reason::stop || reason == finish_reason::other;
  return plain_end && calls > 0 ? finish_reason::tool_use : reason;
}

}  // namespace

finish_reason reason_of(std::string_view stop_reason, std::size_t calls) {
  for (const auto& [word, reason] : reasons) {
    if (word == stop_reason) return with_calls(reason, calls);
  }
  return with_calls(stop_reason.empty() ? finish_reason::stop : finish_reason::other, calls);
}

std::string_view stop_reason_of(const finish_event& finish, std::size_t calls) {
  switch (with_calls(finish.reason, calls)) {
    case finish_reason::stop: return finish.stop_sequence.empty() ? "end_turn" : "stop_sequence";
    case finish_reason::stop_sequence: return "stop_sequence";
    case finish_reason::length: return "max_tokens";
    case finish_reason::tool_use: return "tool_use";
    case finish_reason::content_filter:
    case finish_reason::refusal: return "refusal";
    case finish_reason::pause: return "pause_turn";
    case finish_reason::context_exceeded: return "model_context_window_exceeded";
    case finish_reason::other: return "end_turn";
  }
  return "end_turn";
}

int status_of_error(std::string_view type) {
  for (const auto& [word, status] : error_types) {
    if (word == type) return status;
  }
  return 0;
}

void merge(usage& into, const usage& later) {
  const auto take = [](std::optional<std::int64_t>& to, const std::optional<std::int64_t>& from) {
    if (from) to = from;
  };
  take(into.input_total, later.input_total);
  take(into.cache_read, later.cache_read);
  take(into.cache_write, later.cache_write);
  take(into.output_total, later.output_total);
  take(into.reasoning, later.reasoning);
}

void write_usage(json_out& out, const usage& counts, bool whole) {
  out.begin_object();
  if (counts.input_total || whole) {
    const std::int64_t cached = counts.cache_read.value_or(0) + counts.cache_write.value_or(0);
    const std::int64_t fresh = counts.input_total.value_or(0) - cached;
    out.key("input_tokens").number(std::max<std::int64_t>(0, fresh));
  }
  if (counts.cache_write) out.key("cache_creation_input_tokens").number(*counts.cache_write);
  if (counts.cache_read) out.key("cache_read_input_tokens").number(*counts.cache_read);
  out.key("output_tokens").number(counts.output_total.value_or(0));
  if (counts.reasoning) out.key("thinking_tokens").number(*counts.reasoning);
  out.end_object();
}

}  // namespace tidegate::protocol::messages
