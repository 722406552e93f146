#include "http/exchange/model_call.hpp"

#include <algorithm>

#include "base/address.hpp"
#include "base/log.hpp"
#include "http/exchange/provider_words.hpp"
#include "http/exchange/session_key.hpp"
#include "http/server/client_keys.hpp"
#include "protocol/canonical/failed_answer.hpp"
#include "provider/error_body.hpp"
#include "quota/block_set.hpp"

namespace tidegate::http {
namespace {

using protocol::failure;
using protocol::failure_kind;

std::uint32_t providers_for(protocol::surface surface) {
  std::uint32_t mask = 0;
  for (const auto& kind : provider::registry()) {
    if (provider::can_serve(kind, surface)) mask |= 1U << static_cast<unsigned>(kind.id);
  }
  return mask;
}

constexpr int proxy_login_wanted = 407;

std::string origin_of(std::string_view url) {
  const auto read = address::parse_url(url);
  if (!read) return {};
  return std::string(url.substr(0, url.size() - read->target.size()));
}

failure simple(failure_kind kind, std::string message) {
  failure what;
  what.kind = kind;
  what.message = std::move(message);
  return what;
}

}  // namespace

model_call::model_call(services& with, request& in, responder& out, session_context& session,
                       protocol::surface surface, std::string model_in_path)
    : with_(with),
      in_(in),
      out_(out),
      session_(session),
      surface_(surface),
      asked_surface_(protocol::served_as(surface)),
      form_(protocol::wire_of(surface)),
      body_form_(form_),
      model_(std::move(model_in_path)),
      client_header_([this](std::string_view name) { return in_.header(name); }) {}

awaitable<bool> model_call::refuse(failure what) {
  if (what.model.empty()) what.model = model_;
  auto reply = protocol::encode_failure(form_, what, with_.plane.now());
  co_return co_await out_.send(std::move(reply));
}

call_profile model_call::profile() const {
  call_profile wanted;
  wanted.model = model_;
  wanted.surface = surface_;
  wanted.providers = providers_for(surface_);
  wanted.config = in_.config;
  if (in_.config->routing.session_affinity) wanted.session = session_key(in_, head_);
  return wanted;
}

awaitable<void> model_call::run() {
  auto wrong = read_head();
  if (wrong) {
    auto what = std::move(*wrong);
    co_await refuse(std::move(what));
    co_return;
  }
  if (counts_here()) {
    co_await answer_estimate();
    co_return;
  }
  exchange_ = with_.plane.open(profile());
  out_.watch_client([this] { on_client_gone(); });
  co_await drive();
  out_.watch_client(nullptr);
}

awaitable<void> model_call::drive() {
  auto next = co_await exchange_->begin();
  while (next && next->who && !gone_) {
    const auto step = std::move(*next);
    const auto went = co_await attempt(step);
    call_.reset();
    if (went == progress::answered) co_return;
    if (gone_) break;
    auto how = std::move(*failure_);
    auto windows = std::exchange(windows_, std::nullopt);
    failure_.reset();
    next = co_await exchange_->failed(std::move(how), std::move(windows));
  }
  if (gone_) co_return;
  out_.watch_client(nullptr);
  if (next) {
    co_await answer_refusal(next->verdict);
    co_return;
  }
  const bool unknown = next.error().code == errc::not_found;
  auto what = unknown ? simple(failure_kind::model_not_found, {})
                      : simple(failure_kind::internal, next.error().detail);
  co_await refuse(std::move(what));
}

awaitable<void> model_call::answer_refusal(const quota::verdict& verdict) {
  if (lacks_counting(verdict)) {
    co_await answer_estimate();
    co_return;
  }
  if (auto unsupported = not_supported(verdict)) {
    auto what = std::move(*unsupported);
    co_await refuse(std::move(what));
    co_return;
  }
  auto answer = answer_of(form_, verdict, model_, last_, with_.plane.now());
  if (who_) provider::hide_secret(answer.body, *who_);  // escapes are undone by now
  co_await out_.send(std::move(answer));
}

void model_call::on_client_gone() {
  gone_ = true;
  if (call_) call_->cancel();
  if (exchange_) exchange_->cancel();
}

provider::attempt_view model_call::view() const {
  const auto& cooldown = in_.config->routing.cooldown;
  return provider::attempt_view{
      *who_,
      surface_,
      upstream_model_,
      started_,
      with_.plane.now(),
      1 + static_cast<int>(with_.plane.random() * 30.0),
      cooldown.codex_model_level,
      cooldown.claude_model_level,
      windows_ ? &*windows_ : nullptr};
}

awaitable<model_call::progress> model_call::attempt(const next_step& step) {
  who_ = step.who;
  kind_ = &provider::descriptor_of(who_->provider);
  upstream_model_ = quota::canonical_model(step.upstream_model);
  spoken_ = spoken_to(*who_, asked_surface_, upstream_model_);
  started_ = with_.plane.now();
  shape_ = make_shape();
  rename_.reset();
  if (!prepare(step.upstream_model)) co_return progress::failed;
  if (renames(step)) rename_.emplace(form_, model_);
  auto sent = build_request();
  if (!sent) co_return fail_request(sent.error());
  edit_ = std::move(sent->answer);
  auto went = co_await ask(*sent);
  if (went == progress::answered || !turn_to_other(*sent)) co_return went;
  auto first = std::exchange(failure_, std::nullopt);
  auto told = std::exchange(last_, std::nullopt);
  went = co_await ask(*sent);
  const bool unheard = went == progress::failed &&
                       (failure_->kind == quota::outcome_class::transport || last_->unasked) &&
                       first->status != 0;
  if (unheard) {
    failure_ = std::move(first);
    last_ = std::move(told);
  }
  co_return went;
}

awaitable<model_call::progress> model_call::ask(const provider::upstream_request& sent) {
  const auto& options = in_.config->requests;
  auto proxy = who_->proxy_url.empty() ? options.proxy_url : who_->proxy_url;
  call_ = with_.upstream.prepare(options, std::move(proxy), session_.timeouts, session_.on);
  if (was_full(sent)) co_return fail_unasked("no connection was free before");
  auto reply = co_await call_->send(sent);
  if (!reply && reply.error().code == errc::unavailable) {
    full_.push_back({origin_of(sent.url), who_});
    co_return fail_unasked(reply.error().detail);
  }
  if (!reply) co_return fail_transport(reply.error());
  auto& response = **reply;
  // Only a proxy asks for a login of its own: nothing that the client could give.
  if (response.status() == proxy_login_wanted) {
    co_return fail_transport({errc::io_failure, "the proxy rejects user name and password (407)"});
  }
  const auto went = co_await relay(response, sent);
  co_return went;
}

bool model_call::turn_to_other(provider::upstream_request& sent) {
  const auto is_local = kind_->odd.is_local;
  if (gone_ || sent.other_url.empty() || is_local == nullptr || !is_local(*failure_)) return false;
  sent.url = std::exchange(sent.other_url, {});
  call_.reset();
  return true;
}

bool model_call::others_may_take_it() const {
  const auto catalog = with_.plane.catalog();
  const auto route = catalog ? catalog->find(model_) : std::nullopt;
  if (!route) return false;
  const auto own = std::ranges::find_if(
      route->members, [this](const auto& one) { return one.credential->id == who_->id; });
  if (own == route->members.end()) return true;
  return std::ranges::any_of(route->members, [own](const auto& one) {
    return one.credential->provider != own->credential->provider ||
           one.credential->auth != own->credential->auth ||
           one.credential->base_url != own->credential->base_url ||
           one.upstream_models != own->upstream_models;
  });
}

model_call::progress model_call::fail_request(const error& why) {
  auto how = provider::lifecycle_end(why.detail, view());
  how.kind = quota::outcome_class::request_fault;
  if (others_may_take_it()) how.rule = quota::rule_action::next;
  upstream_error last;
  last.status = 400;
  last.body = why.detail;
  if (why.code == errc::not_found) {
    last.body = unknown_response_body(why.detail);
    last.content_type = "application/json";
  }
  fail(std::move(how), std::move(last));
  return progress::failed;
}

void model_call::fail(quota::outcome how, upstream_error last) {
  log::debug("attempt on {} for {} failed: {} {} {}", who_->id.value, model_,
             quota::to_string(how.kind), how.status, how.cause);
  last.sounds_final = how.exhausted && in_.config->routing.cooldown.mode ==
                                           quota::response_mode::usage_limit;
  failure_ = std::move(how);
  last_ = std::move(last);
}

void model_call::translate_error(upstream_error& last) const {
  if (!translation_ || !provider::error_body{last.body}.is_json()) return;
  // Google's clients know no "overloaded"; what they try again is "unavailable".
  if (form_ == protocol::wire::gemini && last.status == 529) last.status = 503;
  last.body = protocol::failure_body(form_, failure_said(last.status, last.body));
  last.content_type = "application/json";
}

model_call::progress model_call::fail_transport(const error& why) {
  upstream_error last;
  last.detail = why.detail;
  last.timed_out = why.code == errc::timed_out;
  fail(provider::transport_failure(why.detail, view()), std::move(last));
  return progress::failed;
}

model_call::progress model_call::fail_unasked(std::string why) {
  auto how = provider::lifecycle_end(why, view());
  how.kind = quota::outcome_class::cancelled;
  how.rule = quota::rule_action::next;
  upstream_error last;
  last.detail =
      "the gateway has as many connections to the provider as it may open; try again shortly";
  last.unasked = true;
  fail(std::move(how), std::move(last));
  return progress::failed;
}

bool model_call::was_full(const provider::upstream_request& sent) const {
  if (full_.empty()) return false;
  const auto origin = origin_of(sent.url);
  return std::ranges::any_of(full_, [&](const auto& one) {
    return one.origin == origin && one.who->proxy_url == who_->proxy_url;
  });
}

model_call::progress model_call::fail_empty() {
  auto how = provider::transport_failure("the provider ended its answer without a word", view());
  how.kind = quota::outcome_class::transient;
  upstream_error last;
  last.detail = how.cause;
  fail(std::move(how), std::move(last));
  return progress::failed;
}

model_call::progress model_call::fail_unfinished() {
  auto how = provider::lifecycle_end("stream disconnected before completion", view());
  how.kind = quota::outcome_class::request_fault;
  how.status = 408;
  upstream_error last;
  last.status = how.status;
  last.body = how.cause;
  fail(std::move(how), std::move(last));
  return progress::failed;
}

bool model_call::renames(const next_step& step) const {
  if (translation_) return false;
  return step.force_mapping || !protocol::split_suffix(model_).value.empty();
}

void model_call::settle_success() {
  quota::outcome how;
  how.kind = quota::outcome_class::success;
  how.status = 200;
  how.started_at = started_;
  how.observed_at = with_.plane.now();
  exchange_->finish(std::move(how), std::move(windows_));
}

}  // namespace tidegate::http
