#pragma once
/// Lists of Gemini's protocol, which Google also takes as their only element. Pure.

#include <string_view>

#include "protocol/json_items.hpp"

namespace tidegate::provider {

/// Calls `each` with the raw text of every element, in order.
template <class Each>
void for_elements(std::string_view list, Each each) {
  if (list.starts_with('{')) return each(list);
  const auto items = list.starts_with('[') ? protocol::items_of(list) : std::nullopt;
  if (!items) return;
  for (const auto& item : *items) each(list.substr(item.offset, item.size));
}

}  // namespace tidegate::provider
