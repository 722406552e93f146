#include "provider/cause.hpp"

#include "provider/provider.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>

namespace tidegate::provider {
namespace {

constexpr std::size_t scanned_bytes_max = 4096;
constexpr std::size_t own_secret_bytes_min = 6;
constexpr std::string_view mark = "[redacted]";

/// Length of the UTF-8 sequence at the front, or 0 when the bytes are none.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : size;
}

/// Valid UTF-8 on one line: control characters and runs of blanks become one blank.
std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto size = sequence_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    if (size == 0) {
      out += '?';
    } else if (lead <= 0x20 || lead == 0x7F) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct substitution {
  RE2 pattern;
  const char* replacement;
};

const std::array<substitution, 6>& substitutions() {
  static const std::array<substitution, 6> rows{{
      {RE2{R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=*-]{6,})"}, "\\1 [redacted]"},
      {RE2{R"(\b(sk|pk|rk|xai|gsk|ghp|gho|hf|AIza|ya29|AKIA)[-_.]?[A-Za-z0-9_.*-]{8,})"},
       "[redacted]"},
      {RE2{R"(\beyJ[A-Za-z0-9_-]{4,}(\.[A-Za-z0-9_-]*){0,2})"}, "[redacted]"},
      {RE2{R"re((?i)\b((?:x-)?(?:goog-)?api[ _-]?key|access[_-]?token|refresh[_-]?token|)re"
           R"re(id[_-]?token|client[_-]?secret|authorization|password|secret)\b)re"
           R"re(["']?\s*[:=]\s*["']?[^\s"',;&}\[][^\s"',;&}]*)re"},
       "\\1=[redacted]"},
      {RE2{R"(([?&](?:key|auth_token|token|code)=)[^\s"'&]+)"}, "\\1[redacted]"},
      {RE2{R"([A-Za-z0-9_-]{40,})"}, "[redacted]"},
  }};
  return rows;
}

/// Absolute paths of two or more segments. Request paths of APIs stay: they help and tell nothing.
std::string without_paths(const std::string& text) {
  static const RE2 path{R"re((^|[\s"'(=:,])((?:~|[A-Za-z]:)?(?:[/\\][A-Za-z0-9._@+-]+){2,}[/\\]?)re"
                        R"re(|~[/\\][A-Za-z0-9._@+-]+))re"};
  static const RE2 request_path{R"(^/(v[0-9]|backend-api/|responses/).*)"};
  std::string out;
  std::size_t from = 0;
  std::array<re2::StringPiece, 3> group;
  while (path.Match(text, from, text.size(), RE2::UNANCHORED, group.data(), 3)) {
    const auto begin = static_cast<std::size_t>(group[2].data() - text.data());
    out.append(text, from, begin - from);
    if (RE2::FullMatch(group[2], request_path)) {
      out.append(group[2].data(), group[2].size());
    } else {
      out += "[path]";
    }
    from = begin + group[2].size();
  }
  return out.append(text, from);
}

std::string cut(std::string text) {
  std::size_t characters = 0;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    if (characters == cause_characters_max - 3) kept = at;
    if (++characters > cause_characters_max) return text.substr(0, kept) + "...";
  }
  return text;
}

std::string_view identifier_of(const error_body& body) {
  for (const char* key : {"code", "type", "status"}) {
    const auto found = body.first(key);
    if (!found.empty() && found != "error" && found != "response.failed") return found;
  }
  return string_of(&body.root(), "error");
}

std::string summary(const error_body& body) {
  const auto message = body.message();
  if (!body.is_json()) return std::string{message};
  const auto identifier = identifier_of(body);
  if (message.empty()) return std::string{identifier.empty() ? body.text() : identifier};
  if (identifier.empty() || message.find(identifier) != std::string_view::npos) {
    return std::string{message};
  }
  return fmt::format("{}: {}", identifier, message);
}

void take_out(std::string& text, std::string_view secret) {
  if (secret.size() < own_secret_bytes_min) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), mark);
    at += mark.size();
  }
}

}  // namespace

void hide_secret(std::string& text, const credential& who) {
  const auto secret = who.secret.reveal();
  take_out(text, secret);
  if (secret.find('/') == std::string_view::npos) return;
  std::string escaped;
  for (const char c : secret) {
    if (c == '/') escaped += '\\';
    escaped += c;
  }
  take_out(text, escaped);
}

std::string redact(std::string_view text) {
  auto out = one_line(text.substr(0, scanned_bytes_max));
  for (const auto& row : substitutions()) RE2::GlobalReplace(&out, row.pattern, row.replacement);
  return cut(without_paths(out));
}

std::string cause_of(int status, const error_body& body, const credential& who) {
  auto text = summary(body);
  hide_secret(text, who);
  text = redact(text);
  return text.empty() ? fmt::format("HTTP {}", status) : text;
}

}  // namespace tidegate::provider
