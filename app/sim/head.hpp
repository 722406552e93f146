#pragma once
/// Response heads as text, and header lists. Pure; header names compare without case.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sim/script.hpp"

namespace tidegate::sim {

bool same_header_name(std::string_view a, std::string_view b);

/// Sets a header: replaces one of the same name, else appends.
void put_header(std::vector<header>& headers, header field);

/// Status line, headers and the blank line; chunked coding where `length` is absent.
std::string head_text(int status, const std::vector<header>& headers,
                      std::optional<std::int64_t> length, bool keep_alive);

}  // namespace tidegate::sim
