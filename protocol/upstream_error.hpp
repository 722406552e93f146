#pragma once
/// The provider's own last error, relayed in the client's shape (spec/http.md 1.10, 2.3 and 2.5,
/// spec/quota.md 6.4). The caller has cut the body to a bound and taken secrets out of it; a text
/// that is no JSON is cut here to upstream_message_max characters. Pure; never throws.

#include "protocol/failure.hpp"
#include "protocol/surface.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tidegate::protocol {

inline constexpr std::size_t upstream_message_max = 2048;

/// Status: the provider's; 500 when that is no error status.
/// OpenAI surfaces: a JSON object or array goes out as it came, other text is wrapped. Gemini: an
/// error in Google's shape goes out as it came, without an array around it; the message of any other
/// document is put into that shape. Messages: an error in its own shape goes out as it came; other JSON gives type
/// and message to a new one, except that quota types (usage_limit_reached, insufficient_quota,
/// model_cooldown, rate_limit_exceeded) become the type of the status: clients of this surface know
/// rate_limit_error only. Markup and empty bodies are replaced by the reason phrase. A known wait
/// becomes Retry-After (at least 1) with 429 and 503, on every surface.
reply relay_error(wire form, int status, std::string_view body, std::string_view content_type,
                  std::optional<std::chrono::seconds> retry_after);

/// Official Codex clients get `response.failed` in place of `error`. User-Agent, case-sensitive:
/// starts with `Codex Desktop/`, `codex-tui/`, `codex_cli_rs/`, `codex_exec/`, `codex_vscode/` or
/// `codex_sdk_ts/`, or is `codex_cli_rs`. Originator, in any case: one of these names, alone or
/// followed by `/`.
bool is_codex_client(std::string_view user_agent, std::string_view originator);

}  // namespace tidegate::protocol
