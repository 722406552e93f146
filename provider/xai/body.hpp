#pragma once
/// The edits that xAI needs on a Responses body: members it refuses go, tools are written as it
/// takes them. Everything else stays byte for byte. The list is in docs/wire/xai.md. Pure.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

#include <string_view>

namespace tidegate::provider::xai {

void edit_body(protocol::splice& edits, const request_input& in);

/// Whether the model makes images as a hosted tool: grok 4.6 and later. `4.20` is older.
bool makes_images(std::string_view model);

}  // namespace tidegate::provider::xai
