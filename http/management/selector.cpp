#include "http/management/selector.hpp"

#include <algorithm>

namespace tidegate::http::management {

bool selector::matches(const credential_view& view) const {
  const auto& who = *view.record;
  if (auth_index && *auth_index != who.auth_index) return false;
  return !name || *name == name_of(who) || *name == who.id.value;
}

bool selector::names_one() const {
  return !name.value_or("").empty() || !auth_index.value_or("").empty();
}

const credential_view* find(const std::vector<credential_view>& all, const selector& wanted) {
  const auto found =
      std::ranges::find_if(all, [&](const auto& view) { return wanted.matches(view); });
  return found == all.end() ? nullptr : &*found;
}

result<selector> selector_of(const json& body) {
  auto name = text_member(body, "name");
  if (!name) return std::unexpected{name.error()};
  selector out{std::move(*name), std::nullopt};
  for (const char* spelling : {"auth_index", "authIndex", "AuthIndex"}) {
    auto index = text_member(body, spelling);
    if (!index) return std::unexpected{index.error()};
    if (!*index) continue;
    if (out.auth_index) return failed(errc::invalid_input, "auth_index is there in two spellings");
    out.auth_index = std::move(*index);
  }
  return out;
}

}  // namespace tidegate::http::management
