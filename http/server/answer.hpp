#pragma once
/// The responder of one session: frames one answer after the other on its connection. A piece is
/// written as soon as it is handed over, the head together with the first one. Owner: the session,
/// on its strand.

#include <chrono>
#include <memory>
#include <string>

#include "http/server/connection.hpp"
#include "http/server/core.hpp"
#include "http/server/head_writer.hpp"
#include "http/server/responder.hpp"

namespace tidegate::http {

/// What an answer must know of its request and of the configuration.
struct answer_terms {
  bool keep_alive = true;
  bool http10 = false;
  bool head_only = false;
  bool any_origin = true;
  quota::response_mode mode = quota::response_mode::retryable;
  std::chrono::milliseconds write_timeout{60'000};
};

class answer final : public responder {
 public:
  answer(connection& to, const server_core& core) : out_(to), core_(core) {}

  /// Prepares for the next request; what `owner` names is held by a watch of the client.
  void expect(const answer_terms& terms, std::weak_ptr<void> owner);

  awaitable<bool> send(protocol::reply reply) override;
  void begin(int status, std::vector<protocol::header> headers,
             std::optional<std::uint64_t> content_length) override;
  awaitable<bool> write(std::string_view bytes) override;
  awaitable<bool> finish() override;
  bool committed() const override { return committed_; }
  void watch_client(std::function<void()> gone) override;

  bool begun() const { return state_ != state::fresh; }
  bool finished() const { return state_ == state::finished; }
  /// True when the connection can take the next request.
  bool reusable() const { return finished() && keep_alive_; }
  /// The body is delimited only by the end of the connection.
  bool until_close() const { return shape_.body == framing::until_close; }

 private:
  enum class state : std::uint8_t { fresh, begun, streaming, finished };

  void prepare_head(int status, const std::vector<protocol::header>& headers, framing body,
                    std::uint64_t length);
  awaitable<bool> deliver(gathered pieces);

  connection& out_;
  const server_core& core_;
  answer_terms terms_;
  std::weak_ptr<void> owner_;
  head_shape shape_;
  date_text date_;
  std::string head_;        ///< reused from answer to answer
  std::uint64_t left_ = 0;  ///< of a body with a declared length
  state state_ = state::fresh;
  bool committed_ = false;
  bool keep_alive_ = false;
};

}  // namespace tidegate::http
