#pragma once
/// What the handlers of management share: their form, the answers they give, and how query and body
/// are read. Every answer is JSON; mistakes are `{"error":"..."}`. On the session's strand.

#include "base/bounded_json.hpp"
#include "base/error.hpp"
#include "http/exchange/services.hpp"
#include "http/server/request.hpp"
#include "protocol/failure.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tidegate::http::management {

using nlohmann::json;
using nlohmann::ordered_json;

/// Bytes of a request body; more is refused before it is read.
inline constexpr std::size_t body_bytes_max = 64 * 1024;
inline constexpr int body_depth_max = 8;
/// The same for calls that carry files or another call's body.
inline constexpr std::size_t upload_bytes_max = 16 * 1024 * 1024;

/// When to ask again after a 503.
inline constexpr std::chrono::seconds unavailable_wait{5};

using endpoint = awaitable<protocol::reply> (*)(services& with, const request& in);

/// Bytes that are no UTF-8 are replaced.
protocol::reply json_reply(int status, const ordered_json& body);
protocol::reply mistake(int status, std::string_view text);
/// With Retry-After where the status is 503.
protocol::reply failure_reply(int status, const ordered_json& body);
/// The status that fits the code, with Retry-After where that is 503; the detail holds no secret.
protocol::reply mistake(const error& what);

/// The value of a query member, decoded; nullopt when absent. errc::invalid_input when it is there
/// more than once or is no text.
result<std::optional<std::string>> query_value(std::string_view query, std::string_view name);

/// A query member that is `true` or `false`; false when absent. errc::invalid_input: another word.
result<bool> query_flag(std::string_view query, std::string_view name);

/// The body as a JSON object without a name twice. errc::invalid_input in all other cases.
result<json> body_object(const request& in);
result<json> body_object(const request& in, const json_bounds& bounds);

/// A member that must be text; nullopt when absent or null. errc::invalid_input: something else.
result<std::optional<std::string>> text_member(const json& object, const char* name);

// The handlers, one file a group.
awaitable<protocol::reply> list_credentials(services& with, const request& in);
awaitable<protocol::reply> switch_credential(services& with, const request& in);
awaitable<protocol::reply> reset_quota(services& with, const request& in);
awaitable<protocol::reply> upload_files(services& with, const request& in);
awaitable<protocol::reply> delete_files(services& with, const request& in);
awaitable<protocol::reply> download_file(services& with, const request& in);
awaitable<protocol::reply> list_models_of(services& with, const request& in);
awaitable<protocol::reply> change_fields(services& with, const request& in);
awaitable<protocol::reply> renew_credentials(services& with, const request& in);
awaitable<protocol::reply> call_api(services& with, const request& in);
awaitable<protocol::reply> begin_login(services& with, const request& in);
awaitable<protocol::reply> show_login(services& with, const request& in);
awaitable<protocol::reply> cancel_login(services& with, const request& in);
awaitable<protocol::reply> take_callback(services& with, const request& in);
awaitable<protocol::reply> import_key(services& with, const request& in);
awaitable<protocol::reply> show_config(services& with, const request& in);
awaitable<protocol::reply> run_reload(services& with, const request& in);
awaitable<protocol::reply> show_reload(services& with, const request& in);
awaitable<protocol::reply> show_actors(services& with, const request& in);
awaitable<protocol::reply> show_version(services& with, const request& in);
awaitable<protocol::reply> explain_model(services& with, const request& in);

}  // namespace tidegate::http::management
