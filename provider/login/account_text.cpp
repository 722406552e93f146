#include "provider/login/account_text.hpp"

#include "base/time_text.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_rewrite.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::login {

namespace {

using nlohmann::ordered_json;

/// What with_tokens writes, in the spelling that the file has.
constexpr std::array<std::string_view, 5> token_names{"access_token", "refresh_token", "id_token",
                                                      "expired", "last_refresh"};

std::string text_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

fresh_tokens tokens_in(const ordered_json& made) {
  return {secret_string{text_in(made, "access_token")},
          secret_string{text_in(made, "refresh_token")}, secret_string{text_in(made, "id_token")},
          parse_rfc3339(text_in(made, "expired"))};
}

/// Whose account it is, as the new file knows it.
void take_identity(ordered_json& into, const ordered_json& made) {
  for (const auto& [name, value] : made.items()) {
    if (std::ranges::find(token_names, name) == token_names.end()) set_field(into, name, value);
  }
}

}  // namespace

account_text text_over(std::string_view present, std::string_view made, instant now) {
  auto fresh = credential_document::parse(made);
  auto earlier = credential_document::parse(present);
  const account_text alone{std::string{made}, false};
  if (!fresh || !earlier || fresh->type() != earlier->type()) return alone;
  take_identity(earlier->root(), fresh->root());
  const auto text = earlier->text();
  if (!text) return alone;
  const auto tokens = tokens_in(fresh->root());
  if (tokens.access_token.empty()) return {*text, true};
  auto renewed = with_tokens(*text, tokens, now);
  return renewed ? account_text{std::move(*renewed), true} : alone;
}

}  // namespace tidegate::provider::login
