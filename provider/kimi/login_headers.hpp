#pragma once
/// Headers that Kimi's login endpoints want: which program, which version, which device.

#include <string_view>

#include "provider/provider.hpp"

namespace tidegate::provider::kimi {

/// Adds them with this gateway's own name; `device_id` is the one of the login. A device id that
/// cannot stand in a header is left out.
void add_login_headers(upstream_request& request, std::string_view device_id);

}  // namespace tidegate::provider::kimi
