#include "provider/codex/renames.hpp"

#include "provider/text_match.hpp"

#include <simdjson.h>

#include <array>
#include <utility>

namespace tidegate::provider::codex {
namespace {

namespace ondemand = simdjson::ondemand;
using word = std::pair<std::string_view, std::string_view>;

constexpr std::array role_words{word{R"("system")", R"("developer")"}};
constexpr std::array tool_words{word{R"("web_search_preview")", R"("web_search")"},
                                word{R"("web_search_preview_2025_03_11")", R"("web_search")"}};

/// One member of the body, copied with the padding that the reader needs. Offsets are those of
/// the body.
class walked_member {
 public:
  walked_member(const request_input& in, const protocol::member& at)
      : offset_(at.value_offset),
        text_(std::string_view{in.body}.substr(at.value_offset, at.value_size)) {}

  bool open() { return parser_.iterate(text_).get(document_) == simdjson::SUCCESS; }
  ondemand::document& document() { return document_; }

  /// Replaces the string under `key` when it is one of the words.
  template <std::size_t N>
  void rename(ondemand::object object, std::string_view key, const std::array<word, N>& words,
              protocol::splice& edits) const {
    ondemand::value value;
    if (object.find_field_unordered(key).get(value) != simdjson::SUCCESS) return;
    const std::string_view token = trimmed(value.raw_json_token());
    for (const auto& [from, to] : words) {
      if (token != from) continue;
      const auto at = static_cast<std::size_t>(token.data() - text_.data());
      edits.replace(offset_ + at, token.size(), std::string{to});
    }
  }

 private:
  std::size_t offset_;
  simdjson::padded_string text_;
  ondemand::parser parser_;
  ondemand::document document_;
};

bool holds(const request_input& in, const protocol::member& at, std::string_view text) {
  return std::string_view{in.body}.substr(at.value_offset, at.value_size).find(text) !=
         std::string_view::npos;
}

template <std::size_t N>
void rename_in_items(protocol::splice& edits, const request_input& in, std::string_view member,
                     std::string_view key, const std::array<word, N>& words,
                     std::string_view sign) {
  const auto* at = in.head.find(member);
  if (at == nullptr || in.body[at->value_offset] != '[' || !holds(in, *at, sign)) return;
  walked_member walked{in, *at};
  ondemand::array items;
  if (!walked.open() || walked.document().get_array().get(items) != simdjson::SUCCESS) return;
  for (auto item : items) {
    ondemand::object object;
    const auto code = item.get_object().get(object);
    if (code == simdjson::INCORRECT_TYPE) continue;
    if (code != simdjson::SUCCESS) return;
    walked.rename(object, key, words, edits);
  }
}

void rename_choice(protocol::splice& edits, const request_input& in) {
  const auto* at = in.head.find("tool_choice");
  if (at == nullptr || in.body[at->value_offset] != '{') return;
  if (!holds(in, *at, "web_search_preview")) return;
  walked_member walked{in, *at};
  ondemand::object object;
  if (!walked.open() || walked.document().get_object().get(object) != simdjson::SUCCESS) return;
  walked.rename(object, "type", tool_words, edits);
}

}  // namespace

void rename_legacy_words(protocol::splice& edits, const request_input& in) {
  rename_in_items(edits, in, "input", "role", role_words, role_words.front().first);
  rename_in_items(edits, in, "tools", "type", tool_words, "web_search_preview");
  rename_choice(edits, in);
}

}  // namespace tidegate::provider::codex
