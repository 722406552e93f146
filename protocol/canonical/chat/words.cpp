#include "protocol/canonical/chat/words.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "protocol/json_object.hpp"

namespace tidegate::protocol::chat {
namespace {

struct reason_name {
  std::string_view word;
  finish_reason reason;
};
constexpr std::array<reason_name, 11> reason_names{{
    {"stop", finish_reason::stop},
    {"eos", finish_reason::stop},
    {"end_turn", finish_reason::stop},
    {"stop_sequence", finish_reason::stop_sequence},
    {"length", finish_reason::length},
    {"max_tokens", finish_reason::length},
    {"tool_calls", finish_reason::tool_use},
    {"tool_use", finish_reason::tool_use},
    {"function_call", finish_reason::tool_use},
    {"content_filter", finish_reason::content_filter},
    {"refusal", finish_reason::refusal},
}};

void write_count(json_out& out, std::string_view key, std::optional<std::int64_t> count) {
  if (count) out.key(key).number(*count);
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return b > 0 && a > most - b ? most : a + b;
}

constexpr std::uint64_t fnv_prime = 0x100000001b3;

std::uint64_t hashed(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * fnv_prime;
  return (seed ^ 0xff) * fnv_prime;
}

}  // namespace

finish_reason reason_of(std::string_view word) {
  const auto found = std::ranges::find(reason_names, word, &reason_name::word);
  return found == reason_names.end() ? finish_reason::other : found->reason;
}

std::string_view word_of(finish_reason reason, bool told_refusal) {
  switch (reason) {
    case finish_reason::stop:
    case finish_reason::stop_sequence:
    case finish_reason::pause:
    case finish_reason::other:
      return "stop";
    case finish_reason::length:
    case finish_reason::context_exceeded:
      return "length";
    case finish_reason::tool_use:
      return "tool_calls";
    case finish_reason::content_filter:
      return "content_filter";
    case finish_reason::refusal:
      return told_refusal ? "stop" : "content_filter";
  }
  return "stop";
}

std::string_view function_word_of(finish_reason reason, bool told_refusal) {
  return reason == finish_reason::tool_use ? "function_call" : word_of(reason, told_refusal);
}

bool declares_functions(std::string_view request_body) {
  if (request_body.find("\"functions\"") == std::string_view::npos) return false;
  const auto layout = read_object(request_body, request_body.size());
  return layout && find_value(request_body, *layout, "functions") &&
         !find_value(request_body, *layout, "tools");
}

void write_usage(json_out& out, const usage& counts) {
  const std::int64_t input = counts.input_total.value_or(0);
  const std::int64_t output = counts.output_total.value_or(0);
  out.begin_object().key("prompt_tokens").number(input);
  out.key("completion_tokens").number(output).key("total_tokens").number(sum(input, output));
  if (counts.cache_read || counts.cache_write) {
    out.key("prompt_tokens_details").begin_object();
    write_count(out, "cached_tokens", counts.cache_read);
    write_count(out, "cached_creation_tokens", counts.cache_write);
    out.end_object();
  }
  if (counts.reasoning) {
    out.key("completion_tokens_details").begin_object();
    write_count(out, "reasoning_tokens", counts.reasoning);
    out.end_object();
  }
  out.end_object();
}

void merge(usage& into, const usage& from) {
  for (const auto field : {&usage::input_total, &usage::cache_read, &usage::cache_write,
                           &usage::output_total, &usage::reasoning}) {
    if (from.*field) into.*field = from.*field;
  }
}

std::string made_call_id(std::string_view response_id, std::size_t position,
                         std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t first = hashed(0xcbf29ce484222325, response_id);
  first = hashed(hashed(first, std::to_string(position)), name);
  const std::uint64_t second = hashed(first, name);
  std::string out = "call_";
  for (int shift = 60; shift >= 0; shift -= 4) out += digits[first >> shift & 0xF];
  for (int shift = 60; shift >= 32; shift -= 4) out += digits[second >> shift & 0xF];
  return out;
}

}  // namespace tidegate::protocol::chat
