#include "http/exchange/stream_relay.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "protocol/json_object.hpp"
#include "protocol/upstream_error.hpp"

namespace tidegate::http {
namespace {

using protocol::frame_role;

constexpr std::string_view keep_alive_comment = ": keep-alive\n\n";
/// How long the rest of a stream may take after its last event, before its connection is given up.
constexpr std::chrono::milliseconds rest_of_stream_max{1000};

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
    const auto next = take_frame(frame);
    if (next != turn::more) return next;
  }
  if (fits) return turn::more;
  return broken(errc::limit_exceeded, "one event of the provider's stream is too large");
}

stream_relay::turn stream_relay::take_rest() {
  const std::string rest{split_.rest()};
  if (rest.find_first_not_of("\r\n") == std::string::npos) return turn::more;
  protocol::sse_frame frame;
  torn_ = !split_.feed("\n\n") || !split_.next(frame);
  if (torn_ || frame.data.empty()) return turn::more;
  torn_ = frame.data != "[DONE]" && !protocol::read_object(frame.data, frame.data.size());
  return torn_ ? turn::more : take_frame(frame);
}

stream_relay::turn stream_relay::broken(errc code, const char* why) {
  broken_ = {code, why};
  return turn::broken;
}

stream_relay::turn stream_relay::take_frame(const protocol::sse_frame& frame) {
  const auto role = protocol::role_of(call_.kind_->form, frame);
  switch (role) {
    case frame_role::error: return take_error(frame);
    case frame_role::telemetry:
      if (auto news = call_.kind_->frame_windows(frame, call_.with_.plane.now())) {
        call_.windows_ = std::move(news);
      }
      break;
    case frame_role::broken:
      return broken(errc::invalid_input, "an event of the provider's stream is not JSON");
    case frame_role::content:
    case frame_role::end:
      committed_ = committed_ || protocol::carries_output(call_.kind_->form, frame);
      finished_ = finished_ || protocol::finishes(call_.kind_->form, frame);
      seen_end_ = role == frame_role::end;
      break;
    case frame_role::comment:
    case frame_role::lifecycle: break;
  }
  pass_on(frame);
  if (!committed_) hold();
  return seen_end_ ? turn::ended : turn::more;
}

void stream_relay::pass_on(const protocol::sse_frame& frame) {
  if (call_.translation_) {
    call_.translation_->feed(frame, pending_);
  } else if (call_.rename_) {
    call_.rename_->frame(frame, pending_);
  } else {
    pending_.append(frame.raw);
  }
}

void stream_relay::pass_on_error(std::string_view raw) {
  protocol::sse_splitter again{frame_bytes_max};
  protocol::sse_frame frame;
  if (again.feed(raw) && again.next(frame)) pass_on(frame);
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

awaitable<void> stream_relay::release_held() {
  begin();
  const auto held = std::exchange(pending_, {});
  co_await write_apart(held);
}

awaitable<bool> stream_relay::write_apart(std::string_view bytes) {
  writing_apart_ = true;
  last_write_ = std::chrono::steady_clock::now();
  const bool sent = co_await call_.out_.write(bytes);
  writing_apart_ = false;
  writing_done_.cancel();
  co_return sent;
}

stream_relay::turn stream_relay::take_error(const protocol::sse_frame& frame) {
  auto how = call_.kind_->classify_frame(frame, call_.view());
  provider::apply_error_rules(how, *call_.who_, frame.data);
  if (committed_) {
    std::string raw{frame.raw};
    provider::hide_secret(raw, *call_.who_);
    pass_on_error(raw);
    in_band_ = std::move(how);
    return turn::ended;
  }
  call_.fail_frame(std::move(how), frame);
  return turn::failed;
}

void stream_relay::begin() {
  if (call_.out_.committed()) return;
  auto headers = call_.headers_of(reply_);
  headers.emplace_back("Cache-Control", "no-cache");
  call_.out_.begin(reply_.status(), std::move(headers), std::nullopt);
  last_write_ = std::chrono::steady_clock::now();
  const auto interval = call_.in_.config->requests.stream_keepalive;
  if (interval.count() == 0) return;
  keeping_alive_ = true;
  asio::co_spawn(call_.session_.on, keep_alive(interval), asio::detached);
}

awaitable<bool> stream_relay::flush() {
  if (pending_.empty()) co_return true;
  while (writing_apart_) {
    writing_done_.expires_after(std::chrono::hours{1});
    co_await writing_done_.async_wait(no_throw);
  }
  begin();
  last_write_ = std::chrono::steady_clock::now();
  const bool sent = co_await call_.out_.write(pending_);
  pending_.clear();
  co_return sent;
}

awaitable<model_call::progress> stream_relay::cut(const error& why) {
  if (!committed_) co_return call_.fail_transport(why);
  auto how = provider::lifecycle_end(why.detail, call_.view());
  co_await stop_keep_alive();
  if (call_.gone_) co_return model_call::progress::answered;
  upstream_error last;
  last.detail = why.detail;
  last.timed_out = why.code == errc::timed_out;
  const auto what = failure_of(last, call_.model_);
  const auto now = call_.with_.plane.now();
  pending_ += protocol::encode_stream_failure(call_.form_, what, now, is_codex());
  call_.exchange_->finish(std::move(how), std::move(call_.windows_));
  co_await flush();
  co_await call_.out_.finish();
  co_return model_call::progress::answered;
}

awaitable<model_call::progress> stream_relay::end_of_stream() {
  if (!committed_) co_return call_.fail_empty();
  const bool whole = seen_end_ || (finished_ && !torn_);
  if (!whole && !in_band_) co_return co_await cut(broken_);
  if (call_.translation_) {
    if (!in_band_) call_.translation_->finish(pending_);
  } else if (!seen_end_ && !in_band_) {
    pending_ += protocol::missing_end(call_.form_);
  }
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

awaitable<void> stream_relay::finish_upstream() {
  // A connection whose body was read to its end can serve the next call; nobody waits long for it.
  const auto waiting = std::make_shared<bool>(true);
  silence_.expires_after(rest_of_stream_max);
  silence_.async_wait([call = call_.call_.get(), waiting](const error_code& ec) {
    if (!ec && *waiting) call->cancel();
  });
  co_await reply_.read();
  *waiting = false;
  silence_.cancel();
}

bool stream_relay::is_codex() const {
  return protocol::is_codex_client(call_.in_.header("User-Agent").value_or(""),
                                   call_.in_.header("Originator").value_or(""));
}

awaitable<void> stream_relay::keep_alive(std::chrono::seconds interval) {
  while (!stopped_) {
    silence_.expires_at(last_write_ + interval);
    co_await silence_.async_wait(no_throw);
    if (stopped_ || std::chrono::steady_clock::now() < last_write_ + interval) continue;
    const bool sent = co_await write_apart(keep_alive_comment);
    if (!sent) break;
  }
  keeping_alive_ = false;
  writing_done_.cancel();
}

awaitable<void> stream_relay::stop_keep_alive() {
  stopped_ = true;
  silence_.cancel();
  while (keeping_alive_ || writing_apart_) {
    writing_done_.expires_after(std::chrono::hours{1});
    co_await writing_done_.async_wait(no_throw);
  }
}

}  // namespace tidegate::http
