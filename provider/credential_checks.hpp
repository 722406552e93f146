#pragma once
/// Fields of credential files that must fit into addresses, headers and lines: read once the way
/// they are checked everywhere, in a file that is loaded or uploaded and in a setting that is
/// changed. What is wrong is reported by the field's name. Pure.

#include <string>
#include <string_view>

#include "provider/credential.hpp"
#include "provider/credential_fields.hpp"

namespace tidegate::provider {

/// Text without control characters.
std::string line_of(credential_fields& in, std::string_view name);

/// Without slashes at its ends; one inside is reported.
std::string prefix_of(credential_fields& in);
/// As in the configuration, see address::base_url_fault.
std::string base_url_of(credential_fields& in);
/// As in the configuration, see address::proxy_url_fault; `none` becomes `direct`.
secret_string proxy_url_of(credential_fields& in);
/// Headers that may be set, with values that fit.
header_list headers_of(credential_fields& in);
/// Names and patterns of models.
std::vector<std::string> patterns_of(credential_fields& in);

/// What was read from account fields goes into headers and lists: else every request of the
/// credential would fail.
void check_account(const credential& made, credential_fields& in);

}  // namespace tidegate::provider
