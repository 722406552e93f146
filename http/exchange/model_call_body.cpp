/// What goes out to a provider: the client's call as it is, without what only others can read, or
/// in the provider's words.

#include <fmt/format.h>

#include <atomic>

#include "http/exchange/model_call.hpp"
#include "http/server/body_decoder.hpp"
#include "http/server/client_keys.hpp"
#include "protocol/canonical/own_tokens.hpp"

namespace tidegate::http {
namespace {

/// Tells apart ids of answers that were begun at one instant.
std::atomic<std::uint32_t> answers_made{0};

}  // namespace

result<provider::upstream_request> model_call::build_request() {
  const auto query = translation_ ? std::string{translation_->query()} : without_keys(in_.query);
  const auto surface = translation_ ? translation_->surface() : surface_;
  const auto* body = &in_.body;
  const auto* head = &head_;
  if (translation_) {
    body = &translation_->body();
    head = &translation_->head();
  } else if (!own_body_.empty()) {
    body = &own_body_;
    head = &own_head_;
  }
  if (!in_.config->requests.payload.empty() && takes_payload_rules(surface)) {
    auto changed = apply_payload(*body, *head);
    if (!changed) return std::unexpected{changed.error()};
    payload_ = std::move(*changed);
    if (payload_) {
      body = &payload_->text;
      head = &payload_->head;
    }
  }
  return kind_->build_request({*who_, surface, upstream_model_, query, *body, *head, client_header_});
}

result<std::unique_ptr<payload_body>> model_call::apply_payload(
    const std::string& body, const protocol::envelope& head) const {
  protocol::payload_call call;
  call.upstream_model = upstream_model_;
  call.requested_model = model_;
  call.to = kind_->form;
  call.from = form_;
  call.header = client_header_;
  return payload_body_of(in_.config->requests.payload, call, body, head);
}

void model_call::use_own_tokens() {
  own_body_.clear();
  const auto* const store = head_.find("store");
  protocol::token_reader reader{caps_of(kind_->id).owner, provider::stores_nothing(*who_)};
  if (store != nullptr) reader.stateless |= in_.body.compare(store->value_offset, 5, "false") == 0;
  if (!protocol::may_hold_foreign_tokens(form_, reader, in_.body)) return;
  // What cannot be decoded is the provider's to judge.
  if (!decode_call()) return;
  auto body = protocol::with_own_tokens(*canonical_, form_, reader, in_.body, head_);
  body.reserve(body.size() + body_padding);
  own_body_ = std::move(body);
  auto head = protocol::read_envelope(own_body_);
  if (head) own_head_ = std::move(*head);
  else own_body_.clear();
}

result<void> model_call::decode_call() {
  if (canonical_) return {};
  auto call = protocol::codec_of(form_).decode_request(in_.body, model_);
  if (!call) return std::unexpected{call.error()};
  canonical_ = std::move(*call);
  const auto now = with_.plane.now();
  canonical_->stream = form_ == protocol::wire::gemini
                           ? surface_ == protocol::surface::gemini_stream_generate
                           : head_.stream;
  source_.client = form_;
  source_.call = &*canonical_;
  source_.stream = canonical_->stream;
  source_.answer.model = model_;
  source_.answer.stream_usage = canonical_->stream_usage;
  source_.answer.now = to_unix_ceil(now);
  source_.answer.id = fmt::format("{:016x}{:08x}", now.time_since_epoch().count(), ++answers_made);
  source_.answer.request_body = in_.body;
  return {};
}

}  // namespace tidegate::http
