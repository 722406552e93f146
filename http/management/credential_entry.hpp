#pragma once
/// A credential, its cooldowns and its quota windows as operators read them. Secrets appear masked
/// only. Pure; any thread. Wire facts: spec/config-management.md 4.4, spec/quota.md 2.14.

#include "base/time.hpp"
#include "http/ports.hpp"

#include <nlohmann/json.hpp>

namespace tidegate::http::management {

/// Whole seconds until `then`, rounded up, never below zero.
std::int64_t seconds_until(instant then, instant now);

/// How `auth-files` names a credential: its file, or its id when it comes from the configuration.
const std::string& name_of(const provider::credential& who);

/// {exhausted, limit_window_minutes}; the latter only when the provider said which window.
nlohmann::ordered_json evidence_entry(const std::optional<quota::evidence>& proof);
nlohmann::ordered_json cooldown_entry(const quota::block& entry, instant now);
nlohmann::ordered_json credential_entry(const credential_view& view, instant now);

}  // namespace tidegate::http::management
