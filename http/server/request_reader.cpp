#include "http/server/request_reader.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <cstring>
#include <iterator>

#include "http/server/body_decoder.hpp"
#include "http/server/refusal.hpp"
#include "http/server/request_rules.hpp"
#include "http/server/routes.hpp"

namespace tidegate::http {
namespace {

namespace beast_http = boost::beast::http;

constexpr std::size_t head_room = 4 * 1024;
constexpr std::size_t chunk_room = 16 * 1024;
constexpr std::size_t chunk_line_max = 8 * 1024;  ///< chunk header with extensions, and trailers
constexpr std::size_t blank_bytes_max = 16;       ///< empty lines before a request line
constexpr std::size_t coding_name_max = 64;

bool says(std::string_view value, std::string_view token) {
  return boost::beast::iequals({value.data(), value.size()}, {token.data(), token.size()});
}

}  // namespace

request_reader::request_reader(connection& from, watchdog& timeouts, const server_core& core)
    : in_(from), timeouts_(timeouts), core_(core), snapshot_(core.config()) {}

void request_reader::reset() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(snapshot_->server.head_bytes_max));
  parser_->body_limit(boost::none);
  taken_ = nullptr;
  left_ = 0;
  head_bytes_ = 0;
  progress_ = 0;
  chunked_ = continue_expected_ = http10_ = head_only_ = body_unread_ = false;
  keep_alive_ = false;
}

std::optional<protocol::wire> request_reader::form() const {
  if (taken_ == nullptr) return std::nullopt;
  return match_route(taken_->method, taken_->path).form;
}

awaitable<read_end> request_reader::next(request& into) {
  reset();
  read_end end = co_await read_head();
  if (end != read_end::request) co_return end;
  take_head(into);
  end = co_await check_head(into);
  if (end != read_end::request) co_return end;
  if (chunked_ || left_ > 0) {
    end = co_await read_body(into);
    if (end != read_end::request) co_return end;
  }
  timeouts_.relax();
  if (into.body.empty() || !into.header("Content-Encoding")) co_return end;
  co_return co_await decode(into);
}

awaitable<bool> request_reader::first_byte() {
  idle_ = true;
  timeouts_.expect(snapshot_->server.idle_timeout, [this] { in_.close(); });
  const error_code ec = co_await in_.receive(head_room);
  idle_ = false;
  timeouts_.relax();
  co_return !ec;
}

awaitable<read_end> request_reader::read_head() {
  if (in_.buffered().empty()) {
    const bool arrived = co_await first_byte();
    if (!arrived) co_return read_end::closed;
  }
  bool timed = false;
  std::size_t blank = 0;
  for (;;) {
    while (head_bytes_ == 0 && in_.buffered().starts_with("\r\n")) {
      in_.input().consume(2);
      blank += 2;
      if (blank > blank_bytes_max) co_return refuse_head(400, "empty lines before a request");
    }
    if (!in_.buffered().empty() && in_.buffered() != "\r") {
      const auto end = parse_head();
      if (end) co_return *end;
    }
    if (!timed) expect_bytes();
    timed = true;
    const error_code ec = co_await in_.receive(head_room);
    if (ec || timeouts_.expired()) co_return end_of_input(ec);
  }
}

std::optional<read_end> request_reader::parse_head() {
  if (head_bytes_ == 0 && !begins_like_a_method(in_.buffered().front())) {
    return refuse_head(400, "this is not an HTTP request");
  }
  error_code ec;
  const auto used = parser_->put(in_.input().data(), ec);
  in_.input().consume(used);
  head_bytes_ += used;
  const auto limit = snapshot_->server.head_bytes_max;
  if (ec && ec != beast_http::error::need_more) {
    const problem what = problem_of(ec, in_.buffered());
    return refuse_head(what.status, what.message);
  }
  if (head_bytes_ > limit ||
      (!parser_->is_header_done() && head_bytes_ + in_.buffered().size() > limit)) {
    return refuse_head(431, "the request head is too large");
  }
  if (parser_->is_header_done()) return read_end::request;
  return std::nullopt;
}

