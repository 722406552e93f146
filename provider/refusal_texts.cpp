#include "provider/refusal_texts.hpp"

#include "provider/text_match.hpp"

#include <re2/re2.h>

namespace tidegate::provider {
namespace {

bool words_refuse_model(std::string_view message) {
  // A name of at most one word may stand between `model` and the verb, so that "parameter X is
  // not supported with this model" does not match.
  static const RE2 refusal{
      R"re((?i)\bmodels?(?:[ :/]+['"`]?[\w.:/@-]+['"`]?)?,? (?:is |are |was |were )?)re"
      R"re((?:currently )?(?:not (?:supported|available|found)|unsupported|unavailable|)re"
      R"re(does not exist)|\bunsupported model\b|)re"
      R"re(\bnot available (?:for|on|in|with|to) your (?:plan|account|subscription))re"};
  return RE2::PartialMatch(re2::StringPiece{message.data(), message.size()}, refusal);
}

}  // namespace

bool refuses_model(int status, const error_body& body) {
  if (status < 400 || status >= 500 || status == 401 || status == 402 || status == 429) {
    return false;
  }
  for (const auto* place : body.places()) {
    if (equal_ignoring_case(string_of(place, "code"), "model_not_found") ||
        equal_ignoring_case(string_of(place, "type"), "model_not_found")) {
      return true;
    }
  }
  if (status != 400 && status != 404 && status != 422) return false;
  const auto message = body.message();
  const bool anthropic_form = status == 404 && body.first("type") == "not_found_error" &&
                              lower(message).starts_with("model:");
  const auto parameter = body.first("param");
  const bool about_another_field = !parameter.empty() && parameter != "model";
  return anthropic_form || (!about_another_field && words_refuse_model(message));
}

bool is_challenge(int status, const error_body& body, const header_lookup& header) {
  if (status >= 500) return false;
  if (header("cf-mitigated")) return true;
  if (body.is_json()) return false;
  const auto text = lower(body.text());
  const bool cloudflare = text.find("cloudflare") != std::string::npos;
  return contains_any(text, {"challenge-platform", "cf-mitigated", "cloudflare challenge"}) ||
         (cloudflare && contains_any(text, {"<html", "just a moment"}));
}

bool reports_dead_grant(int status, const error_body& body) {
  if (status != 400 && status != 401) return false;
  return lower(body.first("code")) == "invalid_grant" ||
         lower(string_of(&body.root(), "error")) == "invalid_grant" ||
         lower(body.message()).find("invalid_grant") != std::string::npos;
}

bool misses_unstored_item(int status, const error_body& body) {
  if (status != 404) return false;
  const auto text = lower(body.message());
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  return has("item") && has("not found") && has("not persisted") && has("store") && has("false");
}

}  // namespace tidegate::provider
