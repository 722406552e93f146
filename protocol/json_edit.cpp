#include "protocol/json_edit.hpp"

#include <charconv>
#include <utility>

#include "protocol/json_items.hpp"
#include "protocol/json_object.hpp"
#include "protocol/json_text.hpp"
#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

std::optional<envelope> opened(std::string_view object) {
  if (!object.starts_with('{')) return std::nullopt;
  auto layout = read_object(object, object.size());
  if (!layout) return std::nullopt;
  envelope head;
  head.members = std::move(layout->members);
  head.object_begin = layout->begin;
  head.object_end = layout->end;
  return head;
}

}  // namespace

std::string_view member_of(std::string_view object, std::string_view key) {
  const auto head = opened(object);
  const auto* const found = head ? head->find(key) : nullptr;
  return found == nullptr ? std::string_view{} : value_of(object, *found);
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  std::int64_t number = 0;
  const auto* const end = token.data() + token.size();
  const auto [stopped, problem] = std::from_chars(token.data(), end, number);
  if (token.empty() || problem != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

std::string_view inside_of(std::string_view token) {
  const bool text = token.size() >= 2 && token.front() == '"' && token.back() == '"';
  return text ? token.substr(1, token.size() - 2) : std::string_view{};
}

std::string with_member(std::string_view object, std::string_view key, std::string raw) {
  const auto head = opened(object);
  if (!head) return object_writer{}.raw(key, raw).str();
  splice edits{object, *head};
  edits.set(key, std::move(raw));
  return edits.str();
}

std::string without_member(std::string_view object, std::string_view key) {
  const auto head = opened(object);
  if (!head) return std::string{object};
  splice edits{object, *head};
  edits.remove(key);
  return edits.str();
}

std::optional<std::string> with_elements(std::string_view list, const element_change& change) {
  const auto items = list.starts_with('[') ? items_of(list) : std::nullopt;
  if (!items || items->empty()) return std::nullopt;
  std::string out{list.substr(0, items->front().offset)};
  bool changed = false;
  bool first = true;
  std::size_t read = items->front().offset;
  for (const auto& item : *items) {
    const auto between = list.substr(read, item.offset - read);
    const auto element = list.substr(item.offset, item.size);
    const auto replaced = change(element);
    read = item.end();
    changed |= replaced.has_value();
    if (replaced && replaced->empty()) continue;
    if (!std::exchange(first, false)) out.append(between);
    out.append(replaced ? std::string_view{*replaced} : element);
  }
  if (!changed) return std::nullopt;
  return out.append(list.substr(read));
}

}  // namespace tidegate::protocol
