#include "http/client/exchange.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/hash.hpp"
#include "http/client/exchange_limit.hpp"

namespace tidegate::http::upstream {

exchange::exchange(std::shared_ptr<client_parts> parts, const request_options& options,
                   secret_string proxy, watchdog& timeouts, const strand& on)
    : parts_(std::move(parts)),
      options_(options),
      proxy_text_(std::move(proxy)),
      timeouts_(timeouts),
      on_(on) {}

result<void> exchange::prepare(const provider::upstream_request& request) {
  address_ = request.url;
  const auto to = parse_url(address_);
  if (!to) return std::unexpected(to.error());
  to_ = *to;
  auto via = parse_proxy(proxy_text_.empty() ? options_.proxy_url : proxy_text_);
  if (!via) return std::unexpected(via.error());
  via_ = std::move(*via);
  request_form form;
  form.absolute = via_ && via_->kind != proxy_kind::socks5 && !to_.tls;
  if (form.absolute) form.proxy_authorization = proxy_authorization(*via_);
  head_method_ = request.method == "HEAD";
  return write_head(request_head_, request, to_, form);
}

std::string exchange::pool_key() const {
  std::string key = (to_.tls ? "https " : "http ") + peer();
  if (via_) {
    constexpr std::string_view kinds[] = {" http ", " https ", " socks5 "};
    key.append(kinds[static_cast<std::size_t>(via_->kind)]).append(via_->name);
    if (via_->has_login) {
      std::string login(via_->user.reveal());
      login.append(1, '\0').append(via_->password.reveal());
      key.append(" ").append(sha256_hex(login));
      OPENSSL_cleanse(login.data(), login.size());
    }
  }
  if (!options_.ca_file.empty()) key.append(" ").append(options_.ca_file);
  return key;
}

bounds exchange::pool_bounds() const {
  return {std::max<std::size_t>(options_.connections_per_origin_max, 1),
          options_.idle_per_origin_max, options_.idle_connection_lifetime};
}

awaitable<result<void>> exchange::send(const provider::upstream_request& request) {
  const auto self = shared_from_this();
  auto done = prepare(request);
  if (!done) co_return done;
  busy_ = true;
  done = co_await take_place();
  bool reused = lease_.get() != nullptr;
  while (done) {
    if (lease_.get() == nullptr) done = co_await open_connection();
    if (done) done = co_await attempt(request);
    if (done) break;
    // A kept connection may die in the moment it is used; nothing of an answer was seen.
    const bool replace =
        reused && !any_response_byte_ && !stop_.why && done.error().code == errc::connection_closed;
    if (!replace) break;
    reused = false;
    done = {};
    lease_.drop_connection();
  }
  busy_ = false;
  OPENSSL_cleanse(request_head_.data(), request_head_.size());
  if (!done) lease_.release();
  co_return done;
}

awaitable<result<void>> exchange::take_place() {
  if (stop_.why) co_return std::unexpected(ended());
  const auto key = pool_key();
  auto got = parts_->connections->take(key, pool_bounds(), on_);
  if (!got) co_return std::unexpected(got.error());
  if (const auto queued = got->queued) {
    const limit within(*this, phase::slot);
    co_await stop_.park(queued->bell);
    if (stop_.why) {
      parts_->connections->leave(key, *queued);
      co_return std::unexpected(ended());
    }
    if (queued->refused) co_return failed(errc::unavailable, "the upstream client is stopped");
    got->ready = std::move(queued->granted);
  }
  lease_ = std::move(got->ready);
  co_return result<void>{};
}

awaitable<result<void>> exchange::open_connection() {
  const limit within(*this, phase::connect);
  lease_.set(std::make_unique<connection>(parts_->io));
  parts_->connections->count_dial();
  const dial_plan plan{to_, via_ ? &*via_ : nullptr, options_, on_, stop_};
  auto done = co_await dial(*lease_.get(), plan, *parts_->resolver, parts_->trust);
  if (stop_.why) co_return std::unexpected(ended());
  co_return done;
}

void exchange::gather(const provider::upstream_request& request) {
  pieces_.clear();
  pieces_.emplace_back(request_head_.data(), request_head_.size());
  for (const auto piece : request.body) {
    if (!piece.empty()) pieces_.emplace_back(piece.data(), piece.size());
  }
  unsent_ = std::span<const asio::const_buffer>(pieces_.data(), pieces_.size());
}

void exchange::sent(std::size_t n) {
  const auto* first = unsent_.data();
  while (!unsent_.empty() && n >= unsent_.front().size()) {
    n -= unsent_.front().size();
    unsent_ = unsent_.subspan(1);
    ++first;
  }
  if (n > 0) pieces_[static_cast<std::size_t>(first - pieces_.data())] += n;
}

awaitable<result<void>> exchange::attempt(const provider::upstream_request& request) {
  limit within(*this, phase::header);
  gather(request);
  new_parser();
  interim_ = 0;
  reusable_ = true;
  const auto [ec, n] = co_await lease_.get()->link.async_write_some(unsent_, no_throw);
  sent(n);
  if (ec) {
    reusable_ = false;  // the peer may have answered before it closed: read what is there
  } else if (unsent_.empty()) {
    within.extend();
  } else {
    writing_ = true;
    asio::co_spawn(on_, write_rest(shared_from_this()), asio::detached);
  }
  auto done = co_await read_head();
  if (writing_) {
    const bool wait_for_end = done && parser_->get().result_int() < 300;
    co_await settle_writing(wait_for_end);
  }
  if (stop_.why) co_return std::unexpected(ended());
  co_return done;
}

awaitable<void> exchange::write_rest([[maybe_unused]] std::shared_ptr<exchange> self) {
  auto& link = lease_.get()->link;
  while (!unsent_.empty() && !stop_.why) {
    const auto [ec, n] = co_await link.async_write_some(unsent_, no_throw);
    if (ec) {
      reusable_ = false;
      break;
    }
    if (unsent_.empty()) break;
    sent(n);
    if (limited_ == phase::header) timeouts_.extend(options_.header_timeout);
  }
  writing_ = false;
  if (writer_done_) writer_done_->wake();
}

awaitable<void> exchange::settle_writing(bool wait_for_end) {
  if (!wait_for_end) {
    reusable_ = false;
    unsent_ = {};
    error_code ignored;
    lease_.get()->link.socket().cancel(ignored);
  }
  writer_done_ = std::make_shared<parking>(on_);
  co_await writer_done_->wait();
  writer_done_.reset();
}

void exchange::interrupt(errc why) {
  if (stop_.why) return;
  stop_.why = why;
  ended_in_ = limited_.value_or(phase::idle);
  if (stop_.parked) stop_.parked->wake();
  if (lease_.get() != nullptr) lease_.get()->link.close();
}

std::chrono::milliseconds exchange::patience_in(phase in) const {
  switch (in) {
    case phase::slot:
    case phase::connect:
      return options_.connect_timeout;
    case phase::header:
      return options_.header_timeout;
    case phase::first_byte:
      return options_.first_byte_timeout;
    case phase::idle:
      return options_.idle_timeout;
  }
  return options_.idle_timeout;
}

error exchange::ended() const {
  if (stop_.why != errc::timed_out) return {errc::cancelled, "the upstream call was given up"};
  const auto within = patience_in(ended_in_).count();
  switch (ended_in_) {
    case phase::slot:
      return {errc::unavailable,
              fmt::format("all {} connections to {} were busy for {} ms",
                          options_.connections_per_origin_max, peer(), within)};
    case phase::connect:
      return {errc::timed_out,
              fmt::format("connect timeout: {} not reached within {} ms", peer(), within)};
    case phase::header:
      return {errc::timed_out,
              fmt::format("header timeout: no response head from {} within {} ms", peer(), within)};
    case phase::first_byte:
      return {errc::timed_out,
              fmt::format("first-byte timeout: no body from {} within {} ms", peer(), within)};
    case phase::idle:
      return {errc::timed_out, fmt::format("idle timeout: {} silent for {} ms", peer(), within)};
  }
  return {errc::timed_out, "timeout"};
}

}  // namespace tidegate::http::upstream
