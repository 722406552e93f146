#include "provider/token_reply.hpp"

#include "base/bounded_json.hpp"
#include "base/time_text.hpp"
#include "provider/claims.hpp"
#include "provider/instants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidegate::provider {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr json_bounds reply_bounds{.bytes_max = token_reply_bytes_max, .depth_max = 16};
constexpr std::size_t code_bytes_max = 64;
constexpr double lifetime_seconds_max = 10.0 * 366 * 86'400;
constexpr seconds wait_max{3600};

const json* member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::unexpected<refresh_failure> failure(refresh_fault kind, std::string reason,
                                         std::optional<seconds> wait = std::nullopt) {
  return std::unexpected{refresh_failure{kind, std::move(reason), wait}};
}

/// An absent token is empty; one of a wrong type or with odd characters is nullopt.
std::optional<secret_string> token_in(const json& body, const char* name) {
  const json* value = member(body, name);
  if (value == nullptr) return secret_string{};
  if (!value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  if (!text.empty() && !is_token_text(text)) return std::nullopt;
  return secret_string{text};
}

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, number);
  if (wrong != std::errc{} || stop != end) return std::nullopt;
  return static_cast<double>(number);
}

std::optional<instant> end_of(const json& body, const secret_string& access, instant now) {
  const json* lifetime = member(body, "expires_in");
  const auto stated = lifetime != nullptr ? number_in(*lifetime) : std::nullopt;
  if (stated && *stated > 0 && *stated <= lifetime_seconds_max) {
    return instant_after_seconds(now, *stated);
  }
  const auto claimed = claimed_end(token_claims(access.reveal()));
  return claimed && *claimed > now ? claimed : std::nullopt;
}

refresh_reply tokens_of(std::string_view body, instant now) {
  const auto not_understood = [](std::string_view why) {
    return failure(refresh_fault::unavailable,
                   fmt::format("the token endpoint's answer cannot be used: {}", why));
  };
  const auto parsed = parse_bounded_json(body, reply_bounds);
  if (!parsed) return not_understood(parsed.error().detail);
  if (!parsed->is_object()) return not_understood("not a JSON object");
  auto access = token_in(*parsed, "access_token");
  auto refresh = token_in(*parsed, "refresh_token");
  auto id = token_in(*parsed, "id_token");
  if (!access || access->empty()) return not_understood("no access token");
  if (!refresh) return not_understood("its refresh token is no token");
  if (!id) id = secret_string{};
  const auto end = end_of(*parsed, *access, now);
  return fresh_tokens{std::move(*access), std::move(*refresh), std::move(*id), end};
}

bool is_void_grant(std::string_view code) {
  constexpr std::array<std::string_view, 7> codes{
      "invalid_grant",         "refresh_token_reused",      "refresh_token_expired",
      "refresh_token_invalid", "refresh_token_invalidated", "refresh_token_revoked",
      "invalid_refresh_token"};
  return std::ranges::find(codes, code) != codes.end();
}

bool is_wrong_client(std::string_view code) {
  return code == "invalid_client" || code == "unauthorized_client";
}

bool is_code(std::string_view text) {
  return !text.empty() && text.size() <= code_bytes_max && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

}  // namespace

bool is_token_text(std::string_view text) {
  return !text.empty() && text.size() <= token_bytes_max &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

std::string token_error_code(std::string_view body) {
  const auto parsed = parse_bounded_json(body, reply_bounds);
  if (!parsed || !parsed->is_object()) return {};
  const json* error = member(*parsed, "error");
  if (error == nullptr) return {};
  const json* code = error->is_string() ? error : nullptr;
  if (error->is_object()) {
    code = member(*error, "code");
    if (code == nullptr || !code->is_string()) code = member(*error, "type");
  }
  if (code == nullptr || !code->is_string()) return {};
  const auto& text = code->get_ref<const std::string&>();
  return is_code(text) ? text : std::string{};
}

std::optional<seconds> token_retry_after(const header_lookup& header, instant now) {
  std::optional<duration> wait;
  if (const auto text = header("Retry-After-Ms")) {
    std::int64_t ms = 0;
    const auto [stop, wrong] = std::from_chars(text->data(), text->data() + text->size(), ms);
    const bool whole = wrong == std::errc{} && stop == text->data() + text->size();
    if (whole && ms >= 0 && ms <= 1000 * wait_max.count()) wait = std::chrono::milliseconds{ms};
  }
  if (!wait) {
    const auto text = header("Retry-After");
    wait = text ? parse_retry_after(*text, now) : std::nullopt;
  }
  if (!wait) return std::nullopt;
  return std::min(std::chrono::ceil<seconds>(*wait), wait_max);
}

refresh_reply read_token_reply(int status, const header_lookup& header, std::string_view body,
                               instant now) {
  if (status >= 200 && status < 300) return tokens_of(body, now);
  const auto wait = token_retry_after(header, now);
  if (status == 429) {
    return failure(refresh_fault::limited, "the token endpoint limits requests (429)", wait);
  }
  const std::string code = status >= 400 && status < 500 ? token_error_code(body) : std::string{};
  const std::string answer =
      code.empty() ? fmt::format("{}", status) : fmt::format("{} {}", status, code);
  if (is_wrong_client(code)) {
    return failure(refresh_fault::unavailable,
                   fmt::format("the token endpoint does not accept the client ({}); check its id "
                               "and secret under oauth.providers",
                               answer));
  }
  if (status == 401 || is_void_grant(code)) {
    return failure(refresh_fault::rejected,
                   fmt::format("the token endpoint refused the grant ({})", answer));
  }
  return failure(refresh_fault::unavailable, fmt::format("the token endpoint answered {}", answer),
                 wait);
}

}  // namespace tidegate::provider
