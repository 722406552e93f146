#include "provider/login/callback.hpp"

#include "base/text.hpp"
#include "provider/token_reply.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tidegate::provider::login {

namespace {

constexpr std::size_t error_bytes_max = 64;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char l = lower_char(c);
  if (l >= 'a' && l <= 'f') return static_cast<unsigned>(l - 'a' + 10);
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      out.push_back(static_cast<char>(*high * 16 + *low));
      i += 2;
    }
  }
  return out;
}

bool is_word(std::string_view text, std::size_t bytes_max) {
  return text.size() <= bytes_max && std::ranges::all_of(text, [](char c) {
           const char l = lower_char(c);
           return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                  c == '-';
         });
}

std::unexpected<error> odd(std::string_view what) {
  return failed(errc::invalid_input, std::string{what});
}

result<callback> checked(std::string code, std::string state, std::string error) {
  if (code.empty() && error.empty()) return odd("the login's answer holds no code");
  if (!code.empty() && !is_token_text(code)) return odd("the login's code has odd characters");
  if (!is_word(state, state_bytes_max) || state.find("..") != std::string::npos) {
    return odd("the login's state has odd characters");
  }
  if (!is_word(error, error_bytes_max)) error = "unknown_error";
  if (!error.empty()) code.clear();
  return callback{secret_string{std::move(code)}, std::move(state), std::move(error)};
}

result<callback> from_query(std::string_view query) {
  constexpr std::array<std::string_view, 3> names{"code", "state", "error"};
  std::array<std::optional<std::string>, 3> found;
  query = query.substr(0, query.find('#'));
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const auto equals = std::min(part.find('='), part.size());
    const auto* const name = std::ranges::find(names, part.substr(0, equals));
    if (name == names.end()) continue;
    auto& value = found[static_cast<std::size_t>(name - names.begin())];
    if (value) return odd("the login's answer states a parameter twice");
    value = decoded(part.substr(std::min(equals + 1, part.size())));
    if (!value) return odd("the login's answer has broken escapes");
  }
  return checked(found[0].value_or(""), found[1].value_or(""), found[2].value_or(""));
}

}  // namespace

result<callback> parse_callback(std::string_view pasted) {
  if (pasted.size() > callback_bytes_max) {
    return failed(errc::limit_exceeded, "the login's answer is too long");
  }
  const auto text = trimmed(pasted);
  const auto question = text.find('?');
  if (question != std::string_view::npos) return from_query(text.substr(question + 1));
  const auto hash = text.find('#');
  if (hash != std::string_view::npos && text.find('=') >= hash) {
    return checked(std::string{text.substr(0, hash)}, std::string{text.substr(hash + 1)}, {});
  }
  return from_query(text);
}

result<secret_string> code_of(const callback& answer, const secret_string& expected_state) {
  if (expected_state.empty() || !expected_state.equals(answer.state)) {
    return odd("the answer belongs to another login");
  }
  if (answer.error.empty()) return answer.code;
  return failed(errc::cancelled, "the login was refused (" + answer.error + ")");
}

}  // namespace tidegate::provider::login
