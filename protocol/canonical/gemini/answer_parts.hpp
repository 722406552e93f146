#pragma once
/// Makes Gemini's parts of events, for streams and for whole answers alike. One object per answer.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/canonical/event.hpp"

namespace tidegate::protocol::gemini {

/// One part, or the next piece of one. `members` are JSON members; texts have none.
struct part_piece {
  std::uint32_t index = 0;  ///< of the item
  bool thought = false;
  std::string text;
  std::string members;
  std::string signature;
};

class answer_parts {
 public:
  /// The piece that an event adds; nullopt = none. A call is a piece at its end. Google's servers
  /// want the first call of a turn signed when it comes back: one of another provider gets the
  /// signature that stands for none.
  std::optional<part_piece> on(const event& what);

  bool finished() const { return reason_.has_value(); }
  const std::optional<failed_event>& failure() const { return failure_; }
  const start_event& start() const { return start_; }
  finish_reason reason() const { return reason_.value_or(finish_reason::other); }
  const usage& counts() const { return counts_; }
  /// Of the tokens of all texts, as a logprobs_event has them.
  const std::string& logprobs() const { return logprobs_; }
  /// URL and title, each once.
  const std::vector<std::pair<std::string, std::string>>& sources() const { return sources_; }

 private:
  struct item {
    item_start head;
    std::string arguments;
    std::string token;
    std::optional<std::uint32_t> summary_part;
  };

  std::optional<part_piece> on_event(const start_event& what);
  std::optional<part_piece> on_event(const item_start& what);
  std::optional<part_piece> on_event(const text_delta& what);
  std::optional<part_piece> on_event(const reasoning_delta& what);
  std::optional<part_piece> on_event(const arguments_delta& what);
  std::optional<part_piece> on_event(const image_chunk& what);
  std::optional<part_piece> on_event(const citation_added& what);
  std::optional<part_piece> on_event(const logprobs_event& what);
  std::optional<part_piece> on_event(const signature_event& what);
  std::optional<part_piece> on_event(const item_end& what);
  std::optional<part_piece> on_event(const usage_event& what);
  std::optional<part_piece> on_event(const finish_event& what);
  std::optional<part_piece> on_event(const failed_event& what);

  start_event start_;
  std::map<std::uint32_t, item> open_;
  std::vector<std::pair<std::string, std::string>> sources_;
  usage counts_;
  std::string logprobs_;
  bool called_ = false;  ///< a call was written
  std::optional<finish_reason> reason_;
  std::optional<failed_event> failure_;
};

/// The inside of one entry of `parts`.
std::string part_json(const part_piece& piece);
std::string_view word_of(finish_reason reason);
std::string usage_json(const usage& counts);

}  // namespace tidegate::protocol::gemini
