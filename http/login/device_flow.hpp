#pragma once
/// A login on another device (RFC 8628 and its like): begun here, then asked about. Each call is
/// one question, but for the last one below.

#include <optional>

#include "http/login/terms.hpp"
#include "provider/login/device.hpp"

namespace tidegate::http::login {

/// errc::invalid_input: the provider has no such login; errc::unavailable: it cannot begin now.
awaitable<result<provider::login::device_session>> begin_device_login(login_terms with);

/// Asks once whether the login is done. The tokens; nullopt: not yet, and `session` then says how
/// long to wait before the next question. errc::cancelled: the person or the provider said no;
/// errc::timed_out: nobody entered the code in time; errc::unavailable: approved, but its tokens
/// cannot be had. An answer that is no answer counts as not yet. `session` outlives the call.
awaitable<result<std::optional<provider::fresh_tokens>>> ask_device_login(
    login_terms with, provider::login::device_session& session);

/// How the time between two questions passes.
using pause = std::function<awaitable<void>(std::chrono::seconds)>;

/// Asks until the login has ended, with a pause before each question. Errors as above.
awaitable<result<provider::fresh_tokens>> finish_device_login(
    login_terms with, provider::login::device_session session, pause between);

}  // namespace tidegate::http::login
