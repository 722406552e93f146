#include "app/credential_renewal.hpp"

#include <signal.h>

#include <chrono>
#include <thread>

#include "app/account_files.hpp"
#include "app/credential_list.hpp"
#include "app/same_login.hpp"
#include "http/client/fetch.hpp"
#include "provider/credential_rewrite.hpp"
#include "provider/token.hpp"

namespace tidegate::app {
namespace {

using provider::credential;
using provider::fresh_tokens;

result<provider::plain_reply> ask(const config::snapshot_ptr& settings, const credential& who,
                                  provider::upstream_request what) {
  http::fetch_job job;
  job.what = std::move(what);
  job.options = {settings, &settings->requests};
  job.proxy = who.proxy_url.empty() ? settings->requests.proxy_url : who.proxy_url;
  return http::fetch_alone(std::move(job));
}

result<fresh_tokens> ask_for_tokens(const config::snapshot_ptr& settings, const credential& who) {
  const auto* rules = provider::token_rules_of(who.provider);
  if (!rules || !provider::renewable(who)) {
    return failed(errc::invalid_input, "it has nothing to be renewed with; log in again");
  }
  auto request = rules->build(who, provider::oauth_client_of(settings->credentials, who.provider),
                              system_now());
  if (!request) return std::unexpected{request.error()};
  const auto reply = ask(settings, who, std::move(*request));
  if (!reply) return failed(errc::unavailable, "no answer: " + reply.error().detail);
  auto tokens =
      rules->read(reply->status, provider::headers_of(*reply), reply->body.reveal(), system_now());
  if (tokens) return std::move(*tokens);
  const bool final = tokens.error().kind == provider::refresh_fault::rejected;
  return failed(final ? errc::cancelled : errc::unavailable, tokens.error().reason);
}

/// The file's present text, when another program has given it new tokens meanwhile.
std::optional<renewed_file> renewed_by_others(const config::snapshot& settings,
                                              const std::string& name, const credential& before,
                                              const result<std::string>& text) {
  if (!text) return std::nullopt;
  const auto now = record_of(settings, name, *text);
  if (!now || now->secret == before.secret) return std::nullopt;
  renewed_file out;
  out.expires_at = now->expires_at;
  out.by_others = true;
  return out;
}

/// While it lives, what would end the program waits: a token that is being given out is not lost.
class signals_held {
 public:
  signals_held() {
    sigset_t those;
    sigemptyset(&those);
    for (const int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&those, one);
    pthread_sigmask(SIG_BLOCK, &those, &before_);
  }
  ~signals_held() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;

