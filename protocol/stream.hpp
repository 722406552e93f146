#pragma once
/// Stream rules per wire format: what a frame means, how a good ending looks, and how the events
/// of a stream fold into the whole body that a non-streaming client asked for.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "protocol/answer_fold.hpp"
#include "protocol/sse.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

/// Classifies by event name and the first bytes of `data`: it is asked for every frame of a stream.
/// Responses: created, in_progress and queued open the stream, output_item.added,
/// content_part.added and reasoning_summary_part.added an empty part of it; codex.*, keepalive and
/// a stray `[DONE]` are telemetry; error, response.error and response.failed are errors; completed,
/// incomplete and done end it. Chat: `[DONE]` ends it; a top-level `error`, an event of that name,
/// or top-level `code` and `message` without choices are an error. Messages: message_start opens
/// it, content_block_stop closes a part and says nothing itself, a ping is a comment, message_stop
/// ends it. Gemini: an error object is an error, what is no JSON object is broken, nothing ends it.
frame_role role_of(wire form, const sse_frame& frame);

/// Whether a content or end frame gives the client something of the answer: text, thinking, a
/// tool's name or arguments, an image, a reason to stop. False for roles without words, empty
/// containers, empty deltas and bare usage. Reads the JSON of small frames: ask only until the
/// first output.
bool carries_output(wire form, const sse_frame& frame);

/// The sequence number behind that of a Responses event; 0 when its beginning tells none.
std::int64_t next_sequence(std::string_view event);

/// Whether the frame says that the answer is whole: a choice's finish_reason (Chat), a
/// finishReason or blockReason (Gemini). Always false for the formats whose terminal frame says it.
bool finishes(wire form, const sse_frame& frame);

/// At the end of the bytes, behind the last next(): lets it take one more event, which came without
/// its blank line. False: the bytes ended inside an event, whose data is neither an object nor
/// `[DONE]`.
bool close_last_frame(sse_splitter& split);

/// What a client of this format still waits for behind a finished answer whose provider left the
/// terminal frame out; empty where nothing can be supplied.
std::string_view missing_end(wire form);

/// Collects a Responses stream into the `response` object of its terminal event; an empty
/// `output` is refilled from response.output_item.done items (by output_index, those without one
/// last, then arrival). Everything after the terminal event is ignored, and so are failures: the
/// relay answers those itself.
class responses_fold final : public answer_fold {
 public:
  /// `bytes_max` bounds everything kept. errc::limit_exceeded beyond it.
  explicit responses_fold(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  result<void> add(const sse_frame& frame) override;
  /// The body, once a terminal event was seen; errc::invalid_input when there was none.
  result<std::string> finish() override;

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
