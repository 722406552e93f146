#include "provider/kimi/provider.hpp"

#include "protocol/json_edit.hpp"
#include "protocol/json_text.hpp"
#include "provider/chat_request.hpp"
#include "provider/kimi/history.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"
#include "provider/user_agent.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::kimi {
namespace {

using protocol::surface;

constexpr std::string_view coding_host = "https://api.kimi.com";
constexpr std::string_view messages_version = "2023-06-01";

/// The coding service has names of its own for the models.
bool is_coding_service(std::string_view base_url) {
  const auto base = lower(base_url);
  return base.starts_with(coding_host) &&
         (base.size() == coding_host.size() || base[coding_host.size()] == '/' ||
          base[coding_host.size()] == ':');
}

std::string name_there(std::string_view model) {
  constexpr std::string_view family = "kimi-";
  constexpr std::string_view long_context = "[1m]";
  constexpr std::string_view coding = "k2.7-code";
  auto name = lower(model);
  if (name.ends_with(long_context)) name.resize(name.size() - long_context.size());
  if (!name.starts_with(family) || name.starts_with("kimi-for-")) return name;
  name.erase(0, family.size());
  if (!name.starts_with(coding)) return name;
  return "kimi-for-coding" + name.substr(coding.size());
}

bool is_edited(const request_input& in, std::string_view key) {
  return std::ranges::any_of(in.edits, [key](const auto& one) { return one.key == key; });
}

/// Chat's word for the effort, which Kimi spells as an object.
void spell_thinking(protocol::splice& edits, const request_input& in) {
  const auto effort = raw_member(in, "reasoning_effort");
  if (effort.empty() || is_edited(in, "thinking") || is_edited(in, "reasoning_effort")) return;
  edits.remove("reasoning_effort");
  const auto word = protocol::inside_of(effort);
  if (word.empty() || !raw_member(in, "thinking").empty()) return;
  protocol::object_writer thinking;
  thinking.text("type", word == "none" ? "disabled" : "enabled");
  if (word != "none" && word != "auto") thinking.raw("effort", effort);
  edits.set("thinking", thinking.str());
}

upstream_request ask_chat(const request_input& in, protocol::splice& edits) {
  auto request = chat_request(in, join_url(in.who.base_url, "v1", "chat/completions"), edits);
  spell_thinking(edits, in);
  if (auto history = mended_history(raw_member(in, "messages"))) {
    edits.set("messages", std::move(*history));
  }
  return request;
}

upstream_request ask_messages(const request_input& in, protocol::splice& edits) {
  upstream_request request;
  request.url = join_url(in.who.base_url, "v1", "messages");
  request.streams = in.head.stream;
  edits.remove("betas");
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  set_header(request, "anthropic-version", std::string{messages_version});
  forward_headers(request, in, {"anthropic-version"});
  set_bearer(request, in.who);
  return request;
}

/// Who calls, in Kimi's own headers: this program, on the device that the login was made for.
void introduce(upstream_request& request, const credential& who) {
  if (who.auth != auth_kind::account) return;
  set_header(request, "X-Msh-Platform", std::string{program});
  set_header(request, "X-Msh-Version", std::string{program_version});
  if (!who.device_id.empty()) set_header(request, "X-Msh-Device-Id", who.device_id);
}

}  // namespace

speech speaks(surface s, std::string_view) {
  constexpr auto owner = protocol::token_owner::kimi;
  if (s == surface::messages) {
    return {protocol::wire::anthropic_messages, protocol::thinking_dialect::claude, owner};
  }
  return {protocol::wire::openai_chat, protocol::thinking_dialect::kimi, owner};
}

bool serves(surface s) {
  return s == surface::chat_completions || s == surface::messages;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "kimi does not speak this request's protocol");
  }
  auto edits = begin_edits(in);
  auto request = in.surface == surface::messages ? ask_messages(in, edits) : ask_chat(in, edits);
  const bool renamed = is_coding_service(in.who.base_url);
  set_model(edits, in, renamed ? name_there(in.upstream_model) : std::string{in.upstream_model});
  take_body(request, in, edits);
  introduce(request, in.who);
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 5> names{"kimi-k2-thinking", "kimi-k2.5",
                                                         "kimi-k2.6", "kimi-k2.7-code", "kimi-k3"};
  return names;
}

bool is_family(std::string_view model) {
  return lower(model).starts_with("kimi-");
}

}  // namespace tidegate::provider::kimi
