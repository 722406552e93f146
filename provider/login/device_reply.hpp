#pragma once
/// What the readings of device logins share: bounded JSON, intervals and lifetimes within bounds,
/// and the errors of RFC 8628.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "provider/login/device.hpp"

namespace tidegate::provider::login {

inline constexpr std::chrono::seconds interval_max{60};
inline constexpr std::chrono::seconds interval_default{5};

/// The object in a body; null when it is none.
nlohmann::json reply_object(std::string_view body);

/// A text that can stand in a header; empty when it is absent or odd.
std::string token_member(const nlohmann::json& object, const char* name);

/// A whole number of seconds, or its text.
std::optional<std::int64_t> seconds_member(const nlohmann::json& object, const char* name);

/// `interval`, from 1 to 60 seconds; 5 when none is stated.
std::chrono::seconds interval_of(const nlohmann::json& object);

/// A start that failed, in words. errc::unavailable.
std::unexpected<error> no_start(int status, std::string_view body);

/// The state that an error code means; nullopt: none of RFC 8628.
std::optional<device_state> state_of(std::string_view code);

}  // namespace tidegate::provider::login
