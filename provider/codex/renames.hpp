#pragma once
/// Words of the public Responses API that the Codex endpoint knows under another name: the role
/// `system` is `developer`, the tool type `web_search_preview` is `web_search`.

#include "protocol/splice.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider::codex {

/// Replaces single tokens by position. The body is only walked when it holds such a word at all;
/// whatever does not have the expected shape is left for the provider to judge.
void rename_legacy_words(protocol::splice& edits, const request_input& in);

}  // namespace tidegate::provider::codex
