#include "provider/credential_rewrite.hpp"

#include "base/time_text.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_fields.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double millis_from = 1e12;

std::int64_t unix_seconds(instant at) {
  return std::chrono::floor<seconds>(at.time_since_epoch()).count();
}

std::int64_t unix_millis(instant at) {
  return std::chrono::floor<milliseconds>(at.time_since_epoch()).count();
}

/// A time in the form of the value that it replaces.
ordered_json time_like(const ordered_json& before, instant at) {
  if (before.is_number()) {
    return before.get<double>() > millis_from ? unix_millis(at) : unix_seconds(at);
  }
  return format_rfc3339(std::chrono::floor<seconds>(at));
}

/// Sets a time in each spelling that is there; nullopt removes it. Whether there was one.
bool rewrite_time(ordered_json& in, std::string_view name, std::optional<instant> at) {
  if (!at) return remove_field(in, name);
  bool found = false;
  for (const auto& spelling : {std::string{name}, kebab_case(name)}) {
    const auto here = in.find(spelling);
    if (here == in.end()) continue;
    *here = time_like(*here, *at);
    found = true;
  }
  return found;
}

template <class Names>
bool rewrite_times(ordered_json& in, const Names& names, std::optional<instant> at) {
  bool found = false;
  for (const auto name : names) found = rewrite_time(in, name, at) || found;
  return found;
}

void rewrite_tokens(credential_document& file, const fresh_tokens& fresh) {
  const auto rewrite = [&](std::string_view name, const secret_string& token) {
    if (token.empty()) return;
    const ordered_json value = token.reveal();
    set_field(file.root(), name, value);
    if (auto* nested = file.token()) replace_field(*nested, name, value);
  };
  rewrite("access_token", fresh.access_token);
  rewrite("refresh_token", fresh.refresh_token);
  rewrite("id_token", fresh.id_token);
}

void rewrite_end(credential_document& file, std::optional<instant> end) {
  bool found = rewrite_times(file.root(), expiry_names, end);
  if (auto* nested = file.token()) found = rewrite_times(*nested, expiry_names, end) || found;
  if (!found && end) file.root()["expired"] = time_like(nullptr, *end);
}

void rewrite_lifetime(ordered_json& in, bool always, std::optional<instant> end, instant now) {
  if (!end) {
    remove_field(in, "expires_in");
    return;
  }
  const ordered_json lifetime = std::chrono::floor<seconds>(*end - now).count();
  if (!replace_field(in, "expires_in", lifetime) && always) in["expires_in"] = lifetime;
}

void rewrite_last_refresh(ordered_json& in, bool with_timestamp, instant now) {
  bool found = false;
  for (const auto name : refresh_names) {
    if (name != "timestamp") found = rewrite_time(in, name, now) || found;
  }
  if (!found) in["last_refresh"] = time_like(nullptr, now);
  if (!rewrite_time(in, "timestamp", now) && with_timestamp) in["timestamp"] = unix_millis(now);
}

}  // namespace

result<std::string> with_tokens(std::string_view file_text, const fresh_tokens& fresh,
                                instant now) {
  if (fresh.access_token.empty()) return failed(errc::invalid_input, "no access token");
  auto file = credential_document::parse(file_text);
  if (!file) return std::unexpected{file.error()};
  const bool counts_seconds = file->type() == "antigravity";
  rewrite_tokens(*file, fresh);
  rewrite_end(*file, fresh.expires_at);
  rewrite_lifetime(file->root(), counts_seconds, fresh.expires_at, now);
  if (auto* nested = file->token()) rewrite_lifetime(*nested, false, fresh.expires_at, now);
  rewrite_last_refresh(file->root(), counts_seconds, now);
  return file->text();
}

result<std::string> with_project(std::string_view file_text, std::string_view project_id) {
  auto file = credential_document::parse(file_text);
  if (!file) return std::unexpected{file.error()};
  set_field(file->root(), "project_id", project_id);
  return file->text();
}

}  // namespace tidegate::provider
