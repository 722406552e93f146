#pragma once
/// The output of one Responses answer as it grows, and the frames that tell of it. Items get their
/// output_index when they are opened; a message goes on while nothing else has begun. The frames
/// are appended to `into`, which every function takes.

#include <deque>
#include <string>
#include <string_view>

#include "protocol/canonical/responses/output_frames.hpp"

namespace tidegate::protocol::responses {

class output_list {
 public:
  explicit output_list(response_head head) : head_(std::move(head)) {}

  /// The two frames that open a stream.
  void begin(const start_event& what, const answer_context& with, std::string& into);

  output_item* open(output_form form, std::string_view prefix, std::string& into);
  output_item* open_call(const item_start& what, std::string& into);
  output_item* open_text(std::string& into);
  /// Text, a refusal, arguments or input.
  void append(output_item& to, std::string_view text, std::string& into);
  /// `fresh`: it begins a part of the summary.
  void append_thought(output_item& to, std::string_view text, bool fresh, std::string& into);
  void cite(output_item& to, std::string annotation, std::string& into);
  void show_image(output_item& to, const image_chunk& what, std::string& into);
  void close(output_item& what, std::string& into);
  void close_all(std::string& into);
  bool is_last(const output_item& what) const { return &what == &outputs_.back(); }

  void terminal(std::string_view status, std::string_view response, std::string& into);
  std::int64_t next_sequence() const { return frames_.next_sequence(); }
  const response_head& head() const { return head_; }
  const std::deque<output_item>& items() const { return outputs_; }

 private:
  output_item& make(output_form form, std::string id, std::string& into);
  std::string numbered(std::string_view prefix) const;
  void close_idle(std::string& into);

  response_head head_;
  output_frames frames_;
  std::deque<output_item> outputs_;
};

}  // namespace tidegate::protocol::responses
