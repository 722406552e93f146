#pragma once
/// Settings of the listener, the client side and management: plain values, no Boost.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/secret_string.hpp"
#include "protocol/options.hpp"

namespace tidegate::http {

struct tls_options {
  bool enable = false;
  std::string cert;  ///< PEM chain, re-read when the file changes
  std::string key;   ///< PEM private key
};

struct server_options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8317;                       ///< 0 = any free port
  tls_options tls;
  std::size_t head_bytes_max = 64 * 1024;
  std::size_t header_count_max = 128;
  std::size_t body_bytes_max = 128 * 1024 * 1024;  ///< after Content-Encoding is undone, too
  std::size_t connections_max = 10'000;
  std::chrono::seconds idle_timeout{120};          ///< between requests on one connection
  std::chrono::seconds read_timeout{60};           ///< longest silence inside a request
  std::chrono::seconds write_timeout{60};          ///< longest time a client may refuse bytes
  std::chrono::seconds drain_timeout{30};          ///< after SIGTERM
  bool allow_anonymous = false;                    ///< no client keys on a public address
};

struct access_options {
  std::vector<secret_string> api_keys;
};

struct management_options {
  secret_string secret_key;   ///< plain or bcrypt; empty = management does not exist
  bool allow_remote = false;
};

struct request_options {
  secret_string proxy_url;                            ///< default egress proxy
  std::chrono::seconds stream_hold{10};  ///< longest holding of a stream's opening frames
  bool passthrough_headers = false;
  std::chrono::seconds stream_keepalive{0};           ///< SSE comment when silent; 0 = off
  std::chrono::milliseconds connect_timeout{10'000};  ///< DNS, TCP, proxy and TLS together
  std::chrono::milliseconds header_timeout{600'000};  ///< request sent until response head
  std::chrono::milliseconds first_byte_timeout{600'000};  ///< head until the first body byte
  std::chrono::milliseconds idle_timeout{300'000};    ///< silence inside a response body
  std::size_t connections_per_origin_max = 512;
  std::size_t idle_per_origin_max = 64;
  std::chrono::seconds idle_connection_lifetime{90};
  std::string ca_file;                                ///< extra trust anchors, PEM
  protocol::payload_options payload;                  ///< changes to request bodies
};

}  // namespace tidegate::http
