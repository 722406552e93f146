#pragma once
/// Puts the client's own name of a model where a provider's answer names another: `model` of Chat
/// and whole answers, `response.model` of Responses events, `message.model` of message_start,
/// `modelVersion` of Gemini. Only the name's bytes change; what cannot be read goes out as it came.
/// One object per attempt; nothing throws.

#include <string>
#include <string_view>

#include "protocol/sse.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

class model_rename {
 public:
  model_rename(wire form, std::string_view name);

  /// A whole answer, in place.
  void whole(std::string& body) const;
  /// Appends the frame as the client sees it.
  void frame(const sse_frame& in, std::string& into) const;

 private:
  /// The name's token in the data of an event; empty when there is none to change.
  std::string_view token_in_event(std::string_view data) const;
  std::string_view token_in(std::string_view object) const;

  wire form_;
  std::string_view member_;  ///< where the protocol has the name
  std::string quoted_;
};

}  // namespace tidegate::protocol
