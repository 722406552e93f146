#include "provider/credential.hpp"

#include "base/bounded_json.hpp"
#include "provider/credential_fields.hpp"
#include "provider/credential_parts.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <unordered_set>

namespace tidegate::provider {

namespace {

using nlohmann::json;

constexpr json_bounds file_bounds{.bytes_max = 1024 * 1024, .depth_max = 32};
constexpr json_bounds claims_bounds{.bytes_max = 64 * 1024, .depth_max = 16};
constexpr std::size_t shown_type_bytes_max = 64;

std::optional<std::uint32_t> base64url_digit(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto at = digits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

/// base64url, padding allowed; nullopt on any other character.
std::optional<std::string> decode_base64url(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto digit = base64url_digit(c);
    if (!digit) return std::nullopt;
    bits = (bits << 6) | *digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xFFU));
    }
  }
  return out;
}

/// The provider's own claims of an id token, read without verifying: they only describe the
/// operator's own account. Null when there are none.
json openai_claims(std::string_view id_token) {
  const auto first = id_token.find('.');
  if (first == std::string_view::npos) return {};
  const auto second = id_token.find('.', first + 1);
  if (second == std::string_view::npos) return {};
  const auto payload = id_token.substr(first + 1, second - first - 1);
  if (payload.size() / 4 * 3 > claims_bounds.bytes_max) return {};
  const auto bytes = decode_base64url(payload);
  if (!bytes) return {};
  const auto claims = parse_bounded_json(*bytes, claims_bounds);
  if (!claims || !claims->is_object()) return {};
  return claims->value("https://api.openai.com/auth", json{});
}

std::string claim_text(const json& claims, const char* name) {
  if (!claims.is_object()) return {};
  const auto found = claims.find(name);
  return found != claims.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// The file's own aliases first; a channel-wide one only for a name that the file leaves alone.
std::vector<model_entry> with_channel_aliases(std::vector<model_entry> own, kind k,
                                              const credential_options& options) {
  std::unordered_set<std::string> taken;
  for (const auto& entry : own) taken.insert(lower(entry.alias));
  for (const auto& [channel, entry] : options.oauth_model_aliases) {
    if (channel == k && !taken.contains(lower(entry.alias))) own.push_back(entry);
  }
  return own;
}

void read_account(credential& made, credential_fields& fields) {
  made.label = fields.text("email");
  if (made.label.empty()) made.label = made.file;
  made.secret = secret_string{fields.text("access_token")};
  made.expires_at = fields.expiry();
  if (made.provider != kind::codex) return;
  const json claims = openai_claims(fields.text("id_token"));
  made.account_id = fields.text("account_id");
  if (made.account_id.empty()) made.account_id = claim_text(claims, "chatgpt_account_id");
  made.plan_type = fields.text("plan_type");
  if (made.plan_type.empty()) made.plan_type = claim_text(claims, "chatgpt_plan_type");
}

void read_settings(credential& made, credential_fields& fields, const credential_options& options) {
  const std::string url = fields.text("base_url");
  if (!url.empty() && !url.starts_with("https://") && !url.starts_with("http://")) {
    fields.report("`base_url` must begin with https:// or http://");
  }
  made.base_url = effective_base_url(url, made.provider);
  made.proxy_url = secret_string{fields.text("proxy_url")};
  made.prefix = clean_prefix(fields.text("prefix"));
  made.headers = fields.headers("headers");
  made.note = fields.text("note");
  made.disabled = fields.flag("disabled");
  made.status_disabled = lower(fields.text("status")) == "disabled";
  made.disable_cooling = fields.switch_of("disable_cooling");

  using int_limits = std::numeric_limits<int>;
  made.priority = static_cast<int>(
      fields.integer("priority", int_limits::min(), int_limits::max()).value_or(0));
  const auto weight =
      fields.integer("weight", std::numeric_limits<std::int64_t>::min(), weight_max).value_or(1);
  made.weight = std::max<std::int64_t>(weight, 0);
  const auto retry = fields.integer("request_retry", int_limits::min(), int_limits::max());
  if (retry && *retry >= 0) made.request_retry = static_cast<int>(*retry);

  made.excluded_models = clean_patterns(fields.texts("excluded_models"));
  for (const auto& [channel, pattern] : options.oauth_excluded_models) {
    if (channel == made.provider) made.excluded_models.push_back(lower(trimmed(pattern)));
  }
  made.models = with_channel_aliases(fields.aliases("model_aliases"), made.provider, options);
  made.error_rules = fields.rules("request_scoped_errors");
  for (const auto& [channel, rule] : options.oauth_error_rules) {
    if (channel == made.provider) made.error_rules.push_back(rule);
  }
}

std::unexpected<error> unserved(const std::string& type) {
  // Somebody else's file may hold anything; only a short plain word is worth repeating.
  const bool plain =
      type.size() <= shown_type_bytes_max &&
      std::all_of(type.begin(), type.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (type.empty()) return failed(errc::not_found, "no credential: it has no `type`");
  return failed(errc::not_found, fmt::format("credential type `{}` is not served by this build",
                                             plain ? type : std::string{"(unprintable)"}));
}

}  // namespace

result<credential> from_file(std::string_view relative_path, std::string_view absolute_path,
                             std::string_view text, const credential_options& options) {
  if (relative_path.empty()) return failed(errc::invalid_input, "a credential file needs a path");
  const auto document = parse_bounded_json(text, file_bounds);
  if (!document) return failed(errc::invalid_input, document.error().detail);
  if (!document->is_object()) return failed(errc::invalid_input, "not a JSON object");

  credential_fields fields{*document};
  const std::string type = lower(fields.text("type"));
  if (!fields.problem().empty()) return failed(errc::invalid_input, fields.problem());
  if (type != "codex" && type != "claude") return unserved(type);

  credential made;
  made.id.value = std::string{relative_path};
  made.file = made.id.value;
  made.source = std::string{absolute_path};
  made.provider = type == "codex" ? kind::codex : kind::claude;
  made.provider_name = type;
  made.auth = auth_kind::account;
  const std::filesystem::path path{absolute_path};
  made.auth_index = auth_index_of(type + ":" + path.lexically_normal().string());
  read_account(made, fields);
  read_settings(made, fields, options);
  if (made.secret.empty()) fields.report("`access_token` is missing");
  if (!fields.problem().empty()) return failed(errc::invalid_input, fields.problem());
  return made;
}

}  // namespace tidegate::provider
