#pragma once
/// Relays one SSE answer frame by frame: holds the opening frames back until the first output,
/// passes telemetry on, turns what goes wrong after the first byte into the protocol's own
/// terminal error, supplies an ending that the provider left out behind a finished answer, and
/// keeps a silent stream alive. Part of model_call; on the session's strand.

#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>

#include "http/exchange/model_call.hpp"

namespace tidegate::http {

class stream_relay {
 public:
  stream_relay(model_call& of, upstream_response& reply);
  ~stream_relay();
  stream_relay(const stream_relay&) = delete;
  stream_relay& operator=(const stream_relay&) = delete;

  awaitable<model_call::progress> run();

 private:
  /// What the frames of one read asked for.
  enum class turn : std::uint8_t {
    more,     ///< read on
    failed,   ///< an error before the first byte: the call's `failure_` is set
    ended,    ///< the provider's own ending, good or bad, is in `pending_`
    broken,   ///< an event that cannot be passed on: `broken_` says why
  };

  turn take(std::string_view bytes);
  /// A frame as it came: the provider's difference is taken out of it first.
  turn take_sent(const protocol::sse_frame& frame);
  turn take_frame(const protocol::sse_frame& frame);
  /// Remembers how far a passed-on stream of Responses has counted.
  void note_number(const protocol::sse_frame& frame, protocol::frame_role role);
  turn take_error(const protocol::sse_frame& frame);
  /// The last frame of a body that ended without the blank line behind it.
  turn take_rest();
  turn broken(errc code, const char* why);
  /// False: the frame does not belong into an answer, `broken_` says why.
  bool pass_on(const protocol::sse_frame& frame);
  void put_untranslated(const protocol::sse_frame& frame);
  void pass_on_error(const protocol::sse_frame& frame, int status);
  void end_with(const protocol::failed_event& what);
  /// What still belongs to a good ending. False: the answer is not whole, `broken_` says why.
  bool finish_answer();
  /// Into `pending_`, in the client's outer form.
  void put(std::string_view frames);
  /// Keeps the opening frames back while another credential could still take over.
  void hold();
  awaitable<void> release_held();
  /// Starts the client's answer, once.
  void begin();
  awaitable<bool> flush();
  /// Writes beside run(), which waits for it.
  awaitable<bool> write_apart(std::string_view bytes);
  awaitable<model_call::progress> cut(const error& why);
  awaitable<model_call::progress> end_of_stream();
  awaitable<void> finish_upstream();
  std::vector<protocol::header> head() const;

  awaitable<void> keep_alive(std::chrono::seconds interval);
  awaitable<void> stop_keep_alive();

  model_call& call_;
  upstream_response& reply_;
  protocol::sse_splitter split_;
  std::string pending_;                      ///< whole frames not yet written
  std::size_t held_ = 0;
  bool committed_ = false;
  bool seen_end_ = false;                    ///< the protocol's own good ending came
  bool finished_ = false;                    ///< the answer is whole, whatever ending follows
  std::string last_event_;                   ///< how the last passed Responses event begins
  bool torn_ = false;                        ///< the body ended inside an event
  error broken_{errc::connection_closed, "the provider's stream ended in the middle"};
  std::optional<quota::outcome> in_band_;    ///< error of the provider after the first byte

  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  asio::steady_timer silence_;               ///< bounds the holding, then paces the comments
  asio::steady_timer writing_done_;          ///< cancelled when write_apart has written
  std::chrono::steady_clock::time_point last_write_{};
  bool writing_apart_ = false;
  bool keeping_alive_ = false;
  bool stopped_ = false;
};

}  // namespace tidegate::http
