#include "protocol/gemini_fold.hpp"

#include "protocol/json_items.hpp"
#include "protocol/stream.hpp"

#include <algorithm>

namespace tidegate::protocol {
namespace {

/// Gemini makes eight.
constexpr std::size_t candidates_max = 64;
constexpr std::size_t members_max = 256;

std::string_view value_in(std::string_view container, const json_item& item) {
  return container.substr(item.offset, item.size);
}

bool is_text(std::string_view raw) {
  return raw.starts_with('"');
}

void write_member(std::string& out, std::string_view key, std::string_view value) {
  if (!out.ends_with('{')) out += ',';
  out.append(1, '"').append(key).append("\":").append(value);
}

}  // namespace

bool gemini_fold::keep_last(members& all, std::string_view key, std::string_view value) {
  const auto same = [key](const auto& one) { return one.first == key; };
  const auto known = std::find_if(all.begin(), all.end(), same);
  if (known == all.end()) {
    if (all.size() == members_max) return false;
    all.emplace_back(key, value);
  } else if (value != "null") {
    known->second = value;
  }
  return true;
}

gemini_fold::part gemini_fold::read_part(std::string_view raw) {
  const part whole{std::string{raw}, {}, false};
  const auto items = items_of(raw);
  if (!items || !raw.starts_with('{')) return whole;
  part text{R"({"text":")", {}, false};
  for (const auto& item : *items) {
    const auto value = value_in(raw, item);
    if (key_is(item.key, "text") && is_text(value)) {
      text.text = value.substr(1, value.size() - 2);
      text.joins = true;
    } else if (key_is(item.key, "thought") && value == "true") {
      text.raw = R"({"thought":true,"text":")";
    } else if (!key_is(item.key, "thought") || value != "false") {
      return whole;
    }
  }
  return text.joins ? text : whole;
}

void gemini_fold::add_part(candidate& to, std::string_view raw) {
  auto made = read_part(raw);
  auto* const last = to.parts.empty() ? nullptr : &to.parts.back();
  if (last != nullptr && made.joins && (made.text.empty() || (last->joins && last->raw == made.raw))) {
    if (last->joins) last->text += made.text;
  } else if (last != nullptr && last->joins && last->text.empty()) {
    *last = std::move(made);
  } else {
    to.parts.push_back(std::move(made));
  }
}

bool gemini_fold::add_content(candidate& to, std::string_view content) {
  const auto items = items_of(content);
  if (!items || !content.starts_with('{')) return true;
  to.has_content = true;
  for (const auto& item : *items) {
    const auto value = value_in(content, item);
    const auto parts = key_is(item.key, "parts") && value.starts_with('[') ? items_of(value)
                                                                           : std::nullopt;
    if (!parts) {
      if (!keep_last(to.content, item.key, value)) return false;
      continue;
    }
    for (const auto& one : *parts) add_part(to, value_in(value, one));
  }
  return true;
}

gemini_fold::candidate* gemini_fold::candidate_of(std::string_view index) {
  const auto same = [index](const auto& one) { return one.index == index; };
  const auto known = std::find_if(candidates_.begin(), candidates_.end(), same);
  if (known != candidates_.end()) return &*known;
  if (candidates_.size() == candidates_max) return nullptr;
  candidates_.emplace_back().index = index;
  return &candidates_.back();
}

bool gemini_fold::add_candidate(std::string_view raw) {
  const auto items = items_of(raw);
  if (!items || !raw.starts_with('{')) return true;
  std::string_view index = "0";
  for (const auto& item : *items) {
    if (key_is(item.key, "index")) index = value_in(raw, item);
  }
  auto* const to = candidate_of(index);
  if (to == nullptr) return false;
  return std::all_of(items->begin(), items->end(), [&](const json_item& item) {
    const auto value = value_in(raw, item);
    if (key_is(item.key, "content")) return add_content(*to, value);
    return keep_last(to->rest, item.key, value);
  });
}

result<void> gemini_fold::add(const sse_frame& frame) {
  if (frame.data.size() > bytes_max_ - bytes_) {
    return failed(errc::limit_exceeded, "the response is too large to be collected");
  }
  bytes_ += frame.data.size();
  const auto items = items_of(frame.data);
  if (!items) return {};
  bool fits = true;
  for (const auto& item : *items) {
    const auto value = value_in(frame.data, item);
    const bool list = key_is(item.key, "candidates") && value.starts_with('[');
    const auto answers = list ? items_of(value) : std::nullopt;
    if (!answers) fits = fits && keep_last(rest_, item.key, value);
    if (!answers) continue;
    for (const auto& one : *answers) fits = fits && add_candidate(value_in(value, one));
  }
  finished_ = finished_ || finishes(wire::gemini, frame);
  if (!fits) return failed(errc::invalid_input, "an event has more members than an answer has");
  return {};
}

result<std::string> gemini_fold::finish() {
  if (!finished_) {
    return failed(errc::connection_closed, "the provider's stream ended in the middle");
  }
  std::string list = "[";
  for (const auto& one : candidates_) {
    std::string content = "{";
    std::string parts = "[";
    for (const auto& [raw, text, joins] : one.parts) {
      if (parts.size() > 1) parts += ',';
      parts.append(raw).append(text).append(joins ? "\"}" : "");
    }
    if (!one.parts.empty()) write_member(content, "parts", parts + ']');
    for (const auto& [key, value] : one.content) write_member(content, key, value);
    std::string answer = "{";
    if (one.has_content) write_member(answer, "content", content + '}');
    for (const auto& [key, value] : one.rest) write_member(answer, key, value);
    if (list.size() > 1) list += ',';
    list.append(answer).append(1, '}');
  }
  std::string out = "{";
  if (!candidates_.empty()) write_member(out, "candidates", list + ']');
  for (const auto& [key, value] : rest_) write_member(out, key, value);
  return out + '}';
}

}  // namespace tidegate::protocol
