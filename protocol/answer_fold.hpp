#pragma once
/// A stream that becomes the whole body a non-streaming client asked for, in the same protocol.

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "protocol/sse.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

class answer_fold {
 public:
  virtual ~answer_fold() = default;
  /// A frame that is neither an error nor broken. errc::limit_exceeded beyond the bound.
  virtual result<void> add(const sse_frame& frame) = 0;
  /// The body; an error when the stream ended before its answer was whole.
  virtual result<std::string> finish() = 0;
};

/// For Responses and Gemini. `bytes_max` bounds everything kept.
std::unique_ptr<answer_fold> make_answer_fold(wire form, std::size_t bytes_max);

}  // namespace tidegate::protocol
