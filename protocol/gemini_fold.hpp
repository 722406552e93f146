#pragma once
/// Collects a Gemini stream into one GenerateContentResponse. Parts follow each other as they came;
/// adjacent texts of one kind (answer or thought) that have no further member, a signature for
/// example, are one part. Of every other member of the answer, of a candidate and of its content
/// the last one stays, byte for byte: usageMetadata, finishReason, groundingMetadata and whatever
/// else there may be. Pure; never throws.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/answer_fold.hpp"

namespace tidegate::protocol {

class gemini_fold final : public answer_fold {
 public:
  explicit gemini_fold(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  /// errc::invalid_input: the frame has more candidates or members than an answer has.
  result<void> add(const sse_frame& frame) override;
  /// errc::connection_closed when nothing said why the answer ended.
  result<std::string> finish() override;

 private:
  /// Raw keys and values in the order of their first appearance.
  using members = std::vector<std::pair<std::string, std::string>>;
  struct part {
    std::string raw;   ///< of a text: what is written in front of it
    std::string text;  ///< still escaped
    bool joins = false;
  };
  struct candidate {
    std::string index;  ///< raw; empty as in most streams: the only one
    members rest;
    members content;
    std::vector<part> parts;
    bool has_content = false;
  };

  static bool keep_last(members& all, std::string_view key, std::string_view value);
  static part read_part(std::string_view raw);
  static void add_part(candidate& to, std::string_view raw);
  static bool add_content(candidate& to, std::string_view content);
  bool add_candidate(std::string_view raw);
  candidate* candidate_of(std::string_view index);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  bool finished_ = false;
  members rest_;
  std::vector<candidate> candidates_;
};

}  // namespace tidegate::protocol
