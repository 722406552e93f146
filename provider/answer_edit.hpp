#pragma once
/// What is done to one attempt's answer before anybody reads it, where a provider writes its
/// protocol with a difference or in an envelope. Made together with the request; pure, never
/// throws: what it cannot read stays as it came.

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "protocol/sse.hpp"

namespace tidegate::provider {

class answer_edit {
 public:
  virtual ~answer_edit() = default;
  /// What this frame becomes, in order; nothing: nobody sees it. Lives until the next call, and no
  /// longer than the frame itself.
  virtual std::span<const protocol::sse_frame> frames(const protocol::sse_frame& frame) = 0;
  /// A whole answer, in place. errc::invalid_input: it is none that a client could read.
  virtual result<void> whole(std::string& body) = 0;
};

/// The frame alone where nothing is done to the answer.
inline std::span<const protocol::sse_frame> frames_of(answer_edit* edit,
                                                      const protocol::sse_frame& frame) {
  return edit == nullptr ? std::span{&frame, 1} : edit->frames(frame);
}

/// The frames that one frame becomes.
class made_frames {
 public:
  void clear();
  /// As it is; its views stay those of the splitter.
  void pass(const protocol::sse_frame& frame) { frames_.push_back(frame); }
  /// `data` is JSON; `event` empty: without a line for it.
  void add(std::string_view event, std::string_view data);
  std::span<const protocol::sse_frame> all() const { return frames_; }

 private:
  std::vector<protocol::sse_frame> frames_;
  std::deque<std::string> texts_;
};

}  // namespace tidegate::provider
