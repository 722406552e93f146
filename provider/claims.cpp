#include "provider/claims.hpp"

#include "base/base64.hpp"
#include "base/bounded_json.hpp"
#include "provider/instants.hpp"

namespace tidegate::provider {

namespace {

using nlohmann::json;

constexpr json_bounds claims_bounds{.bytes_max = 64 * 1024, .depth_max = 16};

}  // namespace

json token_claims(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return {};
  const auto second = token.find('.', first + 1);
  if (second == std::string_view::npos) return {};
  const auto payload = token.substr(first + 1, second - first - 1);
  if (payload.size() / 4 * 3 > claims_bounds.bytes_max) return {};
  const auto bytes = parse_base64url(payload);
  if (!bytes) return {};
  auto claims = parse_bounded_json(*bytes, claims_bounds);
  if (!claims || !claims->is_object()) return {};
  return std::move(*claims);
}

json openai_claims(std::string_view id_token) {
  const json claims = token_claims(id_token);
  return claims.is_object() ? claims.value("https://api.openai.com/auth", json{}) : json{};
}

std::string claim_text(const json& claims, std::string_view name) {
  if (!claims.is_object()) return {};
  const auto found = claims.find(name);
  return found != claims.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<instant> claimed_end(const json& claims) {
  if (!claims.is_object()) return std::nullopt;
  const auto found = claims.find("exp");
  if (found == claims.end() || !found->is_number()) return std::nullopt;
  return instant_at(found->get<double>());
}

}  // namespace tidegate::provider
