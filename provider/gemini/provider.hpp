#pragma once
/// Google's Gemini API by API key. Wire facts: docs/wire/gemini.md.
/// The functions of one registry row; contracts in provider/provider.hpp.

#include "provider/provider.hpp"

namespace tidegate::provider::gemini {

speech speaks(protocol::surface s, std::string_view upstream_model);
bool serves(protocol::surface s);
result<upstream_request> build_request(const request_input& in);
quota::outcome classify(const reply_view& reply, const attempt_view& attempt);
quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt);
std::span<const std::string_view> listed_models();
bool is_family(std::string_view model);

}  // namespace tidegate::provider::gemini
