#include "provider/credential_checks.hpp"

#include "base/address.hpp"
#include "provider/credential_parts.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"

#include <fmt/format.h>

namespace tidegate::provider {

namespace {

void check_line(credential_fields& in, std::string_view name, std::string_view text) {
  if (has_control(text)) in.report(fmt::format("`{}` holds a control character", name));
}

}  // namespace

std::string line_of(credential_fields& in, std::string_view name) {
  std::string text = in.text(name);
  check_line(in, name, text);
  return text;
}

std::string prefix_of(credential_fields& in) {
  const std::string text = line_of(in, "prefix");
  std::string clean = clean_prefix(text);
  if (!text.empty() && clean.empty()) in.report("`prefix` must not hold a slash");
  return clean;
}

std::string base_url_of(credential_fields& in) {
  std::string url = line_of(in, "base_url");
  if (const auto fault = address::base_url_fault(url); !fault.empty()) {
    in.report("`base_url` " + fault);
  }
  return url;
}

secret_string proxy_url_of(credential_fields& in) {
  std::string url = line_of(in, "proxy_url");
  if (const auto fault = address::proxy_url_fault(url); !fault.empty()) {
    in.report("`proxy_url` " + fault);
  }
  return secret_string{equal_ignoring_case(url, "none") ? std::string{"direct"} : std::move(url)};
}

header_list headers_of(credential_fields& in) {
  auto out = in.headers("headers");
  for (const auto& [name, value] : out) {
    if (!is_header(name, value)) {
      in.report(fmt::format("`headers.{}` is no header, or not one to set", name));
    }
  }
  return out;
}

std::vector<std::string> patterns_of(credential_fields& in) {
  auto out = in.texts("excluded_models");
  for (const auto& pattern : out) check_line(in, "excluded_models", pattern);
  return out;
}

void check_account(const credential& made, credential_fields& in) {
  for (const auto& [name, value] : {std::pair{"access_token", made.secret.reveal()},
                                    {"refresh_token", made.refresh_token.reveal()},
                                    {"account_id", std::string_view{made.account_id}},
                                    {"project_id", std::string_view{made.project_id}},
                                    {"plan_type", std::string_view{made.plan_type}},
                                    {"email", std::string_view{made.label}}}) {
    check_line(in, name, value);
  }
  for (const auto& entry : made.models) {
    check_line(in, "model_aliases", entry.name);
    check_line(in, "model_aliases", entry.alias);
    check_line(in, "model_aliases", entry.display_name);
  }
}

}  // namespace tidegate::provider
