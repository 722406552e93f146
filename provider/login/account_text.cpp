#include "provider/login/account_text.hpp"

#include "base/time_text.hpp"
#include "provider/credential_document.hpp"
#include "provider/credential_rewrite.hpp"

#include <algorithm>
#include <array>

namespace tidegate::provider::login {

namespace {

/// What with_tokens writes, in the spelling that the file has.
constexpr std::array<std::string_view, 5> token_names{"access_token", "refresh_token", "id_token",
                                                      "expired", "last_refresh"};

fresh_tokens tokens_in(const object_text& made) {
  return {secret_string{text_of(made.find("access_token"))},
          secret_string{text_of(made.find("refresh_token"))},
          secret_string{text_of(made.find("id_token"))},
          parse_rfc3339(text_of(made.find("expired")))};
}

/// Whose account it is, as the new file knows it.
void take_identity(object_text& into, const object_text& made) {
  for (const auto& one : made.members()) {
    if (std::ranges::find(token_names, one.name) == token_names.end()) {
      set_field(into, one.name, one.raw);
    }
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
