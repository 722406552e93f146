#include "provider/credential_mask.hpp"

#include <algorithm>
#include <array>

#include "base/secret_string.hpp"
#include "base/text.hpp"
#include "provider/credential_document.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::json;

constexpr std::string_view hidden = "********";

bool is_short_secret(std::string_view word) {
  constexpr std::array<std::string_view, 6> words{"pwd", "pin", "otp", "totp", "code", "pass"};
  return std::ranges::find(words, word) != words.end();
}

/// Whether one of the words of `snake_case`, `kebab-case` or `camelCase` is a secret's.
bool has_short_secret(std::string_view key) {
  std::string word;
  bool small = false;
  for (const char c : key) {
    const bool large = c >= 'A' && c <= 'Z';
    const bool letter = large || (c >= 'a' && c <= 'z');
    if (!letter || (large && small)) {
      if (is_short_secret(word)) return true;
      word.clear();
    }
    if (letter) word.push_back(lower_char(c));
    small = letter && !large;
  }
  return is_short_secret(word);
}

bool names_a_secret(std::string_view key) {
  const auto name = lower(key);
  return name == "auth" || name == "headers" || has_short_secret(key) ||
         contains_any(name, {"token", "secret", "key", "password", "passwd", "passphrase",
                             "assertion", "cookie", "session", "authorization", "credential",
                             "bearer", "jwt", "signature", "verifier", "accesscode", "passcode", "pem"});
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

/// Short ones would be half told by their ends.
std::string masked(const std::string& secret) {
  constexpr std::size_t shortest_with_ends = 24;
  if (secret.size() < shortest_with_ends) return std::string{hidden};
  return secret_string{secret}.masked();
}

std::string shown(const std::string& text, bool secret) {
  return secret || looks_secret(text) ? masked(text) : masked_url(text);
}

/// Writes a JSON text that is known to be one anew: indented, numbers as they are spelled.
class masking {
 public:
  explicit masking(std::string_view valid) : rest_(valid) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  std::string run() {
    write_value(false, 0);
    return std::move(out_) + "\n";
  }

 private:
  char next() {
    rest_.remove_prefix(rest_.find_first_not_of(" \t\r\n"));
    return rest_.front();
  }

  std::string_view take(std::size_t bytes) {
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view take_string() {
    std::size_t end = 1;
    while (rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    return take(end + 1);
  }

  void write_value(bool secret, std::size_t depth) {
    const char first = next();
    if (first == '{' || first == '[') return write_list(secret, depth);
    if (first == '"') {
      const json text = shown(json::parse(take_string()).get<std::string>(), secret);
      // Of a masked text a character may be cut.
      out_ += text.dump(-1, ' ', false, json::error_handler_t::replace);
      return;
    }
    const auto word = take(rest_.find_first_of(",]} \t\r\n"));
    const bool number = first == '-' || (first >= '0' && first <= '9');
    out_ += secret && number ? '"' + std::string{hidden} + '"' : std::string{word};
  }

  void write_list(bool secret, std::size_t depth) {
    const char open = rest_.front();
    const char close = open == '{' ? '}' : ']';
    out_ += take(1);
    bool empty = true;
    while (next() != close) {
      if (rest_.front() == ',') take(1);
      out_ += empty ? "\n" : ",\n";
      out_.append(2 * (depth + 1), ' ');
      empty = false;
      write_value(open == '{' ? write_name() || secret : secret, depth + 1);
    }
    if (!empty) out_.append("\n").append(2 * depth, ' ');
    out_ += take(1);
  }

  /// Whether what follows may be a secret.
  bool write_name() {
    next();
    const auto name = take_string();
    out_.append(name).append(": ");
    next();
    take(1);
    return names_a_secret(json::parse(name).get<std::string>());
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

result<std::string> masked_file(std::string_view text) {
  const auto valid = credential_json(text);
  if (!valid) return std::unexpected{valid.error()};
  return masking{text}.run();
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
