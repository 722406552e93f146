#pragma once
/// xAI's answers as the client's protocol has them: calls of tools by the names and in the kinds in
/// which they were declared, thoughts as summaries, and no traces of the searches that xAI makes on
/// its own. Items that nobody sees leave no gaps in the numbers. Pure; one object per attempt.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/canonical/tool_names.hpp"
#include "provider/answer_edit.hpp"
#include "provider/xai/tool_book.hpp"

namespace tidegate::provider::xai {

/// Hidden items, and calls under way whose kind changes, are remembered up to this many.
inline constexpr std::size_t noted_items_max = 4096;

class restored_answer final : public answer_edit {
 public:
  explicit restored_answer(tool_book book) : book_(std::move(book)), names_(book_.names()) {}

  std::span<const protocol::sse_frame> frames(const protocol::sse_frame& frame) override;
  result<void> whole(std::string& body) override;

 private:
  bool concerns(std::string_view data) const;
  /// A trace of xAI's own search.
  bool is_hidden(std::string_view item) const;
  /// nullopt: it stays as it is.
  std::optional<std::string> restored(std::string_view item) const;
  std::optional<std::string> restored_list(std::string_view output) const;
  std::optional<std::string> restored_response(std::string_view response) const;

  void take(std::string_view type, std::string_view data);
  void take_item(std::string_view type, std::string_view data);
  /// Parts of a summary that xAI tells itself stand before those that its texts become.
  void count_summary(std::string_view data);
  std::string as_summary(std::string_view data) const;
  void take_thought(std::string_view type, std::string_view data);
  void take_part(std::string_view type, std::string_view data);
  void take_arguments(std::string_view type, std::string_view data);
  /// One frame of what goes on, with its numbers.
  void put(std::string_view type, std::string data);
  void drop() { --shift_; }

  tool_book book_;
  protocol::tool_names names_;
  made_frames made_;
  std::vector<std::int64_t> hidden_;  ///< places of items, rising
  std::vector<std::int64_t> custom_;  ///< places of calls that are free-form for the client
  std::string part_;                  ///< the summary's part that is open, by item and number
  std::string summed_;                ///< the item that has a summary of its own
  std::int64_t summary_parts_ = 0;    ///< of that item
  std::int64_t shift_ = 0;            ///< of the frames' numbers
  bool first_ = true;                 ///< of the frames that one frame becomes
};

}  // namespace tidegate::provider::xai
