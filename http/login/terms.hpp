#pragma once
/// What an account login works with. Values and ports; every login takes a copy.

#include <chrono>
#include <functional>
#include <memory>

#include "base/secret_string.hpp"
#include "base/time.hpp"
#include "http/client/client.hpp"
#include "http/net/asio.hpp"
#include "provider/options.hpp"

namespace tidegate::http::login {

struct login_terms {
  client* through = nullptr;                       ///< outlives the login
  std::shared_ptr<const request_options> options;  ///< TLS, connection bounds
  secret_string proxy;                             ///< resolved: empty = none
  provider::kind of = provider::kind::codex;
  provider::oauth_client oauth;  ///< with its defaults
  std::string device_id;         ///< what Kimi is told; others ignore it
  std::function<instant()> now;
};

/// `bytes` unpredictable ones.
secret_string random_bytes(std::size_t bytes);

/// 32 hex digits, new ones each time.
std::string new_device_id();

}  // namespace tidegate::http::login
