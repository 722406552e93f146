/// Any bytes as a credential file: what is read can be renewed, changed, shown and imported, the
/// new tokens are the ones that are read then, and what is shown has none of the secrets.

#include "base/time.hpp"
#include "provider/credential.hpp"
#include "provider/credential_mask.hpp"
#include "provider/credential_rewrite.hpp"
#include "provider/login/account_text.hpp"
#include "provider/login/import.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>

namespace {

using namespace tidegate;
using namespace tidegate::provider;

/// Shorter ones may be in the file as something else.
constexpr std::size_t telling_bytes = 24;

void require(bool holds, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "line %u does not hold\n", static_cast<unsigned>(at.line()));
  std::abort();
}

/// A secret that also stands somewhere else in the file is shown there.
bool shows(const std::string& shown, const secret_string& secret, const std::string& file) {
  const auto bytes = secret.reveal();
  const auto at = file.find(bytes);
  const bool once = at != std::string::npos && file.find(bytes, at + 1) == std::string::npos;
  return once && bytes.size() >= telling_bytes && shown.find(bytes) != std::string::npos;
}

void renew(const std::string& text, instant now) {
  fresh_tokens fresh;
  fresh.access_token = secret_string{"access-of-the-renewal"};
  fresh.refresh_token = secret_string{"refresh-of-the-renewal"};
  const auto renewed = with_tokens(text, fresh, now);
  if (!renewed) return;
  const auto again = from_file("a.json", "/a.json", *renewed, {});
  require(again.has_value());
  if (again->auth != auth_kind::account || again->signer) return;
  require(again->secret == fresh.access_token && again->refresh_token == fresh.refresh_token);
}

void import(const std::string& text, instant now) {
  const auto made = login::import_account(text, "a.json", now);
  if (!made) return;
  require(from_file(made->file.name, "/" + made->file.name, made->file.text, {}).has_value());
  require(made->file.name.find('/') == std::string::npos && made->file.name.ends_with(".json"));
  require(!login::text_over(text, made->file.text, now).text.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto now = from_unix(1'800'000'000);
  import(text, now);
  const auto record = from_file("a.json", "/a.json", text, {});
  if (!record) return 0;
  const auto shown = masked_file(text);
  require(shown.has_value());
  require(!shows(*shown, record->secret, text) && !shows(*shown, record->refresh_token, text));
  renew(text, now);
  const auto changed = with_fields(text, {{"note", "n"}, {"priority", 3}});
  require(changed && from_file("a.json", "/a.json", *changed, {})->priority == 3);
  return 0;
}
