#pragma once
/// One question to a provider's login endpoints.

#include "http/login/terms.hpp"
#include "provider/plain_reply.hpp"
#include "provider/token.hpp"

namespace tidegate::http::login {

/// The whole answer, whatever its status. errc::unavailable: there is none, with the reason.
awaitable<result<provider::plain_reply>> ask(login_terms with, provider::upstream_request what);

/// The answer as one to a renewal is read. errc::cancelled: the provider refuses for good;
/// errc::unavailable: no usable answer.
awaitable<result<provider::fresh_tokens>> ask_for_tokens(login_terms with,
                                                         provider::upstream_request what);

}  // namespace tidegate::http::login
