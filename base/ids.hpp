#pragma once
/// Strong identifiers. A credential_id is the string by which rotation orders credentials
/// (byte-wise ascending), so it is externally visible; a lease_id names one granted attempt.

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace tidegate {

/// Unique name of one upstream credential: a file's path relative to the credential directory,
/// or `<kind>:<12 hex>` for a key from the configuration.
struct credential_id {
  std::string value;  ///< never empty for a live credential

  friend auto operator<=>(const credential_id&, const credential_id&) = default;
};

/// Names one granted attempt; unique within the process, 0 is "none".
struct lease_id {
  std::uint64_t value = 0;

  friend auto operator<=>(const lease_id&, const lease_id&) = default;
};

}  // namespace tidegate

template <>
struct std::hash<tidegate::credential_id> {
  std::size_t operator()(const tidegate::credential_id& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};
