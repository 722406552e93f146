#include "http/exchange/translation.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "http/client/url.hpp"
#include "http/server/body_decoder.hpp"

namespace tidegate::http {

using protocol::event;

namespace {

/// What decoders say of an answer that is none.
constexpr int bad_gateway = 502;

/// Whether the entry says what the model takes, and pictures are not in it.
bool refuses_images(const provider::credential& who, std::string_view model) {
  const auto entry = std::ranges::find_if(who.models, [model](const auto& one) {
    return equal_ignoring_case(one.name, model) && !one.input_modalities.empty();
  });
  return entry != who.models.end() &&
         std::ranges::find(entry->input_modalities, "image") == entry->input_modalities.end();
}

/// Its regions have hosts of their own below it.
bool is_openai_host(std::string_view base_url) {
  constexpr std::string_view host = "api.openai.com";
  const auto address = upstream::parse_url(base_url);
  if (!address || address->host.size() < host.size()) return false;
  const auto before = address->host.substr(0, address->host.size() - host.size());
  const bool whole = before.empty() || before.ends_with('.');
  return whole && equal_ignoring_case(address->host.substr(before.size()), host);
}

}  // namespace

provider::speech spoken_to(const provider::credential& who, protocol::surface surface,
                           std::string_view model) {
  auto spoken = provider::descriptor_of(who.provider).speaks(surface, model);
  const bool chat = who.provider == provider::kind::openai_compatibility;
  if (chat && is_openai_host(who.base_url)) spoken.owner = protocol::token_owner::gpt;
  spoken.images = !refuses_images(who, model);
  return spoken;
}

namespace {

/// The limit of a call that names none: a budget of thinking may need all that the model has.
std::int64_t default_output(std::int64_t usual, const protocol::canonical_request& call,
                            const protocol::thinking_target& model) {
  if (model.max_output == 0) return usual;
  const bool thinks_by_budget = call.reasoning.mode == protocol::reasoning_mode::budget;
  return thinks_by_budget ? model.max_output : std::min(usual, model.max_output);
}

}  // namespace

translation::translation(const translation_source& from, const provider::speech& to,
                         std::string_view provider_name, const protocol::thinking_target& model)
    : from_(from),
      form_(to.form),
      surface_(protocol::generation_surface(to.form, from.stream)) {
  protocol::target_caps caps;
  caps.owner = to.owner;
  caps.call_ids = to.call_ids;
  caps.images = to.images;
  caps.default_max_output = default_output(caps.default_max_output, *from_.call, model);
  auto made = protocol::codec_of(form_).encode_request(*from_.call, model.model, caps);
  for (const auto rule : from_.call->unsaid) log::debug("{} drops {}", provider_name, rule);
  for (const auto rule : made.lost) log::debug("{} drops {}", provider_name, rule);
  names_ = std::move(made.names);
  body_ = std::move(made.body);
  body_.reserve(body_.size() + body_padding);
  if (auto head = protocol::read_envelope(body_)) {
    head_ = std::move(*head);
  } else {
    spelled_ = std::unexpected{head.error()};
  }
  decoder_ = protocol::codec_of(form_).make_decoder(names_);
  encoder_ = protocol::codec_of(from_.client).make_encoder(from_.answer);
}

std::string_view translation::query() const {
  return surface_ == protocol::surface::gemini_stream_generate ? "alt=sse" : "";
}

result<void> translation::check(const std::vector<event>& events) {
  const bool objects = protocol::has_object_arguments(from_.client);
  for (const auto& one : events) {
    const auto* const failure = std::get_if<protocol::failed_event>(&one);
    if (failure != nullptr) {
      if (failure->status != 0 && failure->status != bad_gateway) told_ = *failure;
      return failed(errc::invalid_input, failure->message);
    }
    if (!objects) continue;
    if (auto wrong = calls_.check(one)) return failed(errc::invalid_input, std::move(*wrong));
  }
  return {};
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

std::string spell_stream(protocol::wire form, const std::string& body,
                         const protocol::answer_context& with) {
  const auto& codec = protocol::codec_of(form);
  const auto events = codec.decode_answer(body, {});
  if (!events) return {};
  const auto encoder = codec.make_encoder(with);
  std::string frames;
  for (const auto& one : *events) {
    if (std::holds_alternative<protocol::failed_event>(one)) return {};
    encoder->on(one, frames);
  }
  encoder->finish(frames);
  return frames;
}

}  // namespace tidegate::http
