#include "provider/account_tokens.hpp"
#include "provider/text_match.hpp"
#include "provider/vertex/jwt.hpp"
#include "provider/vertex/private_key.hpp"
#include "provider/vertex/provider.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::provider::vertex {
namespace {

constexpr std::string_view default_token_uri = "https://oauth2.googleapis.com/token";
constexpr std::size_t name_bytes_max = 128;

/// Projects and locations become parts of an address.
bool is_plain_name(std::string_view text, std::string_view marks) {
  const bool plain = std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           marks.find(c) != std::string_view::npos;
  });
  return !text.empty() && text.size() <= name_bytes_max &&
         marks.find(text.front()) == std::string_view::npos && text.front() != '-' && plain;
}

std::optional<service_account> read_signer(credential_fields& inner) {
  service_account out;
  out.client_email = inner.text("client_email");
  out.private_key_id = inner.text("private_key_id");
  out.token_uri = inner.text("token_uri");
  if (out.token_uri.empty()) out.token_uri = default_token_uri;
  if (out.client_email.empty()) inner.report("`client_email` is missing");
  const auto key = restored_private_key(inner.text("private_key"));
  if (!key) inner.report("`private_key` is no private key in PEM form");
  if (!inner.problem().empty()) return std::nullopt;
  out.private_key = secret_string{*key};
  if (const auto can = can_sign(out); !can) inner.report(can.error().detail);
  return out;
}

void read_service_account(credential& made, credential_fields& fields) {
  const auto* object = fields.find("service_account");
  if (object == nullptr) return;
  if (!object->is_object()) return fields.report("`service_account` must be an object");
  credential_fields inner{*object};
  made.signer = read_signer(inner);
  if (made.project_id.empty()) made.project_id = inner.text("project_id");
  if (made.signer && made.label.empty()) made.label = made.signer->client_email;
  if (!inner.problem().empty()) {
    fields.report(fmt::format("service_account: {}", inner.problem()));
  }
}

void find_place(credential& made, credential_fields& fields) {
  made.location = lower(fields.text("location"));
  if (made.location.empty()) made.location = default_location;
  if (!is_plain_name(made.project_id, ".:")) {
    fields.report(made.project_id.empty() ? "`project_id` is missing"
                                          : "`project_id` is no name of a project");
  }
  if (!is_plain_name(made.location, "")) fields.report("`location` is no name of a location");
  if (fields.text("base_url").empty() && made.location != "global") {
    made.base_url = fmt::format("https://{}-aiplatform.googleapis.com", made.location);
  }
}

}  // namespace

void read_account(credential& made, credential_fields& fields) {
  read_tokens(made, fields);
  made.project_id = fields.text("project_id");
  if (made.project_id.empty()) made.project_id = fields.text("project");
  read_service_account(made, fields);
  if (made.secret.empty() && made.refresh_token.empty() && !made.signer) {
    fields.report("`service_account` is missing");
  }
  find_place(made, fields);
}

}  // namespace tidegate::provider::vertex
