#include "provider/credential_mask.hpp"

#include <algorithm>
#include <array>

#include "base/secret_string.hpp"
#include "base/text.hpp"
#include "provider/credential_document.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view hidden = "********";

bool names_a_secret(std::string_view key) {
  const auto name = lower(key);
  return name == "auth" || name == "headers" ||
         contains_any(name, {"token", "secret", "key", "password", "passwd", "passphrase",
                             "assertion", "cookie", "session", "authorization", "credential",
                             "bearer", "jwt", "signature", "verifier", "device_code", "pem"});
}

bool is_base64url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_' || c == '=' || c == '.';
  });
}

/// Forms that secrets of vendors and of HTTP have.
bool looks_secret(std::string_view text) {
  constexpr std::array<std::string_view, 8> beginnings{
      "sk-", "sess-", "AIza", "ya29.", "xai-", "ghp_", "rt_", "-----BEGIN"};
  constexpr std::size_t shortest = 16;
  if (text.size() < shortest) return false;
  const auto word = lower(text.substr(0, 7));
  if (word.starts_with("bearer ") || word.starts_with("basic ")) return true;
  if (text.starts_with("eyJ") && is_base64url(text)) return true;
  return std::ranges::any_of(beginnings, [&](auto one) { return text.starts_with(one); });
}

std::string shown(const std::string& text, bool secret) {
  if (secret || looks_secret(text)) return secret_string{text}.masked();
  return masked_url(text);
}

/// Every text below a name that may hold a secret.
void mask(ordered_json& value, bool secret) {
  if (value.is_string()) value = shown(value.get<std::string>(), secret);
  if (value.is_object()) {
    for (auto& [key, inner] : value.items()) mask(inner, secret || names_a_secret(key));
  } else if (value.is_array()) {
    for (auto& inner : value) mask(inner, secret);
  }
}

}  // namespace

result<std::string> masked_file(std::string_view text) {
  auto shown_file = credential_json(text);
  if (!shown_file) return std::unexpected{shown_file.error()};
  mask(*shown_file, false);
  return shown_file->dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string masked_url(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return std::string{text};
  const auto begin = mark + 3;
  const auto end = std::min(text.find_first_of("/?#", begin), text.size());
  std::string out{text.substr(0, begin)};
  auto host = text.substr(begin, end - begin);
  // A login may hold unescaped marks of its own: then all before the last sign is one.
  const auto sign = text.rfind('@');
  auto rest = text.substr(end);
  if (sign != std::string_view::npos && sign >= begin && text.find('/', begin) > sign) {
    out.append(hidden).append("@");
    const auto after = std::min(text.find_first_of("/?#", sign), text.size());
    host = text.substr(sign + 1, after - sign - 1);
    rest = text.substr(after);
  }
  const auto query = std::min(rest.find_first_of("?#"), rest.size());
  out.append(host).append(rest.substr(0, query));
  if (query + 1 < rest.size()) out.append(rest.substr(query, 1)).append(hidden);
  return out;
}

}  // namespace tidegate::provider
