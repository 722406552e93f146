/// What goes out to a provider: the client's call as it is, without what only others can read, or
/// in the provider's words.

#include "base/log.hpp"
#include "http/exchange/model_call.hpp"
#include "http/exchange/provider_words.hpp"
#include "http/exchange/session_key.hpp"
#include "http/server/body_decoder.hpp"
#include "http/server/client_keys.hpp"
#include "protocol/canonical/own_tokens.hpp"
#include "protocol/omitted_images.hpp"
#include "protocol/thinking_body.hpp"
#include "protocol/token_estimate.hpp"

namespace tidegate::http {

bool model_call::prepare(std::string_view configured_model) {
  translation_.reset();
  own_body_.clear();
  edits_.clear();
  const auto suffix = protocol::suffix_wish(configured_model, model_);
  if (!suffix) return refuse_thinking(suffix.error());
  const bool own_words = body_form_ == form_ && provider::serves_natively(*kind_, asked_surface_, upstream_model_);
  return own_words ? prepare_body(*suffix) : prepare_translation(*suffix);
}

bool model_call::prepare_body(const std::optional<protocol::reasoning_wish>& suffix) {
  use_own_tokens();
  omit_result_images();
  const bool own = !own_body_.empty();
  const protocol::thinking_body body{form_, own ? own_body_ : in_.body, own ? own_head_ : head_};
  const bool asks = suffix || read_thinking(body, spoken_.thinking).mode !=
                                  protocol::reasoning_mode::unset;
  const bool mends = !suffix && spoken_.owner == protocol::token_owner::claude;
  if (mends && protocol::lacks_thinking_in_loop(body)) {
    log::debug("{} drops messages.thinking_in_loop", kind_->name);
    edits_ = {{"thinking", std::nullopt}};
    return true;
  }
  if (!asks || !protocol::generates(surface_)) return true;
  auto edits = fit_body(body, suffix, protocol::target_of(spoken_.thinking, upstream_model_));
  if (!edits) return refuse_thinking(edits.error());
  edits_ = std::move(*edits);
  if (!edits_.empty()) note_fit();
  return true;
}

bool model_call::prepare_translation(const std::optional<protocol::reasoning_wish>& suffix) {
  auto decoded = decode_foreign_call();
  if (decoded && spoken_.form != body_form_) decoded = check_is_whole(*canonical_);
  if (!decoded) {
    fail_request(decoded.error());
    return false;
  }
  const bool uncounted = source_.answer.input_estimate == 0;
  if (form_ == protocol::wire::anthropic_messages && source_.stream && uncounted) {
    source_.answer.input_estimate = protocol::estimate_tokens(*canonical_);
  }
  const auto target = protocol::target_of(spoken_.thinking, upstream_model_);
  const auto wish = suffix ? protocol::under_suffix(asked_, *suffix) : asked_;
  const auto fitted = protocol::fit_thinking(wish, body_form_, target);
  if (!fitted) return refuse_thinking(fitted.error());
  if (*fitted != asked_) note_fit();
  canonical_->reasoning = *fitted;
  translation_ = std::make_unique<translation>(source_, spoken_, kind_->name, target);
  const auto& spelled = translation_->spelled();
  if (!spelled) fail_request(spelled.error());
  return spelled.has_value();
}

void model_call::note_fit() const {
  log::debug("{}: thinking is told to {} on {} as it takes it", model_, upstream_model_,
             kind_->name);
}

bool model_call::refuse_thinking(const protocol::thinking_refusal& why) {
  fail_request({errc::invalid_input, why.message});
  last_->status = 0;
  last_->detail = why.message;
  last_->refused = to_string(why.code);
  return false;
}

result<provider::upstream_request> model_call::build_request() {
  const auto query = translation_ ? std::string{translation_->query()} : without_keys(in_.query);
  const auto surface = translation_ ? translation_->surface() : asked_surface_;
  const bool has_rules = !in_.config->requests.payload.empty() && takes_payload_rules(surface);
  if (has_rules) make_edits();
  const bool own = !own_body_.empty();
  const auto* body = translation_ ? &translation_->body() : own ? &own_body_ : &in_.body;
  const auto* head = translation_ ? &translation_->head() : own ? &own_head_ : &head_;
  if (has_rules) {
    auto changed = apply_payload(*body, *head);
    if (!changed) return std::unexpected{changed.error()};
    payload_ = std::move(*changed);
    if (payload_) {
      body = &payload_->text;
      head = &payload_->head;
    }
  }
  const auto* const call = translation_ ? &*canonical_ : nullptr;
  return kind_->build_request({*who_, surface, upstream_model_, query, *body, *head,
                               client_header_, edits_, call, started_, header_session(in_)});
}

void model_call::make_edits() {
  if (edits_.empty()) return;
  const bool own = !own_body_.empty();
  protocol::splice edits{own ? own_body_ : in_.body, own ? own_head_ : head_};
  for (const auto& one : edits_) edits.apply(one);
  adopt_own_body(edits.str());
  edits_.clear();
}

void model_call::adopt_own_body(std::string body) {
  body.reserve(body.size() + body_padding);
  own_body_ = std::move(body);
  auto head = protocol::read_envelope(own_body_);
  if (head) {
    own_head_ = std::move(*head);
  } else {
    own_body_.clear();
  }
}

result<void> model_call::decode_foreign_call() {
  if (body_form_ == protocol::wire::openai_responses) {
    if (const auto alone = check_stands_alone(in_.body, head_); !alone) return alone;
  }
  return decode_call();
}

result<std::unique_ptr<payload_body>> model_call::apply_payload(
    const std::string& body, const protocol::envelope& head) const {
  protocol::payload_call call;
  call.upstream_model = upstream_model_;
  call.requested_model = model_;
  call.to = spoken_.form;
  call.from = form_;
  call.header = client_header_;
  return payload_body_of(in_.config->requests.payload, call, body, head);
}

void model_call::use_own_tokens() {
  const auto* const store = head_.find("store");
  protocol::token_reader reader{spoken_.owner, provider::stores_nothing(*who_)};
  if (store != nullptr) reader.stateless |= in_.body.compare(store->value_offset, 5, "false") == 0;
  if (!protocol::may_hold_foreign_tokens(form_, reader, in_.body)) return;
  adopt_own_body(protocol::with_own_tokens(form_, reader, in_.body, head_));
}

void model_call::omit_result_images() {
  if (spoken_.images || form_ != protocol::wire::openai_chat) return;
  const bool own = !own_body_.empty();
  auto body = protocol::without_result_images(own ? own_body_ : in_.body, own ? own_head_ : head_);
  if (!body) return;
  log::debug("{} drops chat.images", kind_->name);
  adopt_own_body(std::move(*body));
}

}  // namespace tidegate::http