 private:
  sigset_t before_{};
};

/// Times that the new tokens are written again, and the pause between two: ten seconds.
constexpr int writes_max = 40;
constexpr std::chrono::milliseconds write_pause{250};

/// The file as it is by now, when it still has the login that the tokens are for.
result<std::string> text_to_write(const config::snapshot& settings, const std::string& name,
                                  const credential& who,
                                  persistence::credential_edit& edit) {
  auto text = edit.reread();
  if (!text) return text;
  const auto now = record_of(settings, name, *text);
  if (now && now->refresh_token == who.refresh_token) return text;
  if (!now) return std::unexpected{now.error()};
  return failed(errc::cancelled, "the file was given another login meanwhile; it stays");
}

result<void> write_once(const config::snapshot& settings, const std::string& name,
                        const credential& who, const fresh_tokens& fresh,
                        persistence::credential_edit& edit) {
  const auto present = text_to_write(settings, name, who, edit);
  if (!present) return std::unexpected{present.error()};
  auto text = provider::with_tokens(*present, fresh, system_now());
  if (!text) return std::unexpected{text.error()};
  return edit.replace(std::move(*text));
}

/// The file may lie in another folder by now.
result<void> write_elsewhere(const config::snapshot& settings, const credential& who,
                             const fresh_tokens& fresh) {
  const auto& root = settings.credentials.auth_dir;
  for (const auto& file : persistence::list_credential_files(persistence::expand_home(root)).files) {
    const auto now = record_of(settings, file.relative_path, file.text);
    if (!now || !(now->refresh_token == who.refresh_token)) continue;
    auto edit = edit_account(root, file.relative_path);
    if (!edit) return std::unexpected{edit.error()};
    return write_once(settings, file.relative_path, who, fresh, *edit);
  }
  return failed(errc::not_found, "no file has its login any more");
}

/// What was in the way may pass: nobody else has these tokens.
result<void> write_insistently(const config::snapshot& settings, const std::string& name,
                               const credential& who, const fresh_tokens& fresh,
                               persistence::credential_edit& edit) {
  auto done = write_once(settings, name, who, fresh, edit);
  for (int i = 0; !done && done.error().code != errc::cancelled && i < writes_max; ++i) {
    std::this_thread::sleep_for(write_pause);
    done = write_once(settings, name, who, fresh, edit);
  }
  if (!done && done.error().code == errc::not_found) {
    edit.let_go();
    done = write_elsewhere(settings, who, fresh);
  }
  if (done) return done;
  return failed(errc::io_failure, "the new tokens could not be written: " + done.error().detail);
}

/// With the file in hand. `asked_in_vain`: the provider gave nothing out, so nothing can be lost.
result<renewed_file> renew(const config::snapshot_ptr& settings, const std::string& name,
                           persistence::credential_edit& edit, bool& asked_in_vain) {
  renewed_file out;
  const auto who = record_of(*settings, name, edit.text());
  if (!who) return unusable_file(name, who.error());
  out.written = !who->signer;
  // Now, so that later one write is all that lies between new tokens and the disk.
  if (out.written) {
    if (auto kept = edit.keep(); !kept) return std::unexpected{kept.error()};
  }
  const signals_held no_end;
  asked_in_vain = true;
  const auto fresh = ask_for_tokens(settings, *who);
  if (!fresh) {
    const auto others = renewed_by_others(*settings, name, *who, edit.reread());
    if (fresh.error().code == errc::cancelled && others) return *others;
    return std::unexpected{fresh.error()};
  }
  asked_in_vain = false;
  out.expires_at = fresh->expires_at;
  if (!out.written) return out;
  const auto written = write_insistently(*settings, name, *who, *fresh, edit);
  if (!written) return std::unexpected{written.error()};
  return out;
}

/// Good tokens that were written between `before` and the lock.
std::optional<renewed_file> renewed_before_the_lock(const config::snapshot& settings,
                                                    const std::string& name,
                                                    const result<std::string>& before,
                                                    const std::string& text) {
  if (!before || *before == text) return std::nullopt;
  const auto who = record_of(settings, name, *before);
  if (!who) return std::nullopt;
  const auto others = renewed_by_others(settings, name, *who, text);
  const bool ended = others && others->expires_at && *others->expires_at <= system_now();
  return ended ? std::nullopt : others;
}

}  // namespace

result<renewed_file> renew_file(const config::snapshot_ptr& settings, const std::string& name) {
  const auto& root = settings->credentials.auth_dir;
  const same_logins logins{*settings, persistence::list_credential_files(persistence::expand_home(root))};
  if (const auto other = logins.beside(name); !other.empty()) {
    return failed(errc::invalid_input, "it has the same login as " + other +
                                           ", which would be void when this one is renewed; remove "
                                           "one of them first");
  }
  bool asked_in_vain = false;
  result<renewed_file> out;
  const auto before = persistence::credential_store{root}.read(name);
  {
    auto edit = edit_account(root, name);
    if (!edit) return std::unexpected{edit.error()};
    const auto others = renewed_before_the_lock(*settings, name, before, edit->text());
    if (others) return *others;
    out = renew(settings, name, *edit, asked_in_vain);
  }
  // Nothing was given out: the present text is the one that counts. Else a gateway lets the kept text
  // go when the new token has served.
  if (asked_in_vain) {
    static_cast<void>(persistence::credential_store{root}.confirm(name));
  }
  return out;
}

}  // namespace tidegate::app
