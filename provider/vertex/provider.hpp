#pragma once
/// Google's Vertex AI: its own models in Gemini's protocol, by service account or express key, and
/// open models, whose names have a publisher (`publisher/model`), in OpenAI's Chat protocol, by
/// service account only. Wire facts: docs/wire/vertex.md.
/// The functions of one registry row; contracts in provider/provider.hpp.

#include "provider/provider.hpp"

namespace tidegate::provider::vertex {

inline constexpr std::string_view default_location = "us-central1";

speech speaks(protocol::surface s, std::string_view upstream_model);
bool serves(protocol::surface s);
result<upstream_request> build_request(const request_input& in);
void read_account(credential& made, credential_fields& fields);
quota::outcome classify(const reply_view& reply, const attempt_view& attempt);
quota::outcome classify_frame(const protocol::sse_frame& frame, const header_lookup& header,
                              const attempt_view& attempt);
std::span<const std::string_view> listed_models();
bool is_family(std::string_view model);
std::string_view unreachable(const credential& who);

/// Whether the name is that of an open model.
bool is_open_model(std::string_view model);

}  // namespace tidegate::provider::vertex
