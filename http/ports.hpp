#pragma once
/// What the HTTP side asks of the control plane, as ports: actors implement them, tests may too.
/// Every call runs on the caller's strand and resumes there.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/secret_string.hpp"
#include "config/snapshot.hpp"
#include "http/net/asio.hpp"
#include "http/views.hpp"
#include "protocol/surface.hpp"
#include "provider/catalog.hpp"
#include "provider/credential.hpp"
#include "quota/outcome.hpp"
#include "quota/verdict.hpp"
#include "quota/windows.hpp"

namespace tidegate::http {

/// What one model call wants; fixed to its end.
struct call_profile {
  std::string model;                     ///< as the client wrote it
  protocol::surface surface = protocol::surface::responses;
  std::uint32_t providers = 0;           ///< bit per provider::kind that serves the surface
  std::string session;                   ///< affinity key; empty = none
  config::snapshot_ptr config;
};

/// What to do next: call upstream under a lease, or refuse.
struct next_step {
  provider::credential_ptr who;          ///< null: refuse with `verdict`
  std::string upstream_model;            ///< without the request's suffix
  bool force_mapping = false;            ///< the answer names the model as the client did
  quota::verdict verdict;
};

/// One model call's dealings with the pool. Destroying it unfinished settles as cancelled.
class exchange {
 public:
  virtual ~exchange() = default;
  /// The first attempt. errc::not_found: no credential serves the model at all.
  virtual awaitable<result<next_step>> begin() = 0;
  /// The attempt failed before the first byte; what now?
  virtual awaitable<result<next_step>> failed(quota::outcome how,
                                              std::optional<quota::window_report> windows) = 0;
  /// The attempt ended after it was committed, well or badly. Nothing may follow.
  virtual void finish(quota::outcome how, std::optional<quota::window_report> windows) = 0;
  /// The client left: whatever is pending ends with errc::unavailable and the lease settles as
  /// cancelled. Idempotent.
  virtual void cancel() = 0;
};

/// `explain`: the verdict that a call for this model would get now, and who says what.
struct explanation {
  quota::verdict verdict;
  std::vector<quota::candidate> candidates;   ///< eligible for the surface
  std::vector<credential_id> other_surface;   ///< serve the model, but not this surface
};

/// The credential files, by their path below the credential directory. What is changed here is in
/// force when the call returns. errc::not_found, errc::invalid_input (no such path, a text that is
/// no credential), errc::unavailable (another process holds the file longer than is waited for),
/// errc::io_failure. Their words name the file, not where it lies.
class credential_desk {
 public:
  virtual ~credential_desk() = default;
  virtual awaitable<result<secret_string>> read(std::string file) = 0;
  /// A whole new text; makes the file when there is none.
  virtual awaitable<result<void>> put(std::string file, secret_string text) = 0;
  /// Settings by name, see provider::with_fields; `patch` is a JSON object.
  virtual awaitable<result<void>> change(std::string file, std::string patch) = 0;
  /// One outcome a file. All of them together wait no longer for locks than one would.
  virtual awaitable<std::vector<result<void>>> remove(std::vector<std::string> files) = 0;
};

class control {
 public:
  virtual ~control() = default;
  virtual std::unique_ptr<exchange> open(call_profile profile) = 0;
  virtual config::snapshot_ptr config() const = 0;
  virtual std::shared_ptr<const provider::catalog> catalog() const = 0;
  virtual instant now() const = 0;
  /// Uniform in [0, 1).
  virtual double random() = 0;

  virtual awaitable<result<std::vector<credential_view>>> credentials() = 0;
  /// New tokens for an account now; the view says how it went. errc::not_found: no such credential.
  virtual awaitable<result<credential_view>> renew(credential_id who) = 0;
  virtual credential_desk& desk() = 0;
  /// `model` empty: everything. errc::not_found: no such credential.
  virtual awaitable<result<credential_view>> reset(credential_id who, std::string model) = 0;
  virtual awaitable<result<explanation>> explain(std::string model, protocol::surface surface) = 0;
  virtual awaitable<result<std::string>> tree() = 0;
  virtual awaitable<result<reload_view>> reload() = 0;
  virtual awaitable<result<reload_view>> last_reload() = 0;
  /// Operator switch of one credential; lasts until changed back, also over a restart. What cannot
  /// be saved is not done.
  virtual awaitable<result<credential_view>> set_disabled(credential_id who, bool disabled) = 0;
};

}  // namespace tidegate::http
