#pragma once
/// Which credential a call of management means: by name (file or id), by auth_index, or both.

#include "http/management/credential_entry.hpp"
#include "http/management/endpoint.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tidegate::http::management {

/// An empty optional matches every credential.
struct selector {
  std::optional<std::string> name;
  std::optional<std::string> auth_index;

  bool matches(const credential_view& view) const;
  /// Whether it says anything at all.
  bool names_one() const;
};

/// The first that matches; nullptr when there is none.
const credential_view* find(const std::vector<credential_view>& all, const selector& wanted);

/// Of a JSON body with `name` and `auth_index` (or `authIndex`).
result<selector> selector_of(const json& body);

}  // namespace tidegate::http::management
