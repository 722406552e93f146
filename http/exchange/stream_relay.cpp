#include "http/exchange/stream_relay.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/exchange/provider_words.hpp"
#include "protocol/json_object.hpp"

namespace tidegate::http {
namespace {

using protocol::frame_role;

/// Where an event's sequence number stands.
constexpr std::size_t event_beginning_bytes = 512;

}  // namespace

stream_relay::stream_relay(model_call& of, upstream_response& reply)
    : call_(of),
      reply_(reply),
      split_(frame_bytes_max),
      silence_(of.session_.on),
      writing_done_(of.session_.on) {}

stream_relay::~stream_relay() {
  *alive_ = false;
}

awaitable<model_call::progress> stream_relay::run() {
  for (;;) {
    const auto piece = co_await reply_.read();
    if (!piece) co_return co_await cut(piece.error());
    const bool over = piece->empty();
    const auto next = over ? take_rest() : take(*piece);
    if (next == turn::failed) co_return model_call::progress::failed;
    if (next == turn::broken) co_return co_await cut(broken_);
    if (over) co_return co_await end_of_stream();
    if (committed_) {
      const bool sent = co_await flush();
      if (!sent) {
        co_await stop_keep_alive();
        co_return model_call::progress::answered;
      }
    }
    if (next == turn::ended) co_return co_await end_of_stream();
  }
}

stream_relay::turn stream_relay::take(std::string_view bytes) {
  const bool fits = split_.feed(bytes).has_value();
  protocol::sse_frame frame;
  while (split_.next(frame)) {
    const auto next = take_sent(frame);
    if (next != turn::more) return next;
  }
  if (fits) return turn::more;
  return broken(errc::limit_exceeded, "one event of the provider's stream is too large");
}

stream_relay::turn stream_relay::take_rest() {
  torn_ = !protocol::close_last_frame(split_);
  protocol::sse_frame frame;
  while (split_.next(frame)) {
    const auto next = take_sent(frame);
    if (next != turn::more) return next;
  }
  return turn::more;
}

stream_relay::turn stream_relay::broken(errc code, const char* why) {
  broken_ = {code, why};
  return turn::broken;
}

stream_relay::turn stream_relay::take_sent(const protocol::sse_frame& frame) {
  for (const auto& one : provider::frames_of(call_.edit_.get(), frame)) {
    const auto next = take_frame(one);
    if (next != turn::more) return next;
  }
  return turn::more;
}

stream_relay::turn stream_relay::take_frame(const protocol::sse_frame& frame) {
  const auto role = protocol::role_of(call_.spoken_.form, frame);
  if (role == frame_role::error) return take_error(frame);
  if (role == frame_role::broken) {
    return broken(errc::invalid_input, "an event of the provider's stream is not JSON");
  }
  if (!pass_on(frame)) return turn::broken;
  note_number(frame, role);
  switch (role) {
    case frame_role::telemetry:
      if (auto news = call_.kind_->frame_windows(frame, call_.with_.plane.now())) {
        call_.windows_ = std::move(news);
      }
      break;
    case frame_role::content:
    case frame_role::end:
      committed_ = committed_ || protocol::carries_output(call_.spoken_.form, frame);
      finished_ = finished_ || protocol::finishes(call_.spoken_.form, frame);
      seen_end_ = role == frame_role::end;
      break;
    case frame_role::error:
    case frame_role::broken:
    case frame_role::comment:
    case frame_role::lifecycle: break;
  }
  if (!committed_) hold();
  return seen_end_ ? turn::ended : turn::more;
}

void stream_relay::note_number(const protocol::sse_frame& frame, frame_role role) {
  const bool counted = role == frame_role::content || role == frame_role::lifecycle;
  if (!counted || call_.translation_ || call_.form_ != protocol::wire::openai_responses) return;
  last_event_.assign(frame.data.substr(0, event_beginning_bytes));
}

void stream_relay::put(std::string_view frames) {
  if (call_.shape_) {
    call_.shape_->frames(frames, pending_);
  } else {
    pending_.append(frames);
  }
}

void stream_relay::put_untranslated(const protocol::sse_frame& frame) {
  if (!call_.rename_) return put(frame.raw);
  std::string renamed;
  call_.rename_->frame(frame, renamed);
  put(renamed);
}

bool stream_relay::pass_on(const protocol::sse_frame& frame) {
  if (!call_.translation_) {
    put_untranslated(frame);
    return true;
  }
  std::string shaped;
  auto& into = call_.shape_ ? shaped : pending_;
  const auto fed = call_.translation_->feed(frame, into);
  if (!fed) broken_ = fed.error();
  if (fed && call_.shape_) put(shaped);
  return fed.has_value();
}

void stream_relay::pass_on_error(const protocol::sse_frame& frame, int status) {
  if (call_.translation_) {
    std::string said{frame.data};
    provider::hide_secret(said, *call_.who_);
    end_with(failure_said(status, said));
    return;
  }
  std::string raw{frame.raw};
  provider::hide_secret(raw, *call_.who_);
  put(raw);
}

void stream_relay::end_with(const protocol::failed_event& what) {
  std::string frames;
  call_.translation_->fail(what, frames);
  put(frames);
}

void stream_relay::hold() {
  const auto patience = call_.in_.config->requests.stream_hold;
  committed_ = ++held_ >= held_frames_max || pending_.size() >= held_bytes_max ||
               patience.count() == 0;
  if (committed_ || held_ > 1) return;
  silence_.expires_after(patience);
  silence_.async_wait([this, alive = alive_](const error_code& ec) {
    if (ec || !*alive || committed_) return;
    committed_ = writing_apart_ = true;
    asio::co_spawn(call_.session_.on, release_held(), asio::detached);
  });
}

stream_relay::turn stream_relay::take_error(const protocol::sse_frame& frame) {
  auto how = call_.outcome_of(reply_, frame);
  if (committed_) {
    pass_on_error(frame, how.status);
    in_band_ = std::move(how);
    return turn::ended;
  }
  call_.fail_frame(std::move(how), frame);
  return turn::failed;
}

awaitable<model_call::progress> stream_relay::cut(const error& why) {
  if (!committed_) co_return call_.fail_transport(why);
  auto how = provider::lifecycle_end(why.detail, call_.view());
  co_await stop_keep_alive();
  if (call_.gone_) co_return model_call::progress::answered;
  upstream_error last;
  last.detail = why.detail;
  last.timed_out = why.code == errc::timed_out;
  if (call_.translation_) {
    end_with({last.timed_out ? 504 : 502, {}, {}, why.detail});
  } else {
    const auto what = failure_of(last, call_.model_);
    const auto now = call_.with_.plane.now();
    put(protocol::encode_stream_failure(call_.form_, what, now, call_.is_codex(),
                                        protocol::next_sequence(last_event_)));
  }
  if (call_.shape_) call_.shape_->end(pending_);
  call_.exchange_->finish(std::move(how), std::move(call_.windows_));
  co_await flush();
  co_await call_.out_.finish();
  co_return model_call::progress::answered;
}

awaitable<model_call::progress> stream_relay::end_of_stream() {
  if (!committed_) co_return call_.fail_empty();
  const bool whole = seen_end_ || (finished_ && !torn_);
  if (!whole && !in_band_) co_return co_await cut(broken_);
  if (!in_band_ && !finish_answer()) co_return co_await cut(broken_);
  if (call_.shape_) call_.shape_->end(pending_);
  co_await stop_keep_alive();
  if (in_band_) {
    call_.exchange_->finish(std::move(*in_band_), std::move(call_.windows_));
  } else {
    call_.settle_success();
  }
  const bool sent = co_await flush();
  if (sent) co_await call_.out_.finish();
  co_await finish_upstream();
  co_return model_call::progress::answered;
}

bool stream_relay::finish_answer() {
  if (!call_.translation_) {
    if (!seen_end_) put(protocol::missing_end(call_.form_));
    return true;
  }
  std::string rest;
  const auto finished = call_.translation_->finish(rest);
  if (!finished) broken_ = finished.error();
  if (finished) put(rest);
  return finished.has_value();
}

}  // namespace tidegate::http
