#pragma once
/// Codecs of models: names with what lists tell of them. An alias that is missing equals the name;
/// an entry without a name is dropped with a warning.

#include <vector>

#include "config/codec.hpp"
#include "provider/options.hpp"

namespace tidegate::config {

/// Of a provider's entry.
value_codec<std::vector<provider::model_entry>> models();

/// Of a channel of accounts: with `fork`, without modalities.
value_codec<std::vector<provider::model_entry>> aliases();

}  // namespace tidegate::config
