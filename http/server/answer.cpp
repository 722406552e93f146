#include "http/server/answer.hpp"

#include <charconv>

namespace tidegate::http {
namespace {

constexpr std::string_view last_chunk = "0\r\n\r\n";
constexpr std::string_view crlf = "\r\n";

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

void append_chunk_size(std::string& out, std::size_t size) {
  char text[18];
  const auto end = std::to_chars(text, text + sizeof text, size, 16).ptr;
  out.append(text, end);
  out += crlf;
}

}  // namespace

void answer::expect(const answer_terms& terms, std::weak_ptr<void> owner) {
  terms_ = terms;
  owner_ = std::move(owner);
  state_ = state::fresh;
  committed_ = keep_alive_ = false;
  left_ = 0;
}

void answer::prepare_head(int status, const std::vector<protocol::header>& headers, framing body,
                          std::uint64_t length) {
  shape_.status = status;
  shape_.body = has_no_body(status) ? framing::none : body;
  shape_.length = length;
  shape_.http10 = terms_.http10;
  shape_.mode = terms_.mode;
  shape_.any_origin = terms_.any_origin;
  shape_.keep_alive = terms_.keep_alive && shape_.body != framing::until_close &&
                      !core_.draining.load(std::memory_order_relaxed);
  keep_alive_ = shape_.keep_alive;
  head_.clear();
  write_head(head_, shape_, headers, date_.at(std::time(nullptr)));
}

awaitable<bool> answer::deliver(gathered pieces) {
  committed_ = true;
  return out_.send(std::move(pieces), terms_.write_timeout);
}

awaitable<bool> answer::send(protocol::reply reply) {
  TG_ASSERT(state_ == state::fresh);
  prepare_head(reply.status, reply.headers, framing::length, reply.body.size());
  const bool bare = terms_.head_only || shape_.body == framing::none;
  gathered pieces(head_, bare ? std::string_view{} : std::string_view{reply.body});
  state_ = state::streaming;
  committed_ = true;
  if (!out_.send_now(pieces)) {
    const bool sent = co_await deliver(std::move(pieces));
    if (!sent) co_return false;
  }
  state_ = state::finished;
  co_return true;
}

void answer::begin(int status, std::vector<protocol::header> headers,
                   std::optional<std::uint64_t> content_length) {
  TG_ASSERT(state_ == state::fresh);
  const auto open_ended = terms_.http10 ? framing::until_close : framing::chunked;
  prepare_head(status, headers, content_length ? framing::length : open_ended,
               content_length.value_or(0));
  left_ = content_length.value_or(0);
  state_ = state::begun;
}

awaitable<bool> answer::write(std::string_view bytes) {
  TG_ASSERT(state_ == state::begun || state_ == state::streaming);
  if (state_ == state::streaming) head_.clear();
  if (terms_.head_only || shape_.body == framing::none) bytes = {};
  if (shape_.body == framing::length && !bytes.empty()) {
    // More than was announced would be read as the next answer.
    if (bytes.size() > left_) co_return false;
    left_ -= bytes.size();
  }
  const bool chunk = shape_.body == framing::chunked && !bytes.empty();
  if (chunk) append_chunk_size(head_, bytes.size());
  gathered pieces(head_, bytes, chunk ? crlf : std::string_view{});
  state_ = state::streaming;
  committed_ = true;
  if (out_.send_now(pieces)) co_return true;
  co_return co_await deliver(std::move(pieces));
}

awaitable<bool> answer::finish() {
  TG_ASSERT(state_ == state::begun || state_ == state::streaming);
  const bool bare = terms_.head_only || shape_.body == framing::none;
  if (shape_.body == framing::length && left_ > 0 && !bare) co_return false;
  if (state_ == state::streaming) head_.clear();
  const bool ends_chunks = shape_.body == framing::chunked && !bare;
  gathered pieces(head_, ends_chunks ? last_chunk : std::string_view{});
  state_ = state::streaming;
  committed_ = true;
  if (!out_.send_now(pieces)) {
    const bool sent = co_await deliver(std::move(pieces));
    if (!sent) co_return false;
  }
  state_ = state::finished;
  co_return true;
}

void answer::watch_client(std::function<void()> gone) {
  if (!gone) return out_.unwatch();
  out_.watch(std::move(gone), owner_.lock(), !terms_.http10 && !committed_);
}

}  // namespace tidegate::http
