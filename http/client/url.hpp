#pragma once
/// The addresses that the upstream client reads, see base/address.hpp.

#include "base/address.hpp"

namespace tidegate::http::upstream {

using address::endpoint_text;
using address::host_port;
using address::parse_authority;
using address::parse_url;
using address::url;
using address::url_bytes_max;

}  // namespace tidegate::http::upstream
