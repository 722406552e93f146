#pragma once
/// Events as a Chat stream. Source: spec/translation.md 3.
/// The first chunk has the role and empty content; each delta is a chunk of its own; one chunk has
/// the finish_reason; then, when the client asked, one with usage and no choices; then `[DONE]`.
/// - Parts of a summary, and separate thoughts, have a blank line between them.
/// - Images are sent when they are final; calls of the provider's own tools are hidden.
/// - A client that declared `functions` gets the first call as `function_call`, and no other.
/// - A failure is an error object without `[DONE]`, and so is an end without a finish.
/// Internal to chat/.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/canonical/chat/words.hpp"
#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/json_out.hpp"

namespace tidegate::protocol::chat {

/// `{type url_citation, url_citation{...}}`.
void write_citation(json_out& out, const citation_added& what);

class chat_encoder final : public stream_encoder {
 public:
  explicit chat_encoder(answer_context with)
      : with_(std::move(with)), functions_(declares_functions(with_.request_body)) {}

  void on(const event& what, std::string& into) override;
  void finish(std::string& into) override;

 private:
  struct item {
    item_kind kind = item_kind::text;
    tool_kind tool = tool_kind::function;
    bool is_call = false;
    bool said = false;
    std::uint32_t part = 0;
    std::size_t position = 0;  ///< among the calls
  };

  void start(const start_event& e, std::string& into);
  void open(const item_start& e, std::string& into);
  void text(const text_delta& e, std::string& into);
  void thought(const reasoning_delta& e, std::string& into);
  void arguments(const arguments_delta& e, std::string& into);
  void image(const image_chunk& e, std::string& into);
  void cite(const citation_added& e, std::string& into);
  void chances(const logprobs_event& e, std::string& into);
  void sign(const signature_event& e, std::string& into);
  void close(const item_end& e, std::string& into);
  void stop(const finish_event& e, std::string& into);
  void fail(const failed_event& e, std::string& into);

  item* find(std::uint32_t index);
  /// A chunk with these members in its delta.
  void write(std::string_view members, std::string& into);
  void write_text(std::string_view member, std::string_view prefix, std::string_view text,
                  std::string& into);

  answer_context with_;
  bool functions_;  ///< the client knows function_call instead of tool_calls
  std::string response_id_;
  std::string head_;   ///< `data: {"id":...,`; empty before the start
  std::string delta_;  ///< the head up to the inside of the delta
  std::vector<item> items_;
  std::size_t calls_ = 0;
  std::size_t images_ = 0;
  usage counts_;
  bool thought_before_ = false;
  bool refused_ = false;  ///< a refusal was told
  bool stopped_ = false;
  bool ended_ = false;
};

}  // namespace tidegate::protocol::chat
