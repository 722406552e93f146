#pragma once
/// Access tokens of Google service accounts: a signed assertion for the `token_uri` of the file.

#include "provider/token.hpp"

namespace tidegate::provider::vertex {

extern const token_rules tokens;

}  // namespace tidegate::provider::vertex
