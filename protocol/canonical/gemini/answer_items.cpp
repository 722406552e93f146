#include "protocol/canonical/gemini/answer_items.hpp"

#include <algorithm>
#include <array>

#include "protocol/canonical/gemini/call_ids.hpp"
#include "protocol/canonical/gemini/tokens.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"

namespace tidegate::protocol::gemini {
namespace {

constexpr std::array<std::string_view, 9> filtered{"SAFETY",
                                                   "RECITATION",
                                                   "BLOCKLIST",
                                                   "PROHIBITED_CONTENT",
                                                   "SPII",
                                                   "IMAGE_SAFETY",
                                                   "MODEL_ARMOR",
                                                   "IMAGE_PROHIBITED_CONTENT",
                                                   "IMAGE_RECITATION"};

/// What the model said was no answer: as a success it would be an empty one.
constexpr std::array<std::string_view, 5> broken_ends{
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE"};

finish_reason reason_of(std::string_view word, bool blocked, bool calls) {
  if (blocked || std::ranges::find(filtered, word) != filtered.end()) {
    return finish_reason::content_filter;
  }
  if (word == "MAX_TOKENS") return finish_reason::length;
  if (calls) return finish_reason::tool_use;
  return word == "STOP" ? finish_reason::stop : finish_reason::other;
}

/// Characters before the byte `at`.
std::int64_t characters(std::string_view text, std::int64_t at) {
  const auto bytes = std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(text.size()));
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return std::ranges::count_if(text.substr(0, static_cast<std::size_t>(bytes)), begins);
}

/// The text in `{"input": text}`; nullopt when the object is another.
std::optional<std::string> input_of(std::string_view arguments) {
  const auto layout = read_object(arguments, arguments.size());
  if (!layout) return std::nullopt;
  const auto input = find_value(arguments, *layout, "input");
  if (!input || !input->starts_with('"')) return std::nullopt;
  return plain(raw_text{input->substr(1, input->size() - 2)});
}

}  // namespace

void answer_items::start(std::vector<event>& into) {
  if (started_) return;
  started_ = true;
  into.emplace_back(start_);
}

void answer_items::open(item_kind kind, std::vector<event>& into) {
  if (open_ == kind) return;
  close(into);
  item_start item;
  item.index = next_++;
  item.kind = kind;
  into.emplace_back(std::move(item));
  open_ = kind;
}

void answer_items::close(std::vector<event>& into) {
  if (!open_) return;
  into.emplace_back(item_end{next_ - 1});
  open_.reset();
  text_.clear();
}

/// Whatever has no other form was made by this provider's own model.
void answer_items::sign(const std::string& token, std::vector<event>& into) {
  if (token.empty() || is_sentinel(token)) return;
  const token_owner owner = owner_of(token);
  into.emplace_back(signature_event{
      next_ - 1, owner == token_owner::unknown ? token_owner::gemini : owner, false, token});
}

void answer_items::add(const answer_part& part, std::vector<event>& into) {
  if (finished_) return;
  start(into);
  if (!part.name.empty()) {
    add_call(part, into);
  } else if (!part.base64.empty()) {
    add_image(part, into);
  } else {
    add_text(part, into);
  }
}

/// A signature alone belongs to what is open, and opens no text.
void answer_items::add_text(const answer_part& part, std::vector<event>& into) {
  const bool says = part.text && !part.text->empty();
  if (!says && part.signature.empty()) return;
  if (says && !part.thought) {
    open(item_kind::text, into);
    text_ += *part.text;
    into.emplace_back(text_delta{next_ - 1, *part.text});
    return sign(part.signature, into);
  }
  if (says || !open_ || (part.thought && open_ != item_kind::reasoning)) {
    open(item_kind::reasoning, into);
  }
  if (says) into.emplace_back(reasoning_delta{next_ - 1, 0, *part.text});
  sign(part.signature, into);
  if (open_ == item_kind::reasoning && !part.signature.empty()) close(into);
}

void answer_items::add_call(const answer_part& part, std::vector<event>& into) {
  close(into);
  const auto* known = find_tool(names_, part.name);
  const std::string_view arguments = part.arguments.empty() ? "{}" : part.arguments;
  item_start item;
  item.index = next_++;
  item.kind = item_kind::tool_call;
  item.call_id = part.call_id.empty() ? made_id(part.name, arguments, calls_, start_.response_id)
                                      : part.call_id;
  item.name = known != nullptr ? known->name : part.name;
  if (known != nullptr) {
    item.name_space = known->name_space;
    item.tool = known->kind;
  }
  const bool custom = item.tool == tool_kind::custom;
  ++calls_;
  const std::uint32_t index = item.index;
  into.emplace_back(std::move(item));
  std::string text{arguments};
  if (custom) text = input_of(arguments).value_or(text);
  if (!text.empty()) into.emplace_back(arguments_delta{index, std::move(text)});
  sign(part.signature, into);
  into.emplace_back(item_end{index});
}

void answer_items::add_image(const answer_part& part, std::vector<event>& into) {
  if (part.thought || !part.mime.starts_with("image/")) return;
  open(item_kind::image, into);
  into.emplace_back(image_chunk{next_ - 1, false, part.mime, part.base64});
  close(into);
}

void answer_items::rate(std::string tokens, std::vector<event>& into) {
  if (tokens.empty() || open_ != item_kind::text) return;
  into.emplace_back(logprobs_event{next_ - 1, std::move(tokens)});
}

void answer_items::count(const usage& counts, std::vector<event>& into) {
  counts_ = counts;
  if (finished_) into.emplace_back(usage_event{counts});
}

void answer_items::cite(std::vector<event>& into) {
  if (open_ != item_kind::text) return;
  const std::uint32_t index = next_ - 1;
  for (const auto& support : grounding_.supports) {
    for (const auto at : support.sources) {
      if (at < 0 || at >= static_cast<std::int64_t>(grounding_.sources.size())) continue;
      const auto& source = grounding_.sources[static_cast<std::size_t>(at)];
      into.emplace_back(citation_added{index, source.url, source.title,
                                       characters(text_, support.begin),
                                       characters(text_, support.end)});
    }
  }
  if (!grounding_.supports.empty()) return;
  for (const auto& source : grounding_.sources) {
    if (source.url.empty()) continue;
    into.emplace_back(citation_added{index, source.url, source.title, {}, {}});
  }
}

void answer_items::tell_search(std::vector<event>& into) {
  if (grounding_.queries.empty()) return;
  std::string query;
  for (const auto& one : grounding_.queries) query.append(query.empty() ? "" : ", ").append(one);
  item_start item;
  item.index = next_++;
  item.kind = item_kind::server_tool;
  item.tool = tool_kind::server;
  item.name = "web_search";
  const std::uint32_t index = item.index;
  into.emplace_back(std::move(item));
  into.emplace_back(arguments_delta{index, object_writer{}.text("query", query).str()});
  for (const auto& source : grounding_.sources) {
    if (!source.url.empty()) into.emplace_back(citation_added{index, source.url, source.title, {}, {}});
  }
  into.emplace_back(item_end{index});
}

void answer_items::finish(const std::string& reason, std::string message, bool blocked,
                          std::vector<event>& into) {
  if (finished_) return;
  start(into);
  cite(into);
  close(into);
  tell_search(into);
  finished_ = true;
  if (counts_) into.emplace_back(usage_event{*counts_});
  if (!blocked && calls_ == 0 && std::ranges::find(broken_ends, reason) != broken_ends.end()) {
    if (message.empty()) message = "the model's answer ended with " + reason;
    into.emplace_back(failed_event{502, "upstream_error", {}, std::move(message)});
    return;
  }
  into.emplace_back(finish_event{reason_of(reason, blocked, calls_ > 0), {}, reason});
}

}  // namespace tidegate::protocol::gemini
