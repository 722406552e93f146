#include <fmt/format.h>

#include <boost/asio/ssl/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional.hpp>
#include <utility>

#include "http/client/exchange_limit.hpp"

namespace tidegate::http::upstream {

namespace beast_http = boost::beast::http;

void exchange::new_parser() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(response_head_bytes_max));
  parser_->body_limit(boost::none);
  parser_->eager(true);
  parser_->skip(head_method_);
  head_bytes_ = 0;
  piece_ = {};
}

/// Gives the unread bytes to the parser; decoded body bytes become the piece.
void exchange::feed() {
  auto& in = lease_.get()->in;
  const auto bytes = in.unread();
  auto& body = parser_->get().body();
  body.front = bytes.data();
  body.size = 0;
  error_code ec;
  const auto used = parser_->put(asio::const_buffer(bytes.data(), bytes.size()), ec);
  in.consume(used);
  piece_ = {bytes.data(), body.size};
  if (!parser_->is_header_done()) {
    // Counted here because the parser's own limit starts anew with every field.
    head_bytes_ += used;
    if (head_bytes_ + in.unread().size() > response_head_bytes_max) {
      ec = beast_http::error::header_limit;
    }
  }
  if (!ec || ec == beast_http::error::need_more) return;
  if (ec == beast_http::error::header_limit) {
    failure_ =
        error{errc::limit_exceeded, fmt::format("the response head of {} is larger than {} bytes",
                                                peer(), response_head_bytes_max)};
  } else {
    failure_ = error{errc::invalid_input,
                     fmt::format("malformed response from {}: {}", peer(), ec.message())};
  }
}

/// True when the final head is complete; false when more bytes are needed.
result<bool> exchange::parse_head() {
  while (!lease_.get()->in.unread().empty()) {
    feed();
    if (!parser_->is_header_done()) {
      if (failure_) return std::unexpected(*failure_);
      return false;
    }
    const auto status = parser_->get().result_int();
    if (status >= 200) return true;
    if (status < 100 || status == 101 || ++interim_ > interim_responses_max) {
      return failed(errc::invalid_input,
                    fmt::format("malformed response from {}: status {}", peer(), status));
    }
    new_parser();
  }
  return false;
}

awaitable<result<void>> exchange::read_head() {
  auto& from = *lease_.get();
  for (;;) {
    const auto space = from.in.prepare();
    const asio::mutable_buffer into(space.data(), space.size());
    const auto [ec, n] = co_await from.link.async_read_some(into, no_throw);
    if (stop_.why) co_return std::unexpected(ended());
    if (ec) co_return std::unexpected(read_failure(ec));
    from.in.commit(n);
    any_response_byte_ = true;
    const auto complete = parse_head();
    if (!complete) co_return std::unexpected(complete.error());
    if (*complete) co_return result<void>{};
  }
}

error exchange::read_failure(const error_code& ec) const {
  const bool in_body = parser_->is_header_done();
  const std::string_view place = in_body              ? "inside the response body"
                                 : any_response_byte_ ? "inside the response head"
                                                      : "before any response";
  const std::string_view what = ec == asio::error::eof || ec == asio::ssl::error::stream_truncated
                                    ? "closed the connection"
                                    : "broke the connection";
  return {errc::connection_closed, fmt::format("{} {} {}", peer(), what, place)};
}

awaitable<result<void>> exchange::read_piece() {
  const limit within(*this, body_began_ ? phase::idle : phase::first_byte);
  auto& from = *lease_.get();
  while (piece_.empty() && !parser_->is_done() && !failure_) {
    const auto space = from.in.prepare();
    if (space.empty()) {
      co_return failed(errc::limit_exceeded,
                       fmt::format("a chunk head from {} is too large", peer()));
    }
    const asio::mutable_buffer into(space.data(), space.size());
    const auto [ec, n] = co_await from.link.async_read_some(into, no_throw);
    if (stop_.why) co_return std::unexpected(ended());
    if (ec == asio::error::eof && parser_->need_eof()) {
      error_code bad;
      parser_->put_eof(bad);
      reusable_ = false;
      if (!bad) break;
    }
    if (ec) co_return std::unexpected(read_failure(ec));
    from.in.commit(n);
    feed();
  }
  co_return result<void>{};
}

awaitable<result<std::string_view>> exchange::read() {
  if (finished_) co_return std::string_view{};
  if (stop_.why) failure_ = ended();
  if (failure_ && (piece_.empty() || stop_.why)) {
    lease_.release();
    co_return std::unexpected(*failure_);
  }
  if (piece_.empty() && !parser_->is_done()) {
    const auto self = shared_from_this();
    busy_ = true;
    auto got = co_await read_piece();
    busy_ = false;
    if (!got && !failure_) failure_ = std::move(got.error());
    if (failure_ && piece_.empty()) {
      lease_.release();
      co_return std::unexpected(*failure_);
    }
  }
  if (piece_.empty()) {
    finish();
    co_return std::string_view{};
  }
  body_began_ = true;
  co_return std::exchange(piece_, {});
}

void exchange::finish() {
  finished_ = true;
  auto& held = *lease_.get();
  const bool keep = reusable_ && !stop_.why && !failure_ && parser_->keep_alive() &&
                    held.in.unread().empty() && !held.link.has_decrypted_leftovers();
  if (keep) {
    lease_.put_back(pool_bounds());
  } else {
    lease_.release();
  }
}

void exchange::abandon() {
  if (!lease_) return;
  if (!busy_ && parser_ && parser_->is_done()) return finish();
  if (limited_) {
    limited_.reset();
    timeouts_.relax();
  }
  interrupt(errc::cancelled);
  if (!busy_) lease_.release();
}

}  // namespace tidegate::http::upstream
