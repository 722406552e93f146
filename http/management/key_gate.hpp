#pragma once
/// Who may use the management API: one gate for the whole process, since wrong keys are counted
/// per address and not per connection. Its state lives on a strand of its own. A bcrypt hash is
/// computed on the gate's one worker thread, one at a time; the last good key is remembered as a
/// keyed digest together with the configured secret, so that polling costs no hash and a changed
/// secret is asked for again. Rules: spec/config-management.md 4.1.

#include "base/secret_string.hpp"
#include "base/time.hpp"
#include "http/net/asio.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tidegate::http {

/// A longer key is wrong without being looked at.
inline constexpr std::size_t management_key_bytes_max = 256;
/// Calls with the same key that may wait for the hash being computed.
inline constexpr std::size_t verification_waiters_max = 16;

struct key_offer {
  std::string peer;  ///< client address
  bool loopback = false;
  bool remote_allowed = false;
  secret_string configured;  ///< not empty
  secret_string presented;   ///< empty = none was sent
  instant now{};
};

enum class gate_result : std::uint8_t {
  open,
  locked_out,      ///< too many wrong keys from this address; `wait` says how long
  remote_refused,  ///< not from this machine, and remote management is off
  missing,         ///< no key; counted
  wrong,           ///< counted
  busy,            ///< another key is being verified
};

struct gate_answer {
  gate_result what = gate_result::wrong;
  std::chrono::seconds wait{0};
};

/// Whether a key fits a bcrypt hash. Runs on the worker thread.
using key_verifier = std::function<bool(std::string_view presented, std::string_view hash)>;

class key_gate {
 public:
  /// `on` runs the gate's strand. Destroy the gate when no call is left, before the owner of `on`.
  key_gate(asio::any_io_executor on, key_verifier verify);
  ~key_gate();
  key_gate(const key_gate&) = delete;
  key_gate& operator=(const key_gate&) = delete;

  /// Resumes on the caller's executor.
  awaitable<gate_answer> check(key_offer offer);

 private:
  struct core;
  struct worker;
  std::unique_ptr<worker> worker_;
  std::shared_ptr<core> core_;
};

}  // namespace tidegate::http
