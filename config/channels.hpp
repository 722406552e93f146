#pragma once
/// Codecs of the composite values: error rules, headers, client keys and the `oauth.*`
/// maps from a channel to a list.

#include <string>
#include <utility>
#include <vector>

#include "config/codec.hpp"
#include "provider/options.hpp"

namespace tidegate::config {

/// Secrets without blanks, empty ones and repetitions, which are reported.
value_codec<std::vector<secret_string>> client_keys();

/// Lower case, without empty ones and repetitions.
value_codec<std::vector<std::string>> model_patterns();

/// Rules without a status, a pattern or an action are dropped with a warning.
value_codec<std::vector<provider::error_rule>> error_rules();

/// A mapping; names must be tokens and values one line. Masked unless a value copies a client
/// header.
value_codec<provider::header_list> headers();

/// Maps from a channel (`codex`, `claude`, ...) to a list, flattened in the order of the text.
template <class V>
using per_channel = std::vector<std::pair<provider::kind, V>>;
value_codec<per_channel<provider::model_entry>> channel_aliases();
value_codec<per_channel<std::string>> channel_exclusions();
value_codec<per_channel<provider::error_rule>> channel_error_rules();

}  // namespace tidegate::config
