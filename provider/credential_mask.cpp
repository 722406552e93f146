#include "provider/credential_mask.hpp"

#include "base/bounded_json.hpp"
#include "base/secret_string.hpp"
#include "base/text.hpp"
#include "provider/credential_document.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::ordered_json;

constexpr json_bounds file_bounds{.bytes_max = credential_text_bytes_max, .depth_max = 32};

bool names_a_secret(std::string_view key) {
  const auto name = lower(key);
  for (const auto word : {"token", "secret", "key", "password", "assertion"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return name == "proxy_url" || name == "proxy-url" || name == "headers";
}

/// Every text below a name that may hold a secret.
void mask(ordered_json& value, bool secret) {
  if (value.is_string() && secret) value = secret_string{value.get<std::string>()}.masked();
  if (value.is_object()) {
    for (auto& [key, inner] : value.items()) mask(inner, secret || names_a_secret(key));
  } else if (value.is_array()) {
    for (auto& inner : value) mask(inner, secret);
  }
}

}  // namespace

result<std::string> masked_file(std::string_view text) {
  auto shown = parse_bounded_ordered_json(text, file_bounds);
  if (!shown) return failed(errc::invalid_input, "the file is no JSON");
  mask(*shown, false);
  return shown->dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tidegate::provider
