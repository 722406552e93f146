/// What becomes of an upstream reply: relayed whole, as a stream, folded, or a failed attempt.

#include "http/exchange/model_call.hpp"
#include "base/text.hpp"
#include "http/exchange/reply_checks.hpp"
#include "http/exchange/stream_relay.hpp"
#include "http/exchange/upstream_headers.hpp"
#include "http/server/body_decoder.hpp"
#include "protocol/canonical/failed_answer.hpp"
#include "provider/error_body.hpp"

namespace tidegate::http {
namespace {

/// What a compressed error body may grow to.
constexpr std::size_t decoded_error_bytes_max = 1024 * 1024;

bool is_encoded(const upstream_response& reply) {
  const auto coding = reply.header("Content-Encoding");
  return coding && *coding != "identity";
}

/// Takes the Content-Encoding off; false when the body is not in it.
bool undo_coding(const upstream_response& reply, std::string& body, std::size_t bytes_max) {
  if (!is_encoded(reply)) return true;
  return decode_body(body, *reply.header("Content-Encoding"), bytes_max).has_value();
}

provider::header_lookup lookup_in(const upstream_response& reply) {
  return [&reply](std::string_view name) { return reply.header(name); };
}

/// Whether a frame holds some of the answer.
bool says_something(protocol::wire form, const protocol::sse_frame& frame,
                    protocol::frame_role role) {
  const bool may = role == protocol::frame_role::content || role == protocol::frame_role::end;
  return may && protocol::carries_output(form, frame);
}

/// A failure event of Responses as the body of an error reply; the events of the other protocols
/// are one already.
std::string reply_of_event(std::string_view event) {
  using nlohmann::json;
  const provider::error_body read{event};
  if (!read.is_json()) return std::string{event};
  json error = read.error() != nullptr ? *read.error() : json::object();
  if (error.empty()) {
    for (const char* key : {"code", "message", "param"}) {
      error[key] = read.root().value(key, json{});
    }
  }
  return json{{"error", std::move(error)}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

awaitable<model_call::progress> model_call::relay(upstream_response& reply,
                                                  const provider::upstream_request& sent) {
  const auto headers = lookup_in(reply);
  windows_ = kind_->windows(headers, with_.plane.now());
  if (reply.status() < 200 || reply.status() > 299) {
    co_return co_await relay_error_reply(reply);
  }
  const auto type = reply.header("Content-Type").value_or("");
  const bool events = !type.starts_with("application/json");
  if (events && (sent.fold || sent.streams) && is_encoded(reply)) {
    const error why{errc::invalid_input, "the provider compressed a stream that was asked for plain"};
    co_return fail_transport(why);
  }
  if (translation_ && events && (sent.fold || sent.streams) && !source_.stream) {
    co_return co_await relay_collected(reply);
  }
  if (sent.fold && events) co_return co_await relay_folded(reply);
  if (sent.streams && events) co_return co_await relay_stream(reply);
  co_return co_await relay_whole(reply);
}

awaitable<model_call::progress> model_call::relay_error_reply(upstream_response& reply) {
  std::string body;
  while (body.size() < error_body_bytes_max) {
    const auto piece = co_await reply.read();
    if (!piece || piece->empty()) break;
    body.append(piece->substr(0, error_body_bytes_max - body.size()));
  }
  if (gone_) co_return progress::failed;
  // What cannot be decoded says nothing; its status and headers still do.
  if (!undo_coding(reply, body, decoded_error_bytes_max)) body.clear();
  drop_mark(body);
  co_return fail_reply(reply, reply.status(), std::move(body));
}

model_call::progress model_call::fail_reply(const upstream_response& reply, int status,
                                            std::string body) {
  const auto headers = lookup_in(reply);
  const provider::reply_view seen{status, headers, body};
  auto how = kind_->classify(seen, view());
  provider::apply_error_rules(how, *who_, body);
  upstream_error last;
  // A provider may call its 429 something else; the client is told what it means.
  last.status = how.status != 0 ? how.status : status;
  last.content_type = reply.header("Content-Type").value_or("");
  last.deadline = how.deadline;
  if (in_.config->requests.passthrough_headers) last.headers = headers_of(reply);
  provider::hide_secret(body, *who_);
  last.body = std::move(body);
  translate_error(last);
  if (status < 400) {
    last.detail = "the provider answered " + std::to_string(status) + ", which is no answer to a call";
    last.status = 0;
  }
  fail(std::move(how), std::move(last));
  return progress::failed;
}

model_call::progress model_call::fail_answer(const upstream_response& reply, const error& why) {
  const auto& told = translation_->told();
  if (!told) return fail_transport(why);
  return fail_reply(reply, told->status,
                    protocol::failure_body(protocol::wire::openai_responses, *told));
}

void model_call::fail_frame(quota::outcome how, const protocol::sse_frame& frame) {
  upstream_error last;
  last.status = how.status;
  const bool event = !translation_ && form_ == protocol::wire::openai_responses;
  last.body = event ? reply_of_event(frame.data) : std::string{frame.data};
  provider::hide_secret(last.body, *who_);
  last.content_type = "application/json";
  translate_error(last);
  last.deadline = how.deadline;
  fail(std::move(how), std::move(last));
}

std::vector<protocol::header> model_call::headers_of(const upstream_response& reply) const {
  auto passed = passed_headers(reply, in_.config->requests.passthrough_headers);
  for (auto& [name, value] : passed) provider::hide_secret(value, *who_);
  return passed;
}

awaitable<model_call::progress> model_call::relay_whole(upstream_response& reply) {
  std::string collected;
  if (const auto length = reply.content_length(); length && *length <= collected_bytes_max) {
    collected.reserve(*length);
  }
  bool whole = false;
  const bool kept_whole = translation_ || rename_ || shape_ || is_encoded(reply) ||
                          edit_ != nullptr || wants_stream();
  const auto kept_max = kept_whole ? folded_bytes_max : collected_bytes_max;
  while (collected.size() < kept_max) {
    const auto piece = co_await reply.read();
    if (!piece) co_return fail_transport(piece.error());
    whole = piece->empty();
    if (whole) break;
    collected.append(*piece);
  }
  if (!whole && !kept_whole && begins_like_json(collected)) {
    co_return co_await pump(reply, std::move(collected));
  }
  if (collected.empty()) co_return fail_empty();
  if (!undo_coding(reply, collected, folded_bytes_max)) {
    const error why{errc::invalid_input, "the provider's answer is not in the coding it names"};
    co_return fail_transport(why);
  }
  // Of nothing, Google's JSON says an empty object: its provider knows what that means.
  const bool nothing = edit_ && trimmed(collected) == "{}";
  if (!nothing && !looks_like_json(collected)) {
    const error why{errc::invalid_input, "the provider's answer is not JSON"};
    co_return fail_transport(why);
  }
  drop_mark(collected);
  if (const auto status = error_status_of(collected)) {
    co_return fail_reply(reply, *status, std::move(collected));
  }
  if (edit_) {
    if (const auto edited = edit_->whole(collected); !edited) co_return fail_transport(edited.error());
  }
  if (translation_) {
    collected.reserve(collected.size() + body_padding);
    auto spelled = translation_->whole(collected);
    if (!spelled) co_return fail_answer(reply, spelled.error());
    collected = std::move(*spelled);
  }
  co_return co_await answer_whole(reply, std::move(collected));
}

void model_call::give_shape(std::string& body, bool frames) {
  if (!frames) return shape_->whole(body);
  std::string shaped;
  shape_->frames(body, shaped);
  shape_->end(shaped);
  body = std::move(shaped);
}

bool model_call::wants_stream() const {
  if (form_ == protocol::wire::gemini) {
    return surface_ == protocol::surface::gemini_stream_generate;
  }
  return head_.stream && protocol::generates(surface_);
}

bool model_call::make_stream(std::string& body) {
  if (translation_ || !wants_stream() || !body.starts_with('{')) return false;
  if (form_ == protocol::wire::gemini) {
    provider::made_frames made;
    made.add({}, body);
    body = made.all().front().raw;
    return true;
  }
  if (!decode_call()) return false;
  body.reserve(body.size() + body_padding);
  auto frames = spell_stream(form_, body, source_.answer);
  if (frames.empty()) return false;
  body = std::move(frames);
  return true;
}

awaitable<model_call::progress> model_call::answer_whole(const upstream_response& reply,
                                                         std::string body) {
  settle_success();
  if (rename_) rename_->whole(body);
  protocol::reply answer;
  answer.status = 200;
  answer.headers = headers_of(reply);
  const bool frames = make_stream(body) || (translation_ && source_.stream);
  if (shape_) give_shape(body, frames);
  if (translation_ || shape_ || frames) {
    const bool events = frames && (!shape_ || shape_->is_event_stream());
    std::erase_if(answer.headers, [](const auto& h) { return h.first == "Content-Type"; });
    answer.headers.emplace_back("Content-Type", events ? "text/event-stream" : "application/json");
  }
  answer.body = std::move(body);
  out_.watch_client(nullptr);
  co_await out_.send(std::move(answer));
  co_return progress::answered;
}

quota::outcome model_call::outcome_of(const upstream_response& reply,
                                      const protocol::sse_frame& frame) const {
  auto how = kind_->classify_frame(frame, lookup_in(reply), view());
  provider::apply_error_rules(how, *who_, frame.data);
  return how;
}

bool model_call::hear(const upstream_response& reply, const protocol::sse_frame& frame,
                      protocol::frame_role role) {
  if (role == protocol::frame_role::broken) {
    fail_transport({errc::invalid_input, "an event of the provider's stream is not JSON"});
    return false;
  }
  if (role == protocol::frame_role::error) {
    fail_frame(outcome_of(reply, frame), frame);
    return false;
  }
  if (role == protocol::frame_role::telemetry) {
    if (auto news = kind_->frame_windows(frame, with_.plane.now())) windows_ = std::move(news);
  }
  return true;
}

awaitable<model_call::progress> model_call::relay_collected(upstream_response& reply) {
  protocol::sse_splitter split{frame_bytes_max};
  protocol::sse_frame frame;
  std::size_t bytes = 0;
  bool ended = false;
  bool spoke = false;
  bool seen_end = false;
  while (!ended) {
    const auto piece = co_await reply.read();
    if (!piece) co_return fail_transport(piece.error());
    const bool over = piece->empty();
    bytes += piece->size();
    if (bytes > folded_bytes_max || (!over && !split.feed(*piece))) {
      const error why{errc::limit_exceeded, "the provider's answer is too large"};
      co_return fail_transport(why);
    }
    ended = over && !protocol::close_last_frame(split);
    while (!ended && split.next(frame)) {
      for (const auto& one : provider::frames_of(edit_.get(), frame)) {
        const auto role = protocol::role_of(spoken_.form, one);
        seen_end = seen_end || role == protocol::frame_role::end;
        ended = seen_end;
        if (!hear(reply, one, role)) co_return progress::failed;
        spoke = spoke || says_something(spoken_.form, one, role);
        translation_->collect(one);
      }
    }
    if (over) break;
  }
  const bool unfinished = spoken_.form == protocol::wire::openai_responses && !seen_end;
  if (unfinished && spoke) co_return fail_unfinished();
  auto body = translation_->collected();
  if (!body) co_return fail_transport(body.error());
  co_return co_await answer_whole(reply, std::move(*body));
}

awaitable<model_call::progress> model_call::pump(upstream_response& reply, std::string first) {
  out_.begin(reply.status(), headers_of(reply), reply.content_length());
  bool writing = co_await out_.write(first);
  while (writing) {
    const auto piece = co_await reply.read();
    if (!piece) {
      exchange_->finish(provider::lifecycle_end(piece.error().detail, view()),
                        std::move(windows_));
      co_return progress::answered;  // unfinished: the connection is cut, as it must look
    }
    if (piece->empty()) {
      settle_success();
      co_await out_.finish();
      co_return progress::answered;
    }
    writing = co_await out_.write(*piece);
  }
  co_return progress::answered;  // the client is gone; destroying the exchange settles it
}

awaitable<model_call::progress> model_call::relay_stream(upstream_response& reply) {
  stream_relay relay{*this, reply};
  co_return co_await relay.run();
}

awaitable<model_call::progress> model_call::relay_folded(upstream_response& reply) {
  protocol::sse_splitter split{frame_bytes_max};
  const auto fold = protocol::make_answer_fold(form_, folded_bytes_max);
  protocol::sse_frame frame;
  bool ended = false;
  bool spoke = false;
  while (!ended) {
    const auto piece = co_await reply.read();
    if (!piece) co_return fail_transport(piece.error());
    const bool over = piece->empty();
    if (const auto fed = split.feed(*piece); !fed) co_return fail_transport(fed.error());
    ended = over && !protocol::close_last_frame(split);
    while (!ended && split.next(frame)) {
      for (const auto& one : provider::frames_of(edit_.get(), frame)) {
        const auto role = protocol::role_of(form_, one);
        if (!hear(reply, one, role)) co_return progress::failed;
        if (const auto added = fold->add(one); !added) co_return fail_transport(added.error());
        spoke = spoke || says_something(form_, one, role);
        ended = ended || role == protocol::frame_role::end;
      }
    }
    if (over) break;
  }
  auto body = fold->finish();
  if (!body && !spoke) co_return fail_empty();
  if (!body && form_ == protocol::wire::openai_responses) co_return fail_unfinished();
  if (!body) co_return fail_transport(body.error());
  settle_success();
  if (rename_) rename_->whole(*body);
  protocol::reply answer;
  answer.status = 200;
  answer.headers = headers_of(reply);
  std::erase_if(answer.headers, [](const auto& h) { return h.first == "Content-Type"; });
  answer.headers.emplace_back("Content-Type", "application/json");
  answer.body = std::move(*body);
  out_.watch_client(nullptr);
  co_await out_.send(std::move(answer));
  co_return progress::answered;
}

}  // namespace tidegate::http
