#pragma once
/// Requests to token endpoints: short lists of fields, as a form or as a JSON object. They name the
/// gateway as what it is.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provider/provider.hpp"

namespace tidegate::provider {

/// Views of what the caller holds while the request is built.
using token_fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// `a=1&b=2`, percent-encoded.
std::string form_text(const token_fields& fields);

/// errc::invalid_input: the address is neither https nor a loopback one.
result<upstream_request> form_request(std::string_view url, const token_fields& fields);
result<upstream_request> json_request(std::string_view url, const token_fields& fields);

/// The fields of a renewal. errc::invalid_input: no refresh token, or a client that is not
/// configured (the detail names the key). `client` has its defaults.
result<token_fields> renewal_fields(const credential& who, const oauth_client& client);

/// `client` has an id; else errc::invalid_input that names the key to set.
result<void> check_client(kind k, const oauth_client& client);

}  // namespace tidegate::provider
