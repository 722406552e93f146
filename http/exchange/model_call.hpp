#pragma once
/// One model call from the parsed request to the last byte of its answer: envelope, exchange with
/// the pool, attempts upstream, relay, refusal. One object per call, on the session's strand.
/// Steps: docs/request.md.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/exchange/payload_body.hpp"
#include "http/exchange/refusal_text.hpp"
#include "http/exchange/services.hpp"
#include "http/exchange/translation.hpp"
#include "http/server/request.hpp"
#include "http/server/responder.hpp"
#include "protocol/answer_shape.hpp"
#include "protocol/envelope.hpp"
#include "protocol/model_rename.hpp"
#include "protocol/stream.hpp"
#include "provider/provider.hpp"

namespace tidegate::http {

/// Error bodies of providers are read up to here.
inline constexpr std::size_t error_body_bytes_max = 64 * 1024;
/// A whole answer up to this size is collected before it is committed, so that a cut can still
/// fail over.
inline constexpr std::size_t collected_bytes_max = 64 * 1024;
/// A folded answer (stream upstream, whole body downstream) may not outgrow this.
inline constexpr std::size_t folded_bytes_max = 64 * 1024 * 1024;
/// One SSE frame may not outgrow this.
inline constexpr std::size_t frame_bytes_max = 50 * 1024 * 1024;
/// Opening frames that carry no content are held back, so that an error right behind them can
/// still fail over.
inline constexpr std::size_t held_frames_max = 48;
inline constexpr std::size_t held_bytes_max = 1024 * 1024;

class model_call {
 public:
  model_call(services& with, request& in, responder& out, session_context& session,
             protocol::surface surface, std::string model_in_path);

  /// Answers the call. Never throws.
  awaitable<void> run();

 private:
  /// How one attempt went on.
  enum class progress : std::uint8_t {
    failed,    ///< nothing was committed: `failure_` says why
    answered,  ///< committed and settled
  };

  /// What shares its connections.
  struct way {
    std::string origin;
    provider::credential_ptr who;  ///< whose proxy it goes through
  };

  awaitable<bool> refuse(protocol::failure what);
  /// The envelope, and in which protocol's words the body is.
  std::optional<protocol::failure> read_head();
  std::optional<protocol::failure> adopt_completion();
  std::optional<protocol::failure> read_again();
  std::unique_ptr<protocol::answer_shape> make_shape() const;
  call_profile profile() const;
  awaitable<void> drive();
  awaitable<void> answer_refusal(const quota::verdict& verdict);
  /// Tokens are asked for, and no provider of this model counts them.
  bool counts_here() const;
  awaitable<void> answer_estimate();
  /// No provider that was asked for a count has such a surface.
  bool lacks_counting(const quota::verdict& verdict) const;
  awaitable<progress> attempt(const next_step& step);
  /// One request to one address.
  awaitable<progress> ask(const provider::upstream_request& sent);
  /// The same request goes to its other address: what failed may be a matter of the first.
  bool turn_to_other(provider::upstream_request& sent);
  awaitable<progress> relay(upstream_response& reply, const provider::upstream_request& sent);
  awaitable<progress> relay_error_reply(upstream_response& reply);
  awaitable<progress> relay_whole(upstream_response& reply);
  awaitable<progress> relay_stream(upstream_response& reply);
  awaitable<progress> relay_folded(upstream_response& reply);
  awaitable<progress> pump(upstream_response& reply, std::string first);

