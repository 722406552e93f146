#pragma once
/// The last step towards a client whose surface puts its protocol's words into another outer form:
/// text completions are Chat answers, and streamGenerateContent without `alt=sse` is an array of
/// Gemini's events. Works on finished bytes, passed through or translated alike. One object per
/// attempt; pure. What it cannot read goes out as it came; nothing throws.

#include <memory>
#include <string>
#include <string_view>

namespace tidegate::protocol {

class answer_shape {
 public:
  virtual ~answer_shape() = default;
  /// A whole answer, in place.
  virtual void whole(std::string& body) = 0;
  /// Complete frames of the protocol's stream, also of its errors: appends what the client sees.
  virtual void frames(std::string_view sse, std::string& into) = 0;
  /// Behind the last frame, after a good ending or an error.
  virtual void end(std::string& into) = 0;
  /// False: the stream is one JSON document, in which no comment may stand.
  virtual bool is_event_stream() const = 0;
};

/// The events as the elements of one JSON array; an error is its last element.
std::unique_ptr<answer_shape> make_event_array();

}  // namespace tidegate::protocol
