/// What goes out to a provider: the client's call as it is, without what only others can read, or
/// in the provider's words.

#include "http/exchange/model_call.hpp"
#include "http/exchange/provider_words.hpp"
#include "http/server/body_decoder.hpp"
#include "http/server/client_keys.hpp"
#include "protocol/canonical/own_tokens.hpp"

namespace tidegate::http {

result<provider::upstream_request> model_call::build_request() {
  std::string query;
  auto surface = asked_;
  const auto* body = &in_.body;
  const auto* head = &head_;
  if (body_form_ == form_ && kind_->serves(asked_)) {
    query = without_keys(in_.query);
    use_own_tokens();
    if (!own_body_.empty()) {
      body = &own_body_;
      head = &own_head_;
    }
  } else {
    if (const auto translated = translate_call(); !translated) {
      return std::unexpected{translated.error()};
    }
    query = translation_->query();
    surface = translation_->surface();
    body = &translation_->body();
    head = &translation_->head();
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

result<void> model_call::translate_call() {
  if (body_form_ == protocol::wire::openai_responses) {
    if (const auto alone = check_stands_alone(in_.body, head_); !alone) return alone;
  }
  if (const auto decoded = decode_call(); !decoded) return decoded;
  translation_ = std::make_unique<translation>(source_, *kind_, upstream_model_);
  return {};
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

}  // namespace tidegate::http
