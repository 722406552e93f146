#include "provider/codex/body.hpp"

#include "provider/codex/items.hpp"
#include "provider/codex/renames.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace tidegate::provider::codex {
namespace {

using nlohmann::json;

constexpr std::string_view encrypted_reasoning = "reasoning.encrypted_content";
constexpr std::size_t small_member_bytes_max = 4096;

constexpr std::string_view backend_path = "/backend-api/codex";
constexpr std::string_view backend_host = "https://chatgpt.com";

/// previous_response_id is here for its null; with a value the request is refused.
constexpr std::array<std::string_view, 13> refused_members{"previous_response_id",
                                                           "generate",
                                                           "prompt_cache_retention",
                                                           "safety_identifier",
                                                           "max_output_tokens",
                                                           "max_completion_tokens",
                                                           "temperature",
                                                           "top_p",
                                                           "truncation",
                                                           "prompt_cache_options",
                                                           "context_management",
                                                           "user",
                                                           "stream_options"};

json read_small(std::string_view raw) {
  if (raw.empty() || raw.size() > small_member_bytes_max) return nullptr;
  json value = json::parse(raw.begin(), raw.end(), nullptr, false);
  return value.is_discarded() ? json{} : value;
}

/// Adds the item in place, so that what the client wrote keeps its bytes.
void include_encrypted_reasoning(protocol::splice& edits, const request_input& in) {
  const auto raw = raw_member(in, "include");
  const auto item = protocol::json_quote(encrypted_reasoning);
  if (raw.empty() || raw == "null") {
    edits.set("include", '[' + item + ']');
    return;
  }
  const json list = read_small(raw);
  if (!list.is_array()) return;
  for (const json& one : list) {
    if (one == encrypted_reasoning) return;
  }
  const auto kept = std::string{raw.substr(0, raw.size() - 1)};
  edits.set("include", kept + (list.empty() ? "" : ",") + item + ']');
}

void keep_reasoning_delivery(protocol::splice& edits, const request_input& in) {
  const json options = read_small(raw_member(in, "stream_options"));
  if (!in.head.stream || !options.is_object()) return;
  const auto delivery = options.find("reasoning_summary_delivery");
  if (delivery == options.end() || !delivery->is_string()) return;
  edits.set("stream_options", "{\"reasoning_summary_delivery\":" +
                                  protocol::json_quote(delivery->get_ref<const std::string&>()) +
                                  '}');
}

bool has_tools(const request_input& in) {
  const auto raw = raw_member(in, "tools");
  return raw.find('{') != std::string_view::npos;
}

/// The backend takes a list of items where the API also takes a text.
void list_input(protocol::splice& edits, const request_input& in) {
  const auto raw = raw_member(in, "input");
  if (!raw.starts_with('"')) return;
  std::string list = R"([{"type":"message","role":"user","content":[{"type":"input_text","text":)";
  edits.set("input", list.append(raw).append("}]}]"));
}

void edit_shared(protocol::splice& edits, const request_input& in) {
  set_model(edits, in);
  list_input(edits, in);
  if (auto items = mended_items(raw_member(in, "input"))) edits.set("input", std::move(*items));
  for (const auto key : refused_members) edits.remove(key);
  if (raw_member(in, "service_tier") != "\"priority\"") edits.remove("service_tier");
  if (!has_tools(in)) edits.remove("parallel_tool_calls");
  const auto instructions = raw_member(in, "instructions");
  if (instructions.empty() || instructions == "null") edits.set("instructions", "\"\"");
  rename_legacy_words(edits, in);
}

}  // namespace

bool is_chatgpt_backend(const credential& who) {
  const auto base = lower(who.base_url);
  const bool own_host = base.starts_with(backend_host) &&
                        (base.size() == backend_host.size() || base[backend_host.size()] == '/' ||
                         base[backend_host.size()] == ':');
  return who.auth == auth_kind::account || own_host || base.ends_with(backend_path);
}

void edit_responses(protocol::splice& edits, const request_input& in) {
  edit_shared(edits, in);
  keep_reasoning_delivery(edits, in);
  if (raw_member(in, "stream") != "true") edits.set("stream", "true");
  if (raw_member(in, "store") != "false") edits.set("store", "false");
  include_encrypted_reasoning(edits, in);
}

void edit_compact(protocol::splice& edits, const request_input& in) {
  edit_shared(edits, in);
  for (const std::string_view key : {"stream", "store", "include"}) edits.remove(key);
}

}  // namespace tidegate::provider::codex
