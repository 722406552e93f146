#include "http/exchange/translation.hpp"

#include "base/log.hpp"
#include "http/server/body_decoder.hpp"

namespace tidegate::http {

using protocol::event;

protocol::target_caps caps_of(provider::kind kind) {
  protocol::target_caps caps;
  switch (kind) {
    case provider::kind::codex: caps.owner = protocol::token_owner::gpt; break;
    case provider::kind::claude: caps.owner = protocol::token_owner::claude; break;
    case provider::kind::gemini: caps.owner = protocol::token_owner::gemini; break;
    case provider::kind::openai_compatibility: break;
  }
  return caps;
}

namespace {

/// Decoders say by an event that the answer cannot be trusted.
result<void> check(const std::vector<event>& events) {
  for (const auto& one : events) {
    const auto* const failure = std::get_if<protocol::failed_event>(&one);
    if (failure != nullptr) return failed(errc::invalid_input, failure->message);
  }
  return {};
}

}  // namespace

translation::translation(const translation_source& from, const provider::descriptor& to,
                         std::string_view upstream_model)
    : from_(from),
      form_(to.form),
      surface_(protocol::generation_surface(to.form, from.stream)) {
  auto made = protocol::codec_of(form_).encode_request(*from_.call, upstream_model, caps_of(to.id));
  for (const auto rule : made.lost) log::debug("{} drops {}", to.name, rule);
  names_ = std::move(made.names);
  body_ = std::move(made.body);
  body_.reserve(body_.size() + body_padding);
  // Our own words: an envelope that cannot be read is a fault of the encoder.
  auto head = protocol::read_envelope(body_);
  TG_ASSERT(head.has_value());
  head_ = std::move(*head);
  decoder_ = protocol::codec_of(form_).make_decoder(names_);
  encoder_ = protocol::codec_of(from_.client).make_encoder(from_.answer);
}

std::string_view translation::query() const {
  return surface_ == protocol::surface::gemini_stream_generate ? "alt=sse" : "";
}

void translation::spell(const std::vector<event>& events, std::string& into) {
  for (const auto& one : events) encoder_->on(one, into);
}

result<void> translation::feed(const protocol::sse_frame& frame, std::string& into) {
  events_.clear();
  decoder_->feed(frame, events_);
  const auto sound = check(events_);
  if (sound) spell(events_, into);
  return sound;
}

result<void> translation::finish(std::string& into) {
  events_.clear();
  decoder_->finish(events_);
  const auto whole = check(events_);
  if (!whole) return whole;
  spell(events_, into);
  encoder_->finish(into);
  return {};
}

void translation::fail(const protocol::failed_event& what, std::string& into) {
  encoder_->on(what, into);
}

void translation::collect(const protocol::sse_frame& frame) { decoder_->feed(frame, events_); }

result<std::string> translation::spell_whole(const std::vector<event>& events) {
  if (const auto sound = check(events); !sound) return std::unexpected{sound.error()};
  if (!from_.stream) return protocol::codec_of(from_.client).encode_answer(events, from_.answer);
  std::string frames;
  spell(events, frames);
  encoder_->finish(frames);
  return frames;
}

result<std::string> translation::collected() {
  decoder_->finish(events_);
  return spell_whole(events_);
}

result<std::string> translation::whole(const std::string& body) {
  auto events = protocol::codec_of(form_).decode_answer(body, names_);
  if (!events) return std::unexpected{events.error()};
  return spell_whole(*events);
}

}  // namespace tidegate::http
