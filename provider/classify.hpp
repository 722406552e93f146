#pragma once
/// The rules that all providers share (spec: shared outcome table): from status and body to the
/// outcome's class, scope and cause. A provider normalises the status before and adds deadline and
/// evidence after. Pure; never throws; never answers `success`.

#include "provider/error_body.hpp"
#include "provider/provider.hpp"

namespace tidegate::provider {

/// What the status alone means.
quota::outcome_class class_of_status(int status);

/// First match wins: refused model, challenge page, dead grant, request fault, status.
/// 401, 402 and dead grants cover the credential, everything else the model.
quota::outcome classify_shared(int status, const error_body& body, const header_lookup& header,
                               const attempt_view& attempt);

/// Compact calls stop at once on most client errors and charge nobody for the rest; a counting
/// call's 404 is neutral. Call last: it looks at the scope.
void apply_surface_rules(quota::outcome& what, protocol::surface surface);

/// The first figure 400..599 under `status` or `status_code` at the top level, in `error` and in
/// `response.error`; nullopt when there is none.
std::optional<int> stated_status(const error_body& body);

/// A provider's own rules on top of the shared ones, the same for replies and in-band errors.
using conclusion = quota::outcome (*)(int status, const error_body& body,
                                      const header_lookup& header, const attempt_view& attempt);

/// An in-band error of a provider that states statuses as figures: stated_status, else a numeric
/// `error.code`, else 429 for OpenAI's words for a quota, else 502; the headers are those of the reply.
quota::outcome conclude_frame(conclusion conclude, const protocol::sse_frame& frame,
                              const header_lookup& header, const attempt_view& attempt);

/// Rows of a provider without quota telemetry.
std::optional<quota::window_report> no_windows(const header_lookup& header, instant now);
std::optional<quota::window_report> no_frame_windows(const protocol::sse_frame& frame, instant now);

}  // namespace tidegate::provider
