#include "provider/login/import.hpp"

#include "base/bounded_json.hpp"
#include "base/hash.hpp"
#include "base/time_text.hpp"
#include "provider/claims.hpp"
#include "provider/credential.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_parts.hpp"
#include "provider/instants.hpp"
#include "provider/text_match.hpp"
#include "provider/vertex/private_key.hpp"
#include "provider/vertex/provider.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::provider::login {

namespace {

using nlohmann::ordered_json;
using std::chrono::seconds;

constexpr json_bounds file_bounds{.bytes_max = credential_text_bytes_max, .depth_max = 32};
constexpr double millis_from = 1e12;

std::string text_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::string written(const ordered_json& file) {
  return file.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::unexpected<error> unusable(std::string why) {
  return failed(errc::invalid_input, std::move(why));
}

/// The new text as the credential that it will be.
result<imported_file> checked(imported_file made) {
  const auto who = from_file(made.file.name, "/" + made.file.name, made.file.text, {});
  if (!who) return unusable(who.error().detail);
  made.of = who->provider;
  made.file.label = who->label;
  return made;
}

result<imported_file> from_codex(const ordered_json& file, instant now) {
  const auto tokens = file.find("tokens");
  if (tokens == file.end() || !tokens->is_object()) {
    return unusable("an API key, not an account: put it under api-keys.codex of the configuration");
  }
  fresh_tokens fresh{secret_string{text_in(*tokens, "access_token")},
                     secret_string{text_in(*tokens, "refresh_token")},
                     secret_string{text_in(*tokens, "id_token")},
                     {}};
  fresh.expires_at = claimed_end(token_claims(fresh.access_token.reveal()));
  auto made = account_file_of(kind::codex, fresh, {}, now, text_in(*tokens, "account_id"));
  if (!made) return std::unexpected{made.error()};
  auto own = ordered_json::parse(made->text);
  const auto since = file.find("last_refresh");
  if (since != file.end() && !since->is_null()) {
    const auto at = parse_rfc3339(text_in(file, "last_refresh"));
    if (!at) return unusable("`last_refresh` is no time");
    own["last_refresh"] = format_rfc3339(std::chrono::floor<seconds>(*at));
  }
  made->text = written(own);
  const bool named = own.contains("account_id") || own.contains("email");
  return checked({std::move(*made), file_origin::codex_program, kind::codex, named});
}

result<imported_file> from_claude(const ordered_json& login) {
  if (!login.is_object()) return unusable("`claudeAiOauth` must be an object");
  const secret_string access{text_in(login, "accessToken")};
  const secret_string refresh{text_in(login, "refreshToken")};
  if (access.empty()) return unusable("`claudeAiOauth` holds no access token");
  ordered_json own{
      {"type", "claude"}, {"access_token", access.reveal()}, {"refresh_token", refresh.reveal()}};
  const auto end = login.find("expiresAt");
  if (end != login.end() && !end->is_null()) {
    const auto stated = end->is_number() ? end->get<double>() : -1.0;
    const auto at = instant_at(stated > millis_from ? stated / 1000 : stated);
    if (!at) return unusable("`claudeAiOauth.expiresAt` is no time");
    own["expired"] = format_rfc3339(std::chrono::floor<seconds>(*at));
  }
  account_file made{"claude-account.json", written(own), {}};
  return checked({std::move(made), file_origin::claude_program, kind::claude, false});
}

result<ordered_json> object_of(std::string_view text) {
  auto whole = credential_json(text);
  if (whole) return whole;
  auto parsed = parse_bounded_ordered_json(text, file_bounds);
  if (!parsed && parsed.error().code == errc::limit_exceeded) {
    return std::unexpected{parsed.error()};
  }
  if (!parsed || !parsed->is_object()) return unusable("invalid json");
  return std::unexpected{whole.error()};
}

}  // namespace

result<account_file> vertex_file(std::string_view text, const vertex_choice& choice) {
  auto key = object_of(text);
  if (!key) return std::unexpected{key.error()};
  if (text_in(*key, "type") != "service_account") {
    return unusable("invalid service account: \"type\" is not \"service_account\"; give the JSON key "
                    "file as Google made it");
  }
  const auto prefix = clean_prefix(choice.prefix);
  if (prefix.empty() && !trimmed(choice.prefix).empty()) {
    return unusable("the prefix must not hold a slash");
  }
  const auto project = text_in(*key, "project_id");
  if (project.empty()) return unusable("project_id missing");
  if (const auto pem = vertex::restored_private_key(text_in(*key, "private_key"))) {
    (*key)["private_key"] = *pem;
  }
  ordered_json own{{"type", "vertex"}, {"project_id", project}};
  const auto email = text_in(*key, "client_email");
  if (!email.empty()) own["email"] = email;
  own["location"] =
      choice.location.empty() ? std::string{vertex::default_location} : choice.location;
  if (!prefix.empty()) own["prefix"] = prefix;
  own["service_account"] = std::move(*key);
  const auto middle = prefix.empty() ? std::string{} : name_part(prefix) + "-";
  account_file made{fmt::format("vertex-{}{}.json", middle, name_part(project)), written(own), {}};
  const auto who = from_file(made.name, "/" + made.name, made.text, {});
  if (!who) return unusable("invalid service account: " + who.error().detail);
  made.label = who->label;
  return made;
}

result<imported_file> import_account(std::string_view text, std::string_view name, instant now) {
  const auto file = object_of(text);
  if (!file) return std::unexpected{file.error()};
  if (text_in(*file, "type") == "service_account") {
    auto made = vertex_file(text, {});
    if (!made) return std::unexpected{made.error()};
    return imported_file{std::move(*made), file_origin::service_account, kind::vertex, true};
  }
  if (file->contains("claudeAiOauth")) return from_claude((*file)["claudeAiOauth"]);
  const bool codex = file->contains("tokens") || file->contains("OPENAI_API_KEY");
  if (codex && !file->contains("type")) return from_codex(*file, now);
  return checked(
      {{std::string{name}, std::string{text}, {}}, file_origin::own, kind::codex, false});
}

}  // namespace tidegate::provider::login
