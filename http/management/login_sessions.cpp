#include "http/management/login_sessions.hpp"

#include <boost/asio/co_spawn.hpp>
#include <map>

namespace tidegate::http {

namespace {

struct entry {
  login_session session;
  login_status status;
  instant forget_at{};
};

}  // namespace

struct login_sessions::core {
  explicit core(const asio::any_io_executor& executor) : on(asio::make_strand(executor)) {}

  /// Drops what has ended for good; what ran out of time counts as failed for a while.
  void sweep(instant now);
  entry* find(const std::string& state, instant now);
  static void end(entry& of, std::string trouble, instant now);

  static awaitable<result<void>> add(std::shared_ptr<core> self, std::string state,
                                     login_session session, instant now);
  static awaitable<std::optional<login_status>> status(std::shared_ptr<core> self,
                                                       std::string state, instant now);
  static awaitable<result<login_session>> take(std::shared_ptr<core> self, std::string state,
                                               login_way way, instant now);
  static awaitable<void> put_back(std::shared_ptr<core> self, std::string state,
                                  login_session session);
  static awaitable<void> finish(std::shared_ptr<core> self, std::string state, std::string trouble,
                                instant now);
  static awaitable<bool> cancel(std::shared_ptr<core> self, std::string state, instant now);

  asio::strand<asio::any_io_executor> on;
  std::map<std::string, entry> entries;
};

void login_sessions::core::end(entry& of, std::string trouble, instant now) {
  of.status.phase = trouble.empty() ? login_phase::done : login_phase::failed;
  of.status.error = std::move(trouble);
  of.session = {};
  of.forget_at = now + login_memory;
}

void login_sessions::core::sweep(instant now) {
  for (auto& [state, one] : entries) {
    if (one.status.phase == login_phase::waiting && now >= one.session.ends_at) {
      end(one, "nobody finished the login in time", now);
    }
  }
  std::erase_if(entries, [now](const auto& item) {
    const auto& one = item.second;
    return one.status.phase != login_phase::waiting && now >= one.forget_at;
  });
}

entry* login_sessions::core::find(const std::string& state, instant now) {
  sweep(now);
  const auto found = entries.find(state);
  return found == entries.end() ? nullptr : &found->second;
}

awaitable<result<void>> login_sessions::core::add(std::shared_ptr<core> self, std::string state,
                                                  login_session session, instant now) {
  self->sweep(now);
  if (self->entries.size() >= login_sessions_max) {
    co_return failed(errc::limit_exceeded, "too many logins at a time");
  }
  self->entries[std::move(state)].session = std::move(session);
  co_return result<void>{};
}

awaitable<std::optional<login_status>> login_sessions::core::status(std::shared_ptr<core> self,
                                                                    std::string state,
                                                                    instant now) {
  const auto* one = self->find(state, now);
  if (!one) co_return std::nullopt;
  co_return one->status;
}

awaitable<result<login_session>> login_sessions::core::take(std::shared_ptr<core> self,
                                                            std::string state, login_way way,
                                                            instant now) {
  auto* one = self->find(state, now);
  if (!one) co_return failed(errc::not_found, "unknown or expired state");
  const bool by_code = std::holds_alternative<login::code_login>(one->session.how);
  if (one->status.phase != login_phase::waiting || by_code != (way == login_way::code) ||
      now < one->session.next_ask) {
    co_return failed(errc::unavailable, "the login is not pending");
  }
  one->status.phase = login_phase::busy;
  one->forget_at = now + login_question;
  co_return one->session;
}

awaitable<void> login_sessions::core::put_back(std::shared_ptr<core> self, std::string state,
                                               login_session session) {
  const auto found = self->entries.find(state);
  if (found == self->entries.end() || found->second.status.phase != login_phase::busy) co_return;
  found->second.status.phase = login_phase::waiting;
  found->second.session = std::move(session);
}

awaitable<void> login_sessions::core::finish(std::shared_ptr<core> self, std::string state,
                                             std::string trouble, instant now) {
  const auto found = self->entries.find(state);
  if (found != self->entries.end()) end(found->second, std::move(trouble), now);
  co_return;
}

awaitable<bool> login_sessions::core::cancel(std::shared_ptr<core> self, std::string state,
                                             instant now) {
  const auto* one = self->find(state, now);
  if (!one) co_return false;
  const bool open =
      one->status.phase == login_phase::waiting || one->status.phase == login_phase::busy;
  if (open) self->entries.erase(state);
  co_return open;
}

login_sessions::login_sessions(const asio::any_io_executor& on)
    : core_(std::make_shared<core>(on)) {}

awaitable<result<void>> login_sessions::add(std::string state, login_session session, instant now) {
  auto work = core::add(core_, std::move(state), std::move(session), now);
  co_return co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

awaitable<std::optional<login_status>> login_sessions::status(std::string state, instant now) {
  auto work = core::status(core_, std::move(state), now);
  co_return co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

awaitable<result<login_session>> login_sessions::take(std::string state, login_way way,
                                                      instant now) {
  auto work = core::take(core_, std::move(state), way, now);
  co_return co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

awaitable<void> login_sessions::put_back(std::string state, login_session session) {
  auto work = core::put_back(core_, std::move(state), std::move(session));
  co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

awaitable<void> login_sessions::finish(std::string state, std::string trouble, instant now) {
  auto work = core::finish(core_, std::move(state), std::move(trouble), now);
  co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

awaitable<bool> login_sessions::cancel(std::string state, instant now) {
  auto work = core::cancel(core_, std::move(state), now);
  co_return co_await asio::co_spawn(core_->on, std::move(work), asio::use_awaitable);
}

}  // namespace tidegate::http
