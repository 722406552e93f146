#include "provider/login/device_reply.hpp"

#include "base/bounded_json.hpp"
#include "provider/token_reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidegate::provider::login {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr json_bounds reply_bounds{.bytes_max = token_reply_bytes_max, .depth_max = 16};
constexpr std::int64_t seconds_max = 1'000'000'000;

}  // namespace

json reply_object(std::string_view body) {
  auto parsed = parse_bounded_json(body, reply_bounds);
  if (!parsed || !parsed->is_object()) return {};
  return std::move(*parsed);
}

std::string token_member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  const auto& text = found->get_ref<const std::string&>();
  return is_token_text(text) ? text : std::string{};
}

std::optional<std::int64_t> seconds_member(const json& object, const char* name) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  std::int64_t number = -1;
  if (found->is_number()) {
    const auto value = found->get<double>();
    if (value >= 0 && value <= static_cast<double>(seconds_max)) {
      number = static_cast<std::int64_t>(value);
    }
  } else if (found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    const auto* const end = text.data() + text.size();
    const auto [stop, wrong] = std::from_chars(text.data(), end, number);
    if (wrong != std::errc{} || stop != end) return std::nullopt;
  }
  return number < 0 || number > seconds_max ? std::nullopt : std::optional{number};
}

seconds interval_of(const json& object) {
  const auto stated = seconds_member(object, "interval");
  return stated ? std::clamp(seconds{*stated}, seconds{1}, interval_max) : interval_default;
}

std::unexpected<error> no_start(int status, std::string_view body) {
  if (status >= 200 && status < 300) {
    return failed(errc::unavailable, "the device login's answer cannot be used");
  }
  const std::string code = token_error_code(body);
  return failed(errc::unavailable,
                code.empty() ? fmt::format("the device login answered {}", status)
                             : fmt::format("the device login answered {} {}", status, code));
}

std::optional<device_state> state_of(std::string_view code) {
  if (code == "authorization_pending") return device_state::pending;
  if (code == "slow_down") return device_state::slow_down;
  if (code == "expired_token") return device_state::expired;
  if (code == "access_denied" || code == "authorization_denied") return device_state::denied;
  return std::nullopt;
}

}  // namespace tidegate::provider::login
