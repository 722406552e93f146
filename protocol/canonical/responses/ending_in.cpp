#include <array>
#include <nlohmann/json.hpp>

#include "protocol/canonical/error_words.hpp"
#include "protocol/canonical/responses/answer_in.hpp"
#include "protocol/canonical/responses/answer_items.hpp"

namespace tidegate::protocol::responses {
namespace {

using nlohmann::json;

struct reason_word {
  std::string_view word;
  finish_reason reason;
};
/// `stop_reason`, which some backends add in the words of Messages.
constexpr std::array stop_words{
    reason_word{"end_turn", finish_reason::stop},
    reason_word{"stop", finish_reason::stop},
    reason_word{"stop_sequence", finish_reason::stop_sequence},
    reason_word{"max_tokens", finish_reason::length},
    reason_word{"tool_use", finish_reason::tool_use},
    reason_word{"refusal", finish_reason::refusal},
    reason_word{"pause_turn", finish_reason::pause},
    reason_word{"model_context_window_exceeded", finish_reason::context_exceeded}};

int status_of(const json& event, const json& error, const failed_event& what) {
  for (const char* const key : {"status", "status_code"}) {
    for (const json* const from : {&error, &event}) {
      const auto stated = integer_of(*from, key, 0);
      if (stated >= 400 && stated < 600) return static_cast<int>(stated);
    }
  }
  return status_of_words(what.type, what.code);
}

finish_event incomplete_of(const json& response) {
  finish_event out;
  out.native = text_of(member_of(response, "incomplete_details"), "reason");
  if (out.native == "max_output_tokens" || out.native == "max_tokens") {
    out.reason = finish_reason::length;
  } else if (out.native == "content_filter") {
    out.reason = finish_reason::content_filter;
  } else {
    out.reason = finish_reason::other;
  }
  if (out.native.empty()) out.native = "incomplete";
  return out;
}

std::optional<std::int64_t> count_of(const json& from, const char* key) {
  const auto found = integer_of(from, key, -1);
  return found < 0 ? std::nullopt : std::optional{found};
}

}  // namespace

finish_event finish_of(const json& response, bool called, bool refused) {
  if (text_of(response, "status") == "incomplete") return incomplete_of(response);
  finish_event out;
  out.native = text_of(response, "stop_reason");
  out.stop_sequence = text_of(response, "stop_sequence");
  for (const auto& one : stop_words) {
    if (one.word == out.native) out.reason = one.reason;
  }
  if (out.native.empty() && refused) out.reason = finish_reason::refusal;
  if (out.reason == finish_reason::stop && !out.stop_sequence.empty()) {
    out.reason = finish_reason::stop_sequence;
  }
  const bool cut =
      out.reason == finish_reason::length || out.reason == finish_reason::context_exceeded;
  if (called && !cut) out.reason = finish_reason::tool_use;
  if (!called && out.reason == finish_reason::tool_use) out.reason = finish_reason::stop;
  if (out.native.empty()) out.native = "completed";
  return out;
}

usage usage_of(const json& response) {
  const json& counts = member_of(response, "usage");
  const json& input = member_of(counts, "input_tokens_details");
  usage out;
  out.input_total = count_of(counts, "input_tokens");
  out.cache_read = count_of(input, "cached_tokens");
  out.cache_write = count_of(input, "cache_write_tokens");
  out.output_total = count_of(counts, "output_tokens");
  out.reasoning = count_of(member_of(counts, "output_tokens_details"), "reasoning_tokens");
  return out;
}

failed_event failure_of(const json& event) {
  const json& inner = member_of(member_of(event, "response"), "error");
  const json& nested = inner.is_object() ? inner : member_of(event, "error");
  const json& error = nested.is_object() ? nested : event;
  failed_event out;
  out.type = &error == &event ? std::string{} : text_of(error, "type");
  out.code = text_of(error, "code");
  out.message = text_of(error, "message");
  if (out.message.empty() && nested.is_string()) out.message = nested.get<std::string>();
  if (out.message.empty()) out.message = "the provider failed";
  out.status = status_of(event, error, out);
  return out;
}

failed_event broken_stream(std::string message) {
  return {502, "server_error", "", std::move(message)};
}

}  // namespace tidegate::protocol::responses