void request_reader::take_head(request& into) {
  auto& head = parser_->get();
  const auto method = head.method_string();
  const auto target = head.target();
  into.method.assign(method.data(), method.size());
  split_target({target.data(), target.size()}, into.path, into.query);
  http10_ = head.version() < 11;
  keep_alive_ = head.keep_alive();
  head_only_ = into.method == "HEAD";
  chunked_ = parser_->chunked();
  if (const auto length = parser_->content_length()) left_ = *length;
  // Trailers of a chunked body stay behind in the parser.
  into.headers = static_cast<beast_http::fields&&>(head.base());
  into.body.clear();
  taken_ = &into;
  snapshot_ = core_.config();
  into.config = snapshot_;
  const auto expect = into.header("Expect");
  continue_expected_ = !http10_ && expect && says(*expect, "100-continue");
}

awaitable<read_end> request_reader::check_head(const request& what) {
  const auto& limits = snapshot_->server;
  if (const auto wrong = framing_problem(what, http10_, chunked_)) {
    co_return refuse_head(wrong->status, wrong->message);
  }
  const auto count = std::distance(what.headers.begin(), what.headers.end());
  if (static_cast<std::size_t>(count) > limits.header_count_max) {
    co_return co_await refuse(431, "too many headers", kind::invalid_request);
  }
  if (left_ > limits.body_bytes_max) {
    co_return co_await refuse(413, "the request body is too large", kind::body_too_large);
  }
  if (!continue_expected_ && what.header("Expect") && !http10_) {
    co_return co_await refuse(417, "only 100-continue can be expected", kind::invalid_request);
  }
  co_return read_end::request;
}

awaitable<read_end> request_reader::read_body(request& into) {
  if (continue_expected_ && in_.buffered().empty()) {
    gathered answer("HTTP/1.1 100 Continue\r\n\r\n");
    if (!in_.send_now(answer)) {
      const bool sent = co_await in_.send(std::move(answer), snapshot_->server.write_timeout);
      if (!sent) co_return read_end::closed;
    }
  }
  // From here on the client sends whatever it was asked to wait with.
  continue_expected_ = false;
  if (chunked_) co_return co_await read_chunked(into.body);
  co_return co_await read_sized(into.body);
}

awaitable<read_end> request_reader::read_sized(std::string& body) {
  const auto length = static_cast<std::size_t>(left_);
  std::size_t have = 0;
  const auto keep_bytes = [](char*, std::size_t size) { return size; };
  const auto first = std::min(length, trusted_length_max);
  body.reserve(first + body_padding);
  body.resize_and_overwrite(first, keep_bytes);
  const auto here = in_.buffered().substr(0, first);
  std::memcpy(body.data(), here.data(), here.size());
  have = here.size();
  in_.input().consume(have);
  if (have < length) expect_bytes();
  while (have < length) {
    if (have == body.size()) {
      const auto larger = std::min(length, body.size() * 2);
      body.reserve(larger + body_padding);
      body.resize_and_overwrite(larger, keep_bytes);
    }
    const auto room = asio::buffer(body.data() + have, body.size() - have);
    auto [ec, count] = co_await in_.transport().async_read_some(room, no_throw);
    have += count;
    if (ec || timeouts_.expired()) {
      left_ = length - have;
      co_return end_of_input(ec);
    }
    progressed(count);
  }
  left_ = 0;
  co_return read_end::request;
}

