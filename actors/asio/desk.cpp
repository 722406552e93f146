#include "actors/asio/desk.hpp"

#include <nlohmann/json.hpp>

#include "actors/asio/ask.hpp"
#include "provider/credential_rewrite.hpp"

namespace tidegate::actors {

using http::awaitable;

result<std::string> file_desk::directory() const {
  const auto now = parts_.published->read();
  if (!now) return failed(errc::unavailable, "the gateway is starting or stopping");
  return now->config->credentials.auth_dir;
}

awaitable<result<secret_string>> file_desk::read(std::string file) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  auto answer = co_await ask<held_answer>(system_, parts_.persistence, load_atom_v, *root, file);
  if (!answer) co_return std::unexpected{answer.error()};
  if (!answer->held) co_return std::unexpected{*answer->why};
  co_return answer->held->text;
}

awaitable<result<held_file_ptr>> file_desk::hold(std::string file) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  auto answer = co_await ask<held_answer>(system_, parts_.persistence, hold_atom_v, *root, file);
  if (!answer) co_return std::unexpected{answer.error()};
  if (!answer->held) co_return std::unexpected{*answer->why};
  co_return answer->held;
}

awaitable<result<void>> file_desk::in_force(result<write_answer> written) {
  if (!written) co_return std::unexpected{written.error()};
  if (*written) co_return std::unexpected{**written};
  const auto report = co_await ask<reload_view_ptr>(system_, parts_.config, reload_atom_v);
  if (!report) co_return std::unexpected{report.error()};
  co_return result<void>{};
}

awaitable<result<void>> file_desk::replace(held_file_ptr held, secret_ptr text) {
  auto written = co_await ask<write_answer>(system_, parts_.persistence, write_atom_v, held, text);
  // The lock ends before the directory is read again.
  held.reset();
  co_return co_await in_force(std::move(written));
}

awaitable<result<void>> file_desk::create(std::string file, secret_ptr text) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  auto written =
      co_await ask<write_answer>(system_, parts_.persistence, write_atom_v, *root, file, text);
  co_return co_await in_force(std::move(written));
}

awaitable<result<void>> file_desk::put(std::string file, secret_string text) {
  const auto now = parts_.published->read();
  if (!now) co_return failed(errc::unavailable, "the gateway is starting or stopping");
  const auto record = provider::from_file(file, file, text.reveal(), now->config->credentials);
  if (!record) co_return failed(errc::invalid_input, record.error().detail);
  const auto kept = std::make_shared<const secret_string>(std::move(text));
  auto held = co_await hold(file);
  if (held) co_return co_await replace(std::move(*held), kept);
  if (held.error().code != errc::not_found) co_return std::unexpected{held.error()};
  co_return co_await create(std::move(file), kept);
}

awaitable<result<void>> file_desk::change(std::string file, std::string patch) {
  const auto wanted = nlohmann::json::parse(patch, nullptr, false);
  if (!wanted.is_object()) co_return failed(errc::invalid_input, "not a JSON object");
  auto held = co_await hold(file);
  if (!held) co_return std::unexpected{held.error()};
  auto text = provider::with_fields((*held)->text.reveal(), wanted);
  if (!text) co_return std::unexpected{text.error()};
  const auto kept = std::make_shared<const secret_string>(std::move(*text));
  co_return co_await replace(std::move(*held), kept);
}

awaitable<result<void>> file_desk::remove(std::string file) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  auto gone = co_await ask<write_answer>(system_, parts_.persistence, remove_atom_v, *root, file);
  co_return co_await in_force(std::move(gone));
}

}  // namespace tidegate::actors
