#include "actors/asio/desk.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

#include "actors/asio/ask.hpp"
#include "persistence/store.hpp"
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
  if (!answer->held) co_return std::unexpected{without_root(*answer->why, *root)};
  co_return answer->held->text;
}

std::chrono::steady_clock::time_point file_desk::end_of_patience() const {
  return std::chrono::steady_clock::now() + parts_.waits.patience;
}

/// Again while somebody else holds the file, as long as it is worth waiting.
template <class Answer, class Try, class Why>
awaitable<result<Answer>> file_desk::patiently(Try attempt, Why why_of,
                                               std::chrono::steady_clock::time_point give_up) {
  http::asio::steady_timer pause{co_await http::asio::this_coro::executor};
  for (;;) {
    auto answer = co_await attempt();
    if (!answer) co_return answer;
    const std::optional<error>& why = why_of(*answer);
    if (!why || why->code != errc::unavailable) co_return answer;
    // The session may end while it waits; the signal comes once.
    const auto ended = co_await http::asio::this_coro::cancellation_state;
    const bool over = std::chrono::steady_clock::now() >= give_up;
    if (over || ended.cancelled() != http::asio::cancellation_type::none) co_return answer;
    pause.expires_after(parts_.waits.look);
    const auto [failure] = co_await pause.async_wait(http::no_throw);
    if (failure) co_return answer;
  }
}

error file_desk::told(error why, const std::string& file, const std::string& root) const {
  if (why.code != errc::unavailable) return without_root(std::move(why), root);
  why.detail = fmt::format(
      "{} is held by another program (a lock beside it, waited for {} s); nothing was changed: try "
      "again when that program has ended",
      file, std::chrono::ceil<std::chrono::seconds>(parts_.waits.patience).count());
  return why;
}

awaitable<result<held_file_ptr>> file_desk::hold(std::string file) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  const auto attempt = [&] {
    return ask<held_answer>(system_, parts_.persistence, hold_atom_v, *root, file);
  };
  const auto why_of = [](const held_answer& answer) -> const std::optional<error>& {
    return answer.why;
  };
  auto answer = co_await patiently<held_answer>(attempt, why_of, end_of_patience());
  if (!answer) co_return std::unexpected{answer.error()};
  if (!answer->held) co_return std::unexpected{told(*answer->why, file, *root)};
  co_return answer->held;
}

result<void> file_desk::written_end(const result<write_answer>& written,
                                    const std::string& file) const {
  if (!written) return std::unexpected{written.error()};
  if (!*written) return {};
  return std::unexpected{told(**written, file, directory().value_or(std::string{}))};
}

awaitable<result<void>> file_desk::read_again() {
  const auto report = co_await ask<reload_view_ptr>(system_, parts_.config, reload_atom_v);
  if (!report) co_return std::unexpected{report.error()};
  co_return result<void>{};
}

awaitable<result<void>> file_desk::in_force(result<write_answer> written, std::string file) {
  auto end = written_end(written, file);
  if (!end) co_return end;
  co_return co_await read_again();
}

awaitable<result<void>> file_desk::replace(held_file_ptr held, secret_ptr text) {
  auto written = co_await ask<write_answer>(system_, parts_.persistence, write_atom_v, held, text);
  auto file = held->file;
  // The lock ends before the directory is read again.
  held.reset();
  co_return co_await in_force(std::move(written), std::move(file));
}

awaitable<result<void>> file_desk::create(std::string file, secret_ptr text) {
  auto root = directory();
  if (!root) co_return std::unexpected{root.error()};
  auto written =
      co_await ask<write_answer>(system_, parts_.persistence, write_atom_v, *root, file, text);
  co_return co_await in_force(std::move(written), std::move(file));
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

awaitable<std::vector<result<void>>> file_desk::remove(std::vector<std::string> files) {
  std::vector<result<void>> ends;
  const auto root = directory();
  const auto give_up = end_of_patience();
  const auto why_of = [](const write_answer& answer) -> const std::optional<error>& {
    return answer;
  };
  bool changed = false;
  for (const auto& file : files) {
    if (!root) {
      ends.push_back(std::unexpected{root.error()});
      continue;
    }
    const auto attempt = [&] {
      return ask<write_answer>(system_, parts_.persistence, remove_atom_v, *root, file);
    };
    const auto gone = co_await patiently<write_answer>(attempt, why_of, give_up);
    ends.push_back(written_end(gone, file));
    changed |= ends.back().has_value();
  }
  if (!changed) co_return ends;
  const auto seen = co_await read_again();
  if (seen) co_return ends;
  for (auto& end : ends) {
    if (end) end = std::unexpected{seen.error()};
  }
  co_return ends;
}

std::string without_root(std::string text, const std::string& root) {
  if (root.empty()) return text;
  const auto directory = persistence::expand_home(root);
  const auto prefix = directory + "/";
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    text.erase(at, prefix.size());
  }
  for (auto at = text.find(directory); at != std::string::npos; at = text.find(directory, at)) {
    text.replace(at, directory.size(), "the credential directory");
  }
  return text;
}

error without_root(error why, const std::string& root) {
  why.detail = without_root(std::move(why.detail), root);
  return why;
}

}  // namespace tidegate::actors
