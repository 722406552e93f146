/// What the client asks: its envelope, the words its body is in, and what is answered without
/// asking a provider.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "http/exchange/model_call.hpp"
#include "http/exchange/stream_form.hpp"
#include "http/exchange/token_count.hpp"
#include "http/server/body_decoder.hpp"
#include "protocol/text_completion.hpp"
#include "protocol/upstream_error.hpp"
#include "provider/auto_model.hpp"

namespace tidegate::http {
namespace {

using protocol::failure;
using protocol::failure_kind;
using protocol::surface;
using protocol::wire;

/// Tells apart ids of answers that were begun at one instant.
std::atomic<std::uint32_t> answers_made{0};

failure invalid(std::string message) {
  failure what;
  what.kind = failure_kind::invalid_request;
  what.message = std::move(message);
  return what;
}

/// Some clients send Responses bodies to the Chat path.
bool is_responses_body(const protocol::envelope& head) {
  return head.find("messages") == nullptr &&
         (head.find("input") != nullptr || head.find("instructions") != nullptr);
}

}  // namespace

std::optional<failure> model_call::read_head() {
  if (auto wrong = read_again()) return wrong;
  if (surface_ == surface::completions) {
    if (auto wrong = adopt_completion()) return wrong;
  }
  if (surface_ == surface::chat_completions && is_responses_body(head_)) {
    body_form_ = wire::openai_responses;
  }
  if (surface_ == surface::responses_compact && head_.stream) {
    return invalid("Streaming not supported for compact responses");
  }
  if (model_.empty()) model_ = head_.model;
  if (model_.empty()) return invalid("the request names no model: set \"model\"");
  if (provider::is_auto(model_)) {
    if (const auto catalog = with_.plane.catalog()) {
      model_ = provider::chosen_model(*catalog, model_, surface_);
    }
  }
  const auto suffix = protocol::suffix_wish({}, model_);
  if (suffix) return std::nullopt;
  auto what = invalid(suffix.error().message);
  what.code = to_string(suffix.error().code);
  return what;
}

std::optional<failure> model_call::read_again() {
  auto head = protocol::read_envelope(in_.body);
  if (!head) return invalid(head.error().detail);
  head_ = std::move(*head);
  return std::nullopt;
}

std::optional<failure> model_call::adopt_completion() {
  auto chat = protocol::chat_call_of(in_.body, head_);
  if (!chat) return invalid(chat.error().detail);
  echo_ = std::move(chat->echo);
  chat->body.reserve(chat->body.size() + body_padding);
  in_.body = std::move(chat->body);
  return read_again();
}

std::unique_ptr<protocol::answer_shape> model_call::make_shape() const {
  if (surface_ == surface::completions) return protocol::make_text_completion(echo_);
  const bool bare = surface_ == surface::gemini_stream_generate && !wants_event_stream(in_.query);
  return bare ? protocol::make_event_array() : nullptr;
}

result<void> model_call::decode_call() {
  if (canonical_) return {};
  auto call = protocol::codec_of(body_form_).decode_request(in_.body, model_);
  if (!call) return std::unexpected{call.error()};
  canonical_ = std::move(*call);
  asked_ = canonical_->reasoning;
  const auto now = with_.plane.now();
  canonical_->stream =
      form_ == wire::gemini ? surface_ == surface::gemini_stream_generate : head_.stream;
  source_.client = form_;
  source_.call = &*canonical_;
  source_.stream = canonical_->stream;
  source_.answer.model = model_;
  source_.answer.stream_usage = canonical_->stream_usage;
  source_.answer.now = to_unix_ceil(now);
  source_.answer.id = fmt::format("{:016x}{:08x}", now.time_since_epoch().count(), ++answers_made);
  source_.answer.request_body = in_.body;
  source_.answer.codex_client = is_codex();
  return {};
}

bool model_call::is_codex() const {
  return protocol::is_codex_client(in_.header("User-Agent").value_or(""),
                                   in_.header("Originator").value_or(""));
}

std::optional<failure> model_call::not_supported(const quota::verdict& verdict) const {
  if (verdict.kind != quota::verdict_kind::auth_not_found || last_) return std::nullopt;
  const auto catalog = with_.plane.catalog();
  const auto route = catalog ? catalog->find(model_) : std::nullopt;
  if (!route || route->members.empty()) return std::nullopt;
  std::string names;
  for (const auto& kind : provider::registry()) {
    const bool serves_model = std::ranges::any_of(
        route->members, [&](const auto& member) { return member.credential->provider == kind.id; });
    if (!serves_model) continue;
    if (provider::can_serve(kind, surface_)) return std::nullopt;
    names.append(names.empty() ? "" : ", ").append(kind.name);
  }
  failure what;
  what.kind = failure_kind::not_supported;
  what.message = "/responses/compact not supported by " + names;
  return what;
}

bool model_call::counts_here() const {
  if (protocol::may_be_usage_limit(surface_)) return false;
  const auto catalog = with_.plane.catalog();
  const auto route = catalog ? catalog->find(model_) : std::nullopt;
  return route && !route->members.empty() && !counts_upstream(*route, surface_);
}

bool model_call::lacks_counting(const quota::verdict& verdict) const {
  if (protocol::may_be_usage_limit(surface_)) return false;
  if (last_) return last_->status == 404 || last_->status == 405 || last_->status == 501;
  return verdict.kind == quota::verdict_kind::auth_not_found;
}

awaitable<void> model_call::answer_estimate() {
  auto body = estimated_count(form_, in_.body, head_, model_);
  if (!body) {
    auto what = invalid(body.error().detail);
    co_await refuse(std::move(what));
    co_return;
  }
  protocol::reply answer;
  answer.status = 200;
  answer.headers.emplace_back("Content-Type", "application/json");
  answer.body = std::move(*body);
  co_await out_.send(std::move(answer));
}

}  // namespace tidegate::http
