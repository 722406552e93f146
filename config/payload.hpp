#pragma once
/// Codecs of `requests.payload.*`: rules with selectors, paths and JSON values.

#include <cstdint>
#include <vector>

#include "config/codec.hpp"
#include "protocol/options.hpp"

namespace tidegate::config {

/// How a rule states what it does.
enum class payload_form : std::uint8_t {
  value,  ///< path to a YAML value
  raw,    ///< path to JSON text
  path,   ///< a list of paths
};

/// A path or a raw value that cannot be used is an error that names it; a rule without anything to
/// do is dropped with a warning.
value_codec<std::vector<protocol::payload_rule>> payload_rules(payload_form form);

}  // namespace tidegate::config
