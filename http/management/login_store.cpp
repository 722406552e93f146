#include "http/management/login_store.hpp"

#include "base/bounded_json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/management/endpoint.hpp"
#include "http/management/multipart.hpp"
#include "http/management/state.hpp"
#include "provider/login/account_text.hpp"
#include "provider/login/import.hpp"

namespace tidegate::http::management {
namespace {

struct key_upload {
  std::string key;
  provider::login::vertex_choice choice;
};

result<key_upload> uploaded_form(std::string_view type, const request& in) {
  const auto parts = form_parts(type, in.body);
  if (!parts) return std::unexpected{parts.error()};
  key_upload out;
  for (const auto& part : *parts) {
    if (part.name == "location") out.choice.location = trimmed(part.body);
    if (part.name == "prefix") out.choice.prefix = trimmed(part.body);
    if (part.name == "file" || !part.file_name.empty()) out.key = part.body;
  }
  if (out.key.empty()) return failed(errc::invalid_input, "file required");
  return out;
}

/// The key itself, or `{"service_account": KEY, "location", "prefix"}`.
result<key_upload> uploaded_json(const request& in) {
  const auto body = parse_bounded_json(in.body, {.bytes_max = upload_bytes_max, .depth_max = 16});
  if (in.body.empty()) return failed(errc::invalid_input, "file required");
  if (!body || !body->is_object()) return failed(errc::invalid_input, "invalid json");
  key_upload out;
  const auto inner = body->find("service_account");
  out.key = inner == body->end() ? in.body : inner->dump();
  for (const auto& [name, into] :
       {std::pair{"location", &out.choice.location}, {"prefix", &out.choice.prefix}}) {
    auto text = inner == body->end() ? query_value(in.query, name) : text_member(*body, name);
    if (!text) return std::unexpected{text.error()};
    *into = text->value_or("");
  }
  return out;
}

result<key_upload> uploaded_key(const request& in) {
  const auto type = in.header("Content-Type").value_or("");
  if (lower(type).starts_with("multipart/form-data")) return uploaded_form(type, in);
  return uploaded_json(in);
}

}  // namespace

awaitable<result<void>> store_account(services& with, provider::login::account_file made) {
  auto& desk = with.plane.desk();
  const auto present = co_await desk.read(made.name);
  if (!present && present.error().code != errc::not_found) {
    co_return std::unexpected{present.error()};
  }
  secret_string text{made.text};
  if (present) {
    auto over = provider::login::text_over(present->reveal(), made.text, with.plane.now());
    text = secret_string{std::move(over.text)};
  }
  co_return co_await desk.put(std::move(made.name), std::move(text));
}

awaitable<result<void>> end_login(services& with, login_end end) {
  auto& logins = with.management->logins;
  const auto still = co_await logins.status(end.state, with.plane.now());
  if (!still) co_return failed(errc::cancelled, "the login was cancelled");
  auto made = provider::login::account_file_of(end.with.of, end.tokens, end.with.device_id,
                                               with.plane.now());
  result<void> stored;
  if (made) {
    stored = co_await store_account(with, *made);
  } else {
    stored = std::unexpected{made.error()};
  }
  if (stored) log::info("management: {} logged in from {}", made->name, end.peer);
  auto trouble = stored ? std::string{} : "the account was not stored: " + stored.error().detail;
  co_await logins.finish(std::move(end.state), std::move(trouble), with.plane.now());
  co_return stored;
}

awaitable<protocol::reply> import_key(services& with, const request& in) {
  if (in.route.tail == "oauth/import") {
    const auto provider = query_value(in.query, "provider");
    if (!provider) co_return mistake(provider.error());
    if (provider->value_or("").empty()) co_return mistake(400, "provider is required");
    if (*provider != "vertex") co_return mistake(404, "provider_not_found");
  }
  const auto upload = uploaded_key(in);
  if (!upload) co_return mistake(upload.error());
  auto made = provider::login::vertex_file(upload->key, upload->choice);
  if (!made) co_return mistake(made.error());
  const auto stored = co_await store_account(with, *made);
  if (!stored) co_return mistake(stored.error());
  log::info("management: {} imported from {}", made->name, in.peer);
  const auto file = json::parse(made->text);
  ordered_json body{{"status", "ok"}, {"auth-file", made->name}};
  for (const char* name : {"project_id", "email", "location"}) body[name] = file.value(name, "");
  co_return json_reply(200, body);
}

}  // namespace tidegate::http::management