awaitable<read_end> request_reader::read_chunked(std::string& body) {
  parser_->eager(true);
  parser_->body_limit(snapshot_->server.body_bytes_max);
  expect_bytes();
  for (;;) {
    if (!in_.buffered().empty()) {
      error_code ec;
      const auto used = parser_->put(in_.input().data(), ec);
      in_.input().consume(used);
      if (ec == beast_http::error::body_limit) {
        co_return refuse_head(413, "the request body is too large");
      }
      if (ec && ec != beast_http::error::need_more) {
        co_return refuse_head(400, "the chunked body is malformed");
      }
      if (parser_->is_done()) break;
      if (in_.buffered().size() > chunk_line_max) {
        co_return refuse_head(400, "a chunk header or trailer is too long");
      }
    }
    const auto before = in_.input().size();
    const error_code ec = co_await in_.receive(chunk_room);
    if (ec || timeouts_.expired()) co_return end_of_input(ec);
    progressed(in_.input().size() - before);
  }
  chunked_ = false;
  body = std::move(parser_->get().body());
  body.reserve(body.size() + body_padding);
  co_return read_end::request;
}

awaitable<read_end> request_reader::decode(request& into) {
  std::string codings;
  for (auto [at, end] = into.headers.equal_range("Content-Encoding"); at != end; ++at) {
    if (!codings.empty()) codings += ',';
    codings.append(at->value().data(), at->value().size());
  }
  const auto decoded = decode_body(into.body, codings, snapshot_->server.body_bytes_max);
  if (decoded) {
    into.headers.erase("Content-Encoding");
    co_return read_end::request;
  }
  const std::string& detail = decoded.error().detail;
  switch (decoded.error().code) {
    case errc::limit_exceeded:
      co_return co_await refuse(413, detail, kind::body_too_large);
    case errc::not_found: {
      const std::string name = detail.substr(0, coding_name_max);
      const std::string text = "Invalid request: unsupported request content encoding: " + name;
      co_return co_await refuse(400, form() ? name : text, kind::unsupported_encoding);
    }
    default:
      co_return co_await refuse(400, "Invalid request: " + detail, kind::invalid_request);
  }
}

awaitable<bool> request_reader::drop_body() {
  expect_bytes();
  while (left_ > 0) {
    if (in_.buffered().empty()) {
      const error_code ec = co_await in_.receive(head_room);
      if (ec || timeouts_.expired()) co_return false;
    }
    const auto some = std::min<std::uint64_t>(left_, in_.buffered().size());
    in_.input().consume(static_cast<std::size_t>(some));
    left_ -= some;
  }
  timeouts_.relax();
  co_return true;
}

awaitable<read_end> request_reader::refuse(int status, std::string_view message, kind what) {
  refusal_ = http::refusal(status, message, form(), what);
  if (left_ == 0 && !chunked_) co_return read_end::refused;
  bool dropped = keep_alive_ && !chunked_ && !continue_expected_ && left_ <= drained_bytes_max;
  if (dropped) dropped = co_await drop_body();
  if (!dropped) {
    keep_alive_ = false;
    body_unread_ = true;
  }
  co_return read_end::refused;
}

read_end request_reader::refuse_head(int status, std::string_view message) {
  timeouts_.relax();
  const auto what = status == 413 ? kind::body_too_large : kind::invalid_request;
  refusal_ = http::refusal(status, message, form(), what);
  keep_alive_ = false;
  body_unread_ = true;
  return read_end::refused;
}

void request_reader::expect_bytes() {
  progress_ = 0;
  timeouts_.expect(snapshot_->server.read_timeout, [this] { in_.cancel_receive(); });
}

void request_reader::progressed(std::size_t count) {
  progress_ += count;
  if (progress_ < progress_bytes_min) return;
  progress_ = 0;
  timeouts_.extend(snapshot_->server.read_timeout);
}

read_end request_reader::end_of_input(const error_code& ec) {
  if (timeouts_.expired()) return refuse_head(408, "the request took too long to arrive");
  if (ec == asio::error::eof) return refuse_head(400, "the request ended before it was complete");
  timeouts_.relax();
  return read_end::closed;
}

}  // namespace tidegate::http
