#pragma once
/// What a browser is shown when a login page has sent it here: plain pages without scripts, that
/// load nothing and repeat nothing of the request. Pure.

#include <cstdint>
#include <string>

namespace tidegate::http::login {

enum class callback_page : std::uint8_t {
  arrived,       ///< 200
  refused,       ///< 200: the provider or the person said no
  not_ours,      ///< 400: no answer to this login
  wrong_host,    ///< 403: called under another name than this machine's own
  nothing_here,  ///< 404
  wrong_method,  ///< 405
};

/// The whole HTTP/1.1 response.
std::string response_of(callback_page page);

}  // namespace tidegate::http::login
