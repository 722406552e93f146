#include "app/same_login.hpp"

#include <string_view>
#include <vector>

#include "app/credential_list.hpp"

namespace tidegate::app {

same_logins::same_logins(const config::snapshot& settings,
                         const persistence::credential_listing& listing) {
  std::vector<provider::credential> records;
  records.reserve(listing.files.size());
  std::unordered_map<std::string_view, const std::string*> first;
  for (const auto& file : listing.files) {
    auto who = record_of(settings, file.relative_path, file.text);
    if (!who || who->refresh_token.empty()) continue;
    records.push_back(std::move(*who));
    const auto token = records.back().refresh_token.reveal();
    const auto [before, is_first] = first.emplace(token, &file.relative_path);
    if (is_first) continue;
    others_.emplace(file.relative_path, *before->second);
    others_.emplace(*before->second, file.relative_path);
  }
}

std::string same_logins::beside(const std::string& name) const {
  const auto found = others_.find(name);
  return found == others_.end() ? std::string{} : found->second;
}

}  // namespace tidegate::app
