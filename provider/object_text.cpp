#include "provider/object_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidegate::provider {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(blanks, at), text.size());
}

/// Behind the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// Behind the value that begins at `at`.
std::size_t value_end(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      return std::min(text.find_first_of(" \t\r\n,}]", at), text.size());
    }
    if (depth == 0) return at;
  }
  return at;
}

std::string decoded(std::string_view quoted) {
  const auto value = nlohmann::json::parse(quoted, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// Takes the blanks at `at` with it.
std::string taken(std::string_view text, std::size_t& at, std::size_t end) {
  std::string out{text.substr(at, end - at)};
  at = end;
  return out;
}

}  // namespace

result<object_text> object_text::parse(std::string_view text) {
  auto at = skip_blanks(text, 0);
  if (at >= text.size() || text[at] != '{') return failed(errc::invalid_input, "not a JSON object");
  object_text out;
  out.before_ = text.substr(0, ++at);
  while (at < text.size()) {
    const auto begin = skip_blanks(text, at);
    if (begin >= text.size() || text[begin] != '"') break;
    member next;
    next.lead = taken(text, at, begin);
    next.key = taken(text, at, string_end(text, at));
    next.name = decoded(next.key);
    next.gap = taken(text, at, skip_blanks(text, skip_blanks(text, at) + 1));
    next.raw = taken(text, at, value_end(text, at));
    next.tail = taken(text, at, skip_blanks(text, at));
    if (out.find(next.name) != nullptr) {
      return failed(errc::invalid_input, "`" + next.name + "` is there twice");
    }
    out.members_.push_back(std::move(next));
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  out.after_ = text.substr(at);
  return out;
}

const object_text::member* object_text::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &member::name);
  return found == members_.end() ? nullptr : &*found;
}

void object_text::set(std::string_view name, std::string raw) {
  const auto found = std::ranges::find(members_, name, &member::name);
  if (found != members_.end()) {
    found->raw = std::move(raw);
    return;
  }
  member next;
  next.name = name;
  next.key = nlohmann::json(next.name)
                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  next.gap = ":";
  next.raw = std::move(raw);
  if (!members_.empty()) {
    auto& last = members_.back();
    const bool in_lines = last.lead.find('\n') != std::string::npos;
    next.gap = last.gap;
    if (in_lines || members_.size() > 1) next.lead = last.lead;
    if (!in_lines && members_.size() == 1 && last.gap.ends_with(' ')) next.lead = " ";
    next.tail = std::exchange(last.tail, {});
  }
  members_.push_back(std::move(next));
}

bool object_text::erase(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &member::name);
  if (found == members_.end()) return false;
  const auto next = std::next(found);
  if (found == members_.begin() && next != members_.end()) {
    next->lead = found->lead;
  } else if (next == members_.end() && found != members_.begin()) {
    std::prev(found)->tail = found->tail;
  }
  members_.erase(found);
  if (members_.empty()) after_.erase(0, after_.find('}'));
  return true;
}

std::string object_text::indent() const {
  if (members_.empty()) return {};
  const auto& lead = members_.front().lead;
  const auto line = lead.rfind('\n');
  return line == std::string::npos ? std::string{} : lead.substr(line + 1);
}

std::string object_text::str() const {
  std::string out = before_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto& one = members_[i];
    if (i > 0) out += ',';
    out.append(one.lead).append(one.key).append(one.gap).append(one.raw).append(one.tail);
  }
  return out + after_;
}

std::string text_of(const object_text::member* member) {
  return member == nullptr ? std::string{} : decoded(member->raw);
}

}  // namespace tidegate::provider
