#pragma once
/// Catch2 2 (Debian 12) and 3 (Debian 13, Ubuntu 24.04) behind one include.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
/// Catch2 3's name for the matcher that Catch2 2 calls Contains.
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
