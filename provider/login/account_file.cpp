#include "provider/login/account_file.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "provider/claims.hpp"

#include <fmt/format.h>

namespace tidegate::provider::login {

namespace {

using nlohmann::ordered_json;
using std::chrono::seconds;

constexpr std::size_t name_part_bytes_max = 80;
constexpr std::size_t label_bytes_max = 256;
constexpr std::size_t account_digits = 8;

bool is_plain(char c) {
  const char l = lower_char(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '@' || c == '.' || c == '_' ||
         c == '+' || c == '-';
}

/// A claim for people: one short line of text.
std::string label_in(const nlohmann::json& claims, std::string_view name) {
  std::string text{trimmed(claim_text(claims, name))};
  if (text.size() > label_bytes_max) return {};
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return {};
  }
  return text;
}

std::string joined(std::initializer_list<std::string> parts) {
  std::string out;
  for (const auto& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out.push_back('-');
    out += part;
  }
  return out + ".json";
}

std::string rfc3339(instant at) {
  return format_rfc3339(std::chrono::floor<seconds>(at));
}

ordered_json common_fields(kind k, const fresh_tokens& fresh, instant now) {
  ordered_json file{{"type", to_string(k)},
                    {"access_token", fresh.access_token.reveal()},
                    {"refresh_token", fresh.refresh_token.reveal()}};
  if (!fresh.id_token.empty()) file["id_token"] = fresh.id_token.reveal();
  if (fresh.expires_at) file["expired"] = rfc3339(*fresh.expires_at);
  file["last_refresh"] = rfc3339(now);
  return file;
}

std::string text_of(const ordered_json& file) {
  return file.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string digits_of(std::string_view text) { return sha256_hex(text).substr(0, account_digits); }

/// Where nothing says whose the login is: two of them do not share a file.
std::string nameless(const fresh_tokens& fresh) {
  return "account-" + digits_of(fresh.refresh_token.reveal());
}

account_file codex_file(const fresh_tokens& fresh, std::string_view stated_account, instant now) {
  const auto claims = token_claims(fresh.id_token.reveal());
  const auto own = openai_claims(fresh.id_token.reveal());
  const std::string email = label_in(claims, "email");
  std::string account = label_in(own, "chatgpt_account_id");
  if (account.empty()) account = stated_account;
  const std::string plan = lower(label_in(own, "chatgpt_plan_type"));
  auto file = common_fields(kind::codex, fresh, now);
  if (!account.empty()) file["account_id"] = account;
  if (!email.empty()) file["email"] = email;
  const std::string digits = account.empty() ? std::string{} : digits_of(account);
  const std::string who = email.empty() && account.empty() ? nameless(fresh) : name_part(email);
  return {joined({"codex", digits, who, name_part(plan)}), text_of(file), email};
}

account_file xai_file(const fresh_tokens& fresh, instant now) {
  auto claims = token_claims(fresh.id_token.reveal());
  if (claims.is_null()) claims = token_claims(fresh.access_token.reveal());
  const std::string email = label_in(claims, "email");
  const std::string subject = label_in(claims, "sub");
  auto file = common_fields(kind::xai, fresh, now);
  file["auth_kind"] = "oauth";
  if (!email.empty()) file["email"] = email;
  if (!subject.empty()) file["sub"] = subject;
  const std::string label = email.empty() ? subject : email;
  return {joined({"xai", label.empty() ? nameless(fresh) : name_part(label)}), text_of(file), label};
}

account_file kimi_file(const fresh_tokens& fresh, std::string_view device_id, instant now) {
  using std::chrono::milliseconds;
  const auto stamp = std::chrono::floor<milliseconds>(now.time_since_epoch()).count();
  auto file = common_fields(kind::kimi, fresh, now);
  file["token_type"] = "Bearer";
  if (!device_id.empty()) file["device_id"] = device_id;
  file["timestamp"] = stamp;
  return {joined({"kimi", fmt::format("{}", stamp)}), text_of(file), {}};
}

}  // namespace

std::string name_part(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text).substr(0, name_part_bytes_max)) {
    out.push_back(is_plain(c) ? c : '-');
  }
  return out;
}

result<account_file> account_file_of(kind k, const fresh_tokens& fresh, std::string_view device_id,
                                     instant now, std::string_view account_id) {
  if (fresh.access_token.empty() || fresh.refresh_token.empty()) {
    return failed(errc::invalid_input, "the login gave no access token or no refresh token");
  }
  switch (k) {
    case kind::codex:
      return codex_file(fresh, account_id, now);
    case kind::xai:
      return xai_file(fresh, now);
    case kind::kimi:
      return kimi_file(fresh, device_id, now);
    case kind::openai_compatibility:
    case kind::claude:
    case kind::gemini:
    case kind::vertex:
    case kind::antigravity:
      break;
  }
  return failed(errc::invalid_input,
                fmt::format("accounts of {} do not log in here", to_string(k)));
}

}  // namespace tidegate::provider::login
