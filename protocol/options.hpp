#pragma once
/// Rules of the operator that change request bodies on their way to a provider, as the
/// configuration states them (`requests.payload`). How they act: protocol/payload_rules.hpp.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json_path.hpp"
#include "protocol/surface.hpp"

namespace tidegate::protocol {

inline constexpr std::size_t payload_rules_max = 256;  ///< of one kind
inline constexpr std::size_t payload_value_bytes_max = 64 * 1024;

/// A path and the JSON text of a value.
struct payload_param {
  json_path path;
  std::string raw;

  friend bool operator==(const payload_param&, const payload_param&) = default;
};

/// Which calls a rule is for; what is not set matches all.
struct payload_selector {
  std::string name;              ///< `*` pattern, lower case: of the model's names
  std::optional<wire> protocol;  ///< of the provider
  std::optional<wire> from;      ///< of the client
  std::vector<std::pair<std::string, std::string>> headers;  ///< of the client; `*` pattern each
  std::vector<payload_param> match;                          ///< scalars: all must be there
  std::vector<payload_param> not_match;                      ///< scalars: none may be there
  std::vector<json_path> exist;                              ///< all must be there and not null
  std::vector<json_path> not_exist;  ///< none may be there, unless it is null

  friend bool operator==(const payload_selector&, const payload_selector&) = default;
};

struct payload_rule {
  std::vector<payload_selector> models;  ///< one that matches is enough
  std::vector<payload_param> params;     ///< in the order of the file; filters have no values

  friend bool operator==(const payload_rule&, const payload_rule&) = default;
};

/// In the order in which they act.
struct payload_options {
  std::vector<payload_rule> fill;          ///< `default`: set what is absent
  std::vector<payload_rule> fill_raw;      ///< `default-raw`
  std::vector<payload_rule> override_all;  ///< `override`: set in any case
  std::vector<payload_rule> override_raw;
  std::vector<payload_rule> filter;  ///< remove

  bool empty() const {
    return fill.empty() && fill_raw.empty() && override_all.empty() && override_raw.empty() &&
           filter.empty();
  }
  friend bool operator==(const payload_options&, const payload_options&) = default;
};

/// A rule may not touch what routing and relaying were decided by: nullopt, or why not.
std::optional<std::string> payload_path_fault(const json_path& path);
/// One JSON value, at most payload_value_bytes_max long.
bool is_payload_value(std::string_view raw);

}  // namespace tidegate::protocol