  void fail(quota::outcome how, upstream_error last);
  /// An error document, whatever status it came under.
  progress fail_reply(const upstream_response& reply, int status, std::string body);
  /// A whole answer that could not be translated; the failure that it tells is its status.
  progress fail_answer(const upstream_response& reply, const error& why);
  /// Another protocol's error in the client's own shape.
  void translate_error(upstream_error& last) const;
  void fail_frame(quota::outcome how, const protocol::sse_frame& frame);
  progress fail_transport(const error& why);
  /// No connection was free: the gateway's own bound, which says nothing about the credential.
  progress fail_unasked(std::string why);
  /// This call has waited for such a connection before, in vain.
  bool was_full(const provider::upstream_request& sent) const;
  progress fail_request(const error& why);
  /// Whether a credential of another provider, endpoint or model could take what this one cannot;
  /// asked only of a request that failed.
  bool others_may_take_it() const;
  /// Makes the call ready for the attempt's provider and model, whose configured name may have a
  /// suffix; false: the attempt has failed.
  bool prepare(std::string_view configured_model);
  bool prepare_body(const std::optional<protocol::reasoning_wish>& suffix);
  bool prepare_translation(const std::optional<protocol::reasoning_wish>& suffix);
  bool refuse_thinking(const protocol::thinking_refusal& why);
  void note_fit() const;
  result<provider::upstream_request> build_request();
  /// Payload rules see the body with its edits.
  void make_edits();
  result<std::unique_ptr<payload_body>> apply_payload(const std::string& body,
                                                      const protocol::envelope& head) const;
  /// Reads the client's call into no protocol's words, once.
  result<void> decode_call();
  /// The same for a provider that knows nothing of what was stored elsewhere.
  result<void> decode_foreign_call();
  /// A passed-on call without what only other providers can read.
  void use_own_tokens();
  /// A passed-on Chat call without the pictures of tools, when its model takes none.
  void omit_result_images();
  /// Another body goes out instead of the client's, when it can be read.
  void adopt_own_body(std::string body);
  /// A frame of a stream that is read to its end: notes telemetry. False: the attempt has failed.
  bool hear(const upstream_response& reply, const protocol::sse_frame& frame,
            protocol::frame_role role);
  /// What an in-band error means.
  quota::outcome outcome_of(const upstream_response& reply,
                            const protocol::sse_frame& frame) const;
  awaitable<progress> relay_collected(upstream_response& reply);
  /// `frames`: the body is a whole stream.
  void give_shape(std::string& body, bool frames);
  /// The client wants a stream of a surface that has one.
  bool wants_stream() const;
  /// A passed-on whole answer for a client that streams, as events; false: it stays whole.
  bool make_stream(std::string& body);
  awaitable<progress> answer_whole(const upstream_response& reply, std::string body);
  progress fail_empty();
  /// A whole answer was to be made of a Responses stream that stopped behind some of it. Another
  /// try would be paid for again, and it is no fault of the credential.
  progress fail_unfinished();
  void settle_success();
  /// Whether an answer that is passed on must show another name than the provider's.
  bool renames(const next_step& step) const;
  /// The model exists, but none of its providers has this surface.
  std::optional<protocol::failure> not_supported(const quota::verdict& verdict) const;
  bool is_codex() const;
  void on_client_gone();
  provider::attempt_view view() const;
  std::vector<protocol::header> headers_of(const upstream_response& reply) const;

  friend class stream_relay;

  services& with_;
  request& in_;
  responder& out_;
  session_context& session_;
  const protocol::surface surface_;      ///< as the client called it
  const protocol::surface asked_surface_;  ///< of a provider that speaks the same protocol
  const protocol::wire form_;            ///< of the answer
  protocol::wire body_form_;             ///< of the request
  std::string echo_;                     ///< text completions: what stands before the answer
  std::string model_;                    ///< as the client wrote it
  protocol::envelope head_;
  provider::header_lookup client_header_;
  std::unique_ptr<exchange> exchange_;
  std::unique_ptr<upstream_call> call_;  ///< the attempt under way
  provider::credential_ptr who_;
  const provider::descriptor* kind_ = nullptr;
  provider::speech spoken_{};            ///< of the attempt
  std::string upstream_model_;
  instant started_{};
  std::optional<protocol::canonical_request> canonical_;  ///< of a call that is translated
  protocol::reasoning_wish asked_;                        ///< of its body, before it was fitted
  translation_source source_;
  std::string own_body_;                 ///< of the attempt; empty = the client's body goes out
  protocol::envelope own_head_;
  std::vector<protocol::member_edit> edits_;              ///< of the body, when it is passed on
  std::unique_ptr<translation> translation_;              ///< of the attempt under way
  std::unique_ptr<provider::answer_edit> edit_;           ///< of the attempt; null: nothing is done
  std::unique_ptr<payload_body> payload_;                 ///< of the attempt under way
  std::optional<protocol::model_rename> rename_;          ///< of the attempt; not translated
  std::unique_ptr<protocol::answer_shape> shape_;         ///< of the attempt; null: as it is
  std::optional<quota::outcome> failure_;
  std::optional<quota::window_report> windows_;
  std::optional<upstream_error> last_;
  std::vector<way> full_;                ///< had no connection free in time
  bool gone_ = false;
};

}  // namespace tidegate::http
