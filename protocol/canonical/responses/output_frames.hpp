#pragma once
/// The frames of one Responses stream: numbers them and spells them. What they are about is told by
/// the caller; nothing is checked here.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/responses/output_item.hpp"

namespace tidegate::protocol::responses {

/// The response around its items.
struct response_head {
  std::string id;
  std::string model;
  std::int64_t created = 0;
  /// Members of the client's request, as it wrote them, that a finished response repeats.
  std::vector<std::pair<std::string_view, std::string>> echoed;
};

response_head head_of(const answer_context& with);

class output_frames {
 public:
  void opening(std::string& into, const response_head& head);
  void item_added(std::string& into, const output_item& item);
  void item_done(std::string& into, const output_item& item);
  /// `piece` is the inside of a JSON string.
  void delta(std::string& into, const output_item& item, std::string_view piece);
  void summary_part_added(std::string& into, const output_item& item);
  void summary_part_done(std::string& into, const output_item& item);
  void annotation_added(std::string& into, const output_item& item);
  void partial_image(std::string& into, const output_item& item, std::string_view base64);
  /// `response` is the whole of it.
  void terminal(std::string& into, std::string_view type, std::string_view response);
  std::int64_t next_sequence() const { return sequence_; }

 private:
  template <class Fill>
  void frame(std::string& into, std::string_view type, Fill fill);
  template <class Fill>
  void item_frame(std::string& into, std::string_view type, const output_item& item, Fill fill);
  void content_frames(std::string& into, const output_item& item);

  std::int64_t sequence_ = 0;
};

}  // namespace tidegate::protocol::responses
