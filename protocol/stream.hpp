#pragma once
/// Stream rules per wire format: what a frame means, how a good ending looks, and how the events
/// of a stream fold into the whole body that a non-streaming client asked for.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "protocol/sse.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

/// Classifies by event name and the first bytes of `data`; reads JSON only where it must.
/// Responses: created, in_progress and queued open the stream; codex.*, keepalive and a stray
/// `[DONE]` are telemetry; error, response.error and response.failed are errors; completed,
/// incomplete and done end it. Chat: `[DONE]` ends it, a top-level `error` or an event of that name
/// is an error, first chunks that only carry the role open it. Messages: message_start opens it, a
/// ping is a comment, message_stop ends it. Gemini: an error object is an error, nothing ends it.
frame_role role_of(wire form, const sse_frame& frame);

/// True when a stream of this format that ends without a terminal frame was cut.
/// Gemini has no terminal frame: its last chunk carries a finishReason.
bool needs_terminal(wire form);

/// Collects a Responses stream into the `response` object of its terminal event; an empty
/// `output` is refilled from response.output_item.done items (by output_index, those without one
/// last, then arrival). Everything after the terminal event is ignored, and so are failures: the
/// relay answers those itself.
class responses_fold {
 public:
  /// `bytes_max` bounds everything kept. errc::limit_exceeded beyond it.
  explicit responses_fold(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  result<void> add(const sse_frame& frame);
  /// The body, once a terminal event was seen; errc::invalid_input when there was none.
  result<std::string> finish();

 private:
  struct item {
    long index = -1;
    std::string raw;
  };
  result<void> keep(std::string_view raw);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::string terminal_;
  std::vector<item> items_;
};

}  // namespace tidegate::protocol
