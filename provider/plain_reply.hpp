#pragma once
/// The whole answer to one small request that no client waits for: token endpoints, account
/// look-ups. Filled by the HTTP side, read by pure code.

#include <optional>
#include <string>
#include <string_view>

#include "base/secret_string.hpp"
#include "provider/options.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider {

inline constexpr std::size_t plain_reply_bytes_max = 1024 * 1024;

struct plain_reply {
  int status = 0;
  header_list headers;
  secret_string body;  ///< at most plain_reply_bytes_max; token answers are secrets
};

/// Looks into `of`, which must outlive the look-up.
header_lookup headers_of(const plain_reply& of);

}  // namespace tidegate::provider
