#pragma once
/// New texts for credential files: tokens after a renewal, and the settings that a person may
/// change. Only what is named changes; other fields stay byte for byte, known or not, and so does
/// the layout of the text. Pure; errc::invalid_input says what is wrong, by the field's name.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/time.hpp"
#include "provider/token.hpp"

namespace tidegate::provider {

/// The tokens and their times. A field is written in each spelling that the file uses for it, snake
/// or kebab case, also within `token`, and times in the form that they had; what the file lacks is
/// added in snake case and RFC 3339. An end that is not known is taken out: it was the old token's.
result<std::string> with_tokens(std::string_view file_text, const fresh_tokens& fresh, instant now);

/// The project of an account that named none.
result<std::string> with_project(std::string_view file_text, std::string_view project_id);

/// What a person may set: disabled, priority, weight, prefix, proxy_url, excluded_models,
/// model_aliases, headers, max_concurrency, request_retry, disable_cooling, request_scoped_errors, note, websockets,
/// base_url, refresh_interval_seconds. By name, in either spelling; null removes a field.
/// `headers` merges by name, where null or an empty value removes one; `headers.NAME` names one.
/// Nothing is changed when anything of the patch is refused.
result<std::string> with_fields(std::string_view file_text, const nlohmann::json& patch);

}  // namespace tidegate::provider
