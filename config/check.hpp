#pragma once
/// Findings as text, one line each, in the form editors understand.

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.hpp"

namespace tidegate::config {

/// `FILE:LINE:COLUMN: error: KEY: TEXT`; without a place `FILE: error: ...`.
std::string format_diagnostic(std::string_view file, const diagnostic& d);

/// All of them, each with a line end.
std::string format_diagnostics(std::string_view file, const std::vector<diagnostic>& list);

/// "2 errors, 1 warning".
std::string count_diagnostics(const std::vector<diagnostic>& list);

}  // namespace tidegate::config
