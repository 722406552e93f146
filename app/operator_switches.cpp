#include "app/operator_switches.hpp"

#include "base/bounded_json.hpp"
#include "persistence/store.hpp"

namespace tidegate::app {

operator_switches::operator_switches(const std::string& root) {
  constexpr json_bounds bounds{.bytes_max = 16 * 1024 * 1024, .depth_max = 8};
  const auto text = persistence::read_file(
      persistence::expand_home(root) + "/.operator-switches.json", bounds.bytes_max);
  if (!text) return;
  const auto file = parse_bounded_json(*text, bounds);
  if (!file || !file->is_object()) return;
  const auto disabled = file->find("disabled");
  if (disabled == file->end() || !disabled->is_object()) return;
  for (const auto& [id, off] : disabled->items()) {
    if (off.is_boolean()) disabled_.emplace(id, off.get<bool>());
  }
}

std::optional<bool> operator_switches::disabled(const std::string& id) const {
  const auto found = disabled_.find(id);
  if (found == disabled_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tidegate::app
