#include "provider/credential_rewrite.hpp"

#include "base/time_text.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_fields.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double millis_from = 1e12;

std::int64_t unix_seconds(instant at) {
  return std::chrono::floor<seconds>(at.time_since_epoch()).count();
}

std::int64_t unix_millis(instant at) {
  return std::chrono::floor<milliseconds>(at.time_since_epoch()).count();
}

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string rfc3339(instant at) {
  return json_string(format_rfc3339(std::chrono::floor<seconds>(at)));
}

/// A time in the form of the value that it replaces.
std::string time_like(std::string_view before, instant at) {
  const auto number = json::parse(before, nullptr, false);
  if (!number.is_number()) return rfc3339(at);
  return std::to_string(number.get<double>() > millis_from ? unix_millis(at) : unix_seconds(at));
}

/// Sets a time in each spelling that is there; nullopt removes it. Whether there was one.
bool rewrite_time(object_text& in, std::string_view name, std::optional<instant> at) {
  if (!at) return remove_field(in, name);
  bool found = false;
  for (const auto& spelling : {std::string{name}, kebab_case(name)}) {
    const auto* here = in.find(spelling);
    if (here == nullptr) continue;
    in.set(spelling, time_like(here->raw, *at));
    found = true;
  }
  return found;
}

template <class Names>
bool rewrite_times(object_text& in, const Names& names, std::optional<instant> at) {
  bool found = false;
  for (const auto name : names) found = rewrite_time(in, name, at) || found;
  return found;
}

/// The same edit of the nested `token` object, where there is one.
template <class Edit>
void edit_token(credential_document& file, Edit edit) {
  auto nested = file.token();
  if (!nested) return;
  edit(*nested);
  file.put_token(*nested);
}

void rewrite_tokens(credential_document& file, const fresh_tokens& fresh) {
  const auto rewrite = [&](std::string_view name, const secret_string& token) {
    if (token.empty()) return;
    const std::string value = json_string(token.reveal());
    set_field(file.root(), name, value);
    edit_token(file, [&](object_text& nested) { replace_field(nested, name, value); });
  };
  rewrite("access_token", fresh.access_token);
  rewrite("refresh_token", fresh.refresh_token);
  rewrite("id_token", fresh.id_token);
}

void rewrite_end(credential_document& file, std::optional<instant> end) {
  bool found = rewrite_times(file.root(), expiry_names, end);
  edit_token(file, [&](object_text& nested) {
    found = rewrite_times(nested, expiry_names, end) || found;
  });
  if (!found && end) file.root().set("expired", rfc3339(*end));
}

void rewrite_lifetime(object_text& in, bool always, std::optional<instant> end, instant now) {
  if (!end) {
    remove_field(in, "expires_in");
    return;
  }
  const auto lifetime = std::to_string(std::chrono::floor<seconds>(*end - now).count());
  if (!replace_field(in, "expires_in", lifetime) && always) in.set("expires_in", lifetime);
}

void rewrite_last_refresh(object_text& in, bool with_timestamp, instant now) {
  bool found = false;
  for (const auto name : refresh_names) {
    if (name != "timestamp") found = rewrite_time(in, name, now) || found;
  }
  if (!found) in.set("last_refresh", rfc3339(now));
  if (!rewrite_time(in, "timestamp", now) && with_timestamp) {
    in.set("timestamp", std::to_string(unix_millis(now)));
  }
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
  edit_token(*file, [&](object_text& nested) {
    rewrite_lifetime(nested, false, fresh.expires_at, now);
  });
  rewrite_last_refresh(file->root(), counts_seconds, now);
  return file->text();
}

result<std::string> with_project(std::string_view file_text, std::string_view project_id) {
  auto file = credential_document::parse(file_text);
  if (!file) return std::unexpected{file.error()};
  set_field(file->root(), "project_id", json_string(project_id));
  return file->text();
}

}  // namespace tidegate::provider
