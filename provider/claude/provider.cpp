#include "provider/claude/provider.hpp"

#include "provider/claude/search_tools.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tidegate::provider::claude {
namespace {

using nlohmann::json;

constexpr std::string_view own_host = "https://api.anthropic.com";
constexpr std::string_view account_token_mark = "sk-ant-oat";
constexpr std::string_view account_beta = "oauth-2025-04-20";
constexpr std::string_view default_version = "2023-06-01";
constexpr std::size_t betas_bytes_max = 4096;
constexpr std::size_t betas_max = 64;

bool is_account_token(const credential& who) {
  return who.auth == auth_kind::account ||
         who.secret.reveal().find(account_token_mark) != std::string_view::npos;
}

bool is_own_host(std::string_view base) {
  const auto text = lower(base);
  return text.starts_with(own_host) &&
         (text.size() == own_host.size() || text[own_host.size()] == '/' ||
          text[own_host.size()] == ':');
}

/// Feature names in the order of their first mention, each once.
class beta_list {
 public:
  void add(std::string_view name) {
    name = trimmed(name);
    const bool known = std::find(names_.begin(), names_.end(), name) != names_.end();
    if (!name.empty() && !known && names_.size() < betas_max) names_.emplace_back(name);
  }
  void add_header(std::string_view value) {
    while (!value.empty()) {
      const auto comma = value.find(',');
      add(value.substr(0, comma));
      value = comma == std::string_view::npos ? std::string_view{} : value.substr(comma + 1);
    }
  }
  std::string joined() const {
    std::string out;
    for (const auto& name : names_) out += (out.empty() ? "" : ",") + name;
    return out;
  }

 private:
  std::vector<std::string> names_;
};

/// SDKs write `betas` into the body, where the wire has a header.
void lift_betas(protocol::splice& edits, const request_input& in, beta_list& betas) {
  const auto raw = raw_member(in, "betas");
  if (raw.empty() || raw.size() > betas_bytes_max) return;
  const json list = json::parse(raw.begin(), raw.end(), nullptr, false);
  if (!list.is_array()) return;
  const bool all_text =
      std::all_of(list.begin(), list.end(), [](const json& one) { return one.is_string(); });
  if (!all_text) return;
  for (const json& one : list) betas.add(one.get_ref<const std::string&>());
  edits.remove("betas");
}

void set_credential(upstream_request& request, const request_input& in, beta_list& betas) {
  if (is_account_token(in.who)) {
    set_bearer(request, in.who);
    betas.add(account_beta);
  } else if (!is_own_host(in.who.base_url)) {
    set_bearer(request, in.who);
  } else if (!in.who.secret.empty()) {
    set_header(request, "x-api-key", std::string{in.who.secret.reveal()}, true);
  }
}

}  // namespace

speech speaks(protocol::surface, std::string_view) {
  return {protocol::wire::anthropic_messages, protocol::thinking_dialect::claude,
          protocol::token_owner::claude};
}

bool serves(protocol::surface s) {
  return s == protocol::surface::messages || s == protocol::surface::count_tokens;
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface)) {
    return failed(errc::invalid_input, "claude does not speak this request's protocol");
  }
  const bool counts = in.surface == protocol::surface::count_tokens;
  upstream_request request;
  request.url = join_url(in.who.base_url, "v1", counts ? "messages/count_tokens" : "messages");
  request.url += "?beta=true";
  request.streams = !counts && in.head.stream;
  auto edits = begin_edits(in);
  beta_list betas;
  if (const auto sent = in.client_header("anthropic-beta")) betas.add_header(*sent);
  lift_betas(edits, in, betas);
  if (auto tools = without_empty_domains(raw_member(in, "tools"))) {
    edits.set("tools", std::move(*tools));
  }
  set_model(edits, in);
  take_body(request, in, edits);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  set_header(request, "anthropic-version", std::string{default_version});
  forward_headers(request, in, {"anthropic-version"});
  set_credential(request, in, betas);
  if (auto names = betas.joined(); !names.empty()) {
    set_header(request, "anthropic-beta", std::move(names));
  }
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  static constexpr std::array<std::string_view, 5> names{"claude-haiku-4-5", "claude-opus-4-5",
                                                         "claude-opus-4-6", "claude-sonnet-4-5",
                                                         "claude-sonnet-4-6"};
  return names;
}

bool is_family(std::string_view model) {
  return lower(model).starts_with("claude-");
}

}  // namespace tidegate::provider::claude
