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
constexpr const char* memory_retry_seconds = "1";

bool says(std::string_view value, std::string_view token) {
  return boost::beast::iequals({value.data(), value.size()}, {token.data(), token.size()});
}

/// All lines of Content-Encoding as one list.
std::string codings_of(const request& what) {
  std::string out;
  for (auto [at, end] = what.headers.equal_range("Content-Encoding"); at != end; ++at) {
    if (!out.empty()) out += ',';
    out.append(at->value().data(), at->value().size());
  }
  return out;
}

}  // namespace

request_reader::request_reader(connection& from, watchdog& timeouts, server_core& core)
    : in_(from), timeouts_(timeouts), core_(core), claim_(core.bodies), snapshot_(core.config()) {}

void request_reader::reset() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(snapshot_->server.head_bytes_max));
  parser_->body_limit(boost::none);
  taken_ = nullptr;
  too_large_.reset();
  left_ = 0;
  head_bytes_ = 0;
  progress_ = 0;
  chunked_ = continue_expected_ = http10_ = head_only_ = body_unread_ = false;
  keep_alive_ = false;
  any_origin_ = true;
}

std::optional<protocol::wire> request_reader::form() const {
  return taken_ == nullptr ? std::nullopt : taken_->route.form;
}

awaitable<read_end> request_reader::next(request& into) {
  reset();
  read_end end = co_await read_head();
  if (end != read_end::request) co_return end;
  take_head(into);
  admission said;
  if (core_.admit) said = core_.admit(into);
  any_origin_ = said.any_origin;
  if (const auto wrong = framing_problem(into, http10_, chunked_)) {
    co_return refuse_head(wrong->status, wrong->message);
  }
  auto refused = judge_head(into, said);
  if (!refused && said.question.valid()) {
    timeouts_.relax();
    refused = co_await std::move(said.question);
  }
  if (!refused) refused = judge_body(into, said);
  if (refused) {
    auto reply = std::move(*refused);
    co_return co_await refuse(std::move(reply));
  }
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
  into.route = match_route(into.method, into.path);
  taken_ = &into;
  snapshot_ = core_.config();
  into.config = snapshot_;
  const auto expect = into.header("Expect");
  continue_expected_ = !http10_ && expect && says(*expect, "100-continue");
}

std::optional<protocol::reply> request_reader::judge_head(const request& what, admission& said) {
  const auto count = std::distance(what.headers.begin(), what.headers.end());
  if (static_cast<std::size_t>(count) > snapshot_->server.header_count_max) {
    return shaped(431, "too many headers", kind::invalid_request);
  }
  if (!continue_expected_ && what.header("Expect") && !http10_) {
    return shaped(417, "only 100-continue can be expected", kind::invalid_request);
  }
  if (what.method == "OPTIONS") {
    protocol::reply preflight;
    preflight.status = 204;
    return preflight;
  }
  return std::move(said.refusal);
}

std::optional<protocol::reply> request_reader::judge_body(const request& what, admission& said) {
  body_max_ = std::min(snapshot_->server.body_bytes_max, said.body_bytes_max);
  too_large_ = std::move(said.too_large);
  if (left_ == 0 && !chunked_) return std::nullopt;
  if (what.header("Content-Encoding")) {
    const auto served = check_codings(codings_of(what));
    if (!served) return unknown_coding(served.error().detail);
  }
  if (left_ <= body_max_) return std::nullopt;
  if (too_large_) return std::move(too_large_);
  return shaped(413, "the request body is too large", kind::body_too_large);
}

protocol::reply request_reader::unknown_coding(std::string_view detail) const {
  const std::string name{detail.substr(0, coding_name_max)};
  const std::string text = "Invalid request: unsupported request content encoding: " + name;
  auto reply = shaped(415, form() ? name : text, kind::unsupported_encoding);
  reply.headers.emplace_back("Accept-Encoding", served_codings);
  return reply;
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
    if (!claim_.cover(have)) {
      left_ = length - have;
      co_return refuse_for_memory();
    }
    progressed(count);
  }
  left_ = 0;
  co_return read_end::request;
}

awaitable<read_end> request_reader::read_chunked(std::string& body) {
  parser_->eager(true);
  parser_->body_limit(body_max_);
  expect_bytes();
  for (;;) {
    if (!in_.buffered().empty()) {
      error_code ec;
      const auto used = parser_->put(in_.input().data(), ec);
      in_.input().consume(used);
      if (ec == beast_http::error::body_limit) co_return refuse_large_body();
      if (ec && ec != beast_http::error::need_more) {
        co_return refuse_head(400, "the chunked body is malformed");
      }
      if (!claim_.cover(parser_->get().body().size())) co_return refuse_for_memory();
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
  const auto decoded = decode_body(into.body, codings_of(into), body_max_);
  if (decoded) {
    if (!claim_.cover(into.body.size())) co_return refuse_for_memory();
    into.headers.erase("Content-Encoding");
    co_return read_end::request;
  }
  const error& why = decoded.error();
  protocol::reply reply;
  if (why.code != errc::limit_exceeded) {
    reply = shaped(400, "Invalid request: " + why.detail, kind::invalid_request);
  } else if (too_large_) {
    reply = std::move(*too_large_);
  } else {
    reply = shaped(413, why.detail, kind::body_too_large);
  }
  co_return co_await refuse(std::move(reply));
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

protocol::reply request_reader::shaped(int status, std::string_view message, kind what) const {
  return http::refusal(status, message, form(), what);
}

awaitable<read_end> request_reader::refuse(protocol::reply reply) {
  refusal_ = std::move(reply);
  bool whole = left_ == 0 && !chunked_;
  if (!whole && keep_alive_ && !chunked_ && !continue_expected_ && left_ <= drained_bytes_max) {
    whole = co_await drop_body();
  }
  timeouts_.relax();
  if (!whole) {
    keep_alive_ = false;
    body_unread_ = true;
  }
  co_return read_end::refused;
}

read_end request_reader::refuse_head(int status, std::string_view message) {
  timeouts_.relax();
  const auto what = status == 413 ? kind::body_too_large : kind::invalid_request;
  refusal_ = shaped(status, message, what);
  keep_alive_ = false;
  body_unread_ = true;
  return read_end::refused;
}

read_end request_reader::refuse_large_body() {
  auto own = std::move(too_large_);
  const read_end end = refuse_head(413, "the request body is too large");
  if (own) refusal_ = std::move(*own);
  return end;
}

read_end request_reader::refuse_for_memory() {
  const read_end end = refuse_head(503, {});
  refusal_ = shaped(503, "too many large requests at one time", kind::draining);
  std::erase_if(refusal_.headers, [](const auto& one) { return one.first == "Retry-After"; });
  refusal_.headers.emplace_back("Retry-After", memory_retry_seconds);
  return end;
}

void request_reader::release_body() {
  if (parser_) parser_->get().body() = std::string{};
  claim_.release();
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
