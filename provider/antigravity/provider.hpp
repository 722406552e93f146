#pragma once
/// Antigravity: Gemini's protocol inside an envelope, by Google account. Wire facts:
/// docs/wire/antigravity.md. The functions of one registry row; contracts in
/// provider/provider.hpp.

#include "provider/provider.hpp"

namespace tidegate::provider::antigravity {

speech speaks(protocol::surface s, std::string_view upstream_model);
bool serves(protocol::surface s);
result<upstream_request> build_request(const request_input& in);
void read_account(credential& made, credential_fields& fields);
quota::outcome classify(const reply_view& reply, const attempt_view& attempt);
quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt);
std::span<const std::string_view> listed_models();
bool is_family(std::string_view model);
/// Out of reach, limited, or without capacity at this address only.
bool is_local(const quota::outcome& failed);

}  // namespace tidegate::provider::antigravity
