#pragma once
/// One attempt whose provider speaks another protocol than its client: the call in the provider's
/// words, and the answer in the client's. Pure; owner: one model_call, on its strand.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/canonical/call_check.hpp"
#include "protocol/canonical/codec.hpp"
#include "protocol/envelope.hpp"
#include "protocol/thinking.hpp"
#include "provider/provider.hpp"

namespace tidegate::http {

/// How this credential is spoken to. A Chat endpoint of OpenAI's own host takes what OpenAI takes.
provider::speech spoken_to(const provider::credential& who, protocol::surface surface,
                           std::string_view model);

/// What a model call knows about its client for every attempt.
struct translation_source {
  protocol::wire client = protocol::wire::openai_chat;
  const protocol::canonical_request* call = nullptr;
  protocol::answer_context answer;
  bool stream = false;
};

class translation {
 public:
  /// The call as it is spelled for this provider; its thinking was fitted to the model.
  translation(const translation_source& from, const provider::speech& to,
              std::string_view provider_name, const protocol::thinking_target& model);

  /// errc::invalid_input: the call grew beyond what a body may be, in depth for example.
  const result<void>& spelled() const { return spelled_; }
  /// The body to send, with its envelope.
  const std::string& body() const { return body_; }
  const protocol::envelope& head() const { return head_; }
  /// The provider's own surface for it.
  protocol::surface surface() const { return surface_; }
  std::string_view query() const;

  /// Streams: appends what the client sees of this frame. errc::invalid_input: the frame does not
  /// belong into the answer, and nothing that follows can be trusted.
  result<void> feed(const protocol::sse_frame& frame, std::string& into);
  /// The provider's stream has ended. errc::invalid_input: the answer is not whole.
  result<void> finish(std::string& into);
  /// Ends the client's stream with a failure; nothing may follow.
  void fail(const protocol::failed_event& what, std::string& into);

  /// A provider's stream for a client that wants a whole answer.
  void collect(const protocol::sse_frame& frame);
  /// errc::invalid_input when the collected answer is not whole.
  result<std::string> collected();
  /// The failure that the provider told in its answer, with a status that its words stand for.
  const std::optional<protocol::failed_event>& told() const { return told_; }
  /// A whole answer of the provider as the client wants it: whole, or as a stream of events.
  result<std::string> whole(const std::string& body);

 private:
  /// errc::invalid_input: an event says that the answer cannot be trusted.
  result<void> check(const std::vector<protocol::event>& events);
  void spell(const std::vector<protocol::event>& events, std::string& into);
  result<std::string> spell_whole(const std::vector<protocol::event>& events);

  const translation_source& from_;
  protocol::wire form_;
  protocol::surface surface_;
  std::string body_;
  result<void> spelled_;
  protocol::envelope head_;
  protocol::tool_names names_;
  std::unique_ptr<protocol::stream_decoder> decoder_;
  std::unique_ptr<protocol::stream_encoder> encoder_;
  std::vector<protocol::event> events_;
  protocol::call_check calls_;
  std::optional<protocol::failed_event> told_;
};

/// A whole answer of this protocol as its stream; empty when it is none, or a failure.
std::string spell_stream(protocol::wire form, const std::string& body,
                         const protocol::answer_context& with);

}  // namespace tidegate::http
