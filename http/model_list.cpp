#include "http/model_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "http/codex_catalogue.hpp"
#include "http/model_card.hpp"

namespace tidegate::http {
namespace {

using nlohmann::ordered_json;
using cards = std::vector<model_card>;

/// What Anthropic's clients are told of a model that nobody knows.
constexpr std::int64_t context_window_assumed = 200'000;
constexpr std::int64_t max_output_assumed = 64'000;

protocol::reply reply_of(int status, const ordered_json& body) {
  protocol::reply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return reply;
}

ordered_json openai_model(const model_card& one) {
  return {{"id", one.id}, {"object", "model"}, {"owned_by", one.owned_by}};
}

ordered_json anthropic_model(const model_card& one) {
  return {
      {"id", one.id},
      {"object", "model"},
      {"owned_by", one.owned_by},
      {"created_at", "1970-01-01T00:00:00Z"},  // the vendor's own word for unknown
      {"type", "model"},
      {"display_name", one.display_name},
      {"max_input_tokens", one.context_window > 0 ? one.context_window : context_window_assumed},
      {"max_tokens", one.max_output > 0 ? one.max_output : max_output_assumed}};
}

ordered_json gemini_model(const model_card& one) {
  ordered_json out{{"name", "models/" + one.id},
                   {"displayName", one.display_name},
                   {"description", one.display_name}};
  if (one.context_window > 0) out["inputTokenLimit"] = one.context_window;
  if (one.max_output > 0) out["outputTokenLimit"] = one.max_output;
  out["supportedGenerationMethods"] = {"generateContent", "streamGenerateContent", "countTokens"};
  if (!one.input_modalities.empty()) out["supportedInputModalities"] = one.input_modalities;
  if (!one.output_modalities.empty()) out["supportedOutputModalities"] = one.output_modalities;
  return out;
}

ordered_json grok_model(const model_card& one) {
  ordered_json out{{"id", one.id}, {"model", one.id}, {"name", one.display_name}};
  if (one.context_window > 0) out["context_window"] = one.context_window;
  out["api_backend"] = "responses";
  out["supported_in_api"] = true;
  for (const auto effort : one.efforts) out["reasoning_efforts"].push_back({{"value", effort}});
  return out;
}

ordered_json list_of(const cards& all, ordered_json (*shape)(const model_card&)) {
  auto list = ordered_json::array();
  for (const auto& one : all) list.push_back(shape(one));
  return list;
}

ordered_json anthropic_list(cards all) {
  std::ranges::sort(all, {}, [](const model_card& one) {
    return std::pair{std::string_view{one.display_name}, std::string_view{one.id}};
  });
  ordered_json body{{"data", list_of(all, anthropic_model)}, {"has_more", false}};
  body["first_id"] = all.empty() ? ordered_json{} : ordered_json(all.front().id);
  body["last_id"] = all.empty() ? ordered_json{} : ordered_json(all.back().id);
  return body;
}

bool is_grok_client(const request& in) {
  return in.header("User-Agent").value_or("").contains("grok-shell");
}

bool is_anthropic_client(const request& in) {
  return in.header("Anthropic-Version") ||
         in.header("User-Agent").value_or("").starts_with("claude-cli");
}

/// Google's libraries ask the path of OpenAI's list, too.
bool is_google_client(const request& in) {
  return in.header("X-Goog-Api-Client") || in.header("X-Goog-Api-Key");
}

/// A member of the query, whatever its value.
bool asks_for(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    if (pair.substr(0, pair.find('=')) == name) return true;
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return false;
}

const provider::listed_model* find(const std::vector<provider::listed_model>& all,
                                   std::string_view id) {
  const auto found = std::ranges::find(all, id, &provider::listed_model::id);
  return found == all.end() ? nullptr : &*found;
}

protocol::wire form_for(const request& in, const route_match& route) {
  const bool own_path = route.id == route_id::gemini_models || route.id == route_id::gemini_model;
  if (own_path) return protocol::wire::gemini;
  if (is_anthropic_client(in)) return protocol::wire::anthropic_messages;
  return is_google_client(in) ? protocol::wire::gemini : protocol::wire::openai_chat;
}

protocol::reply unknown(protocol::wire form, const std::string& model) {
  if (form == protocol::wire::gemini) {
    return reply_of(404, {{"error",
                           {{"code", 404},
                            {"message", "models/" + model + " is not found"},
                            {"status", "NOT_FOUND"}}}});
  }
  if (form == protocol::wire::anthropic_messages) {
    return reply_of(404,
                    {{"type", "error"},
                     {"error", {{"type", "not_found_error"}, {"message", "model: " + model}}}});
  }
  return reply_of(404, {{"error",
                         {{"message", "The model '" + model + "' does not exist"},
                          {"type", "invalid_request_error"},
                          {"param", "model"},
                          {"code", "model_not_found"}}}});
}

}  // namespace

protocol::reply list_models(const std::shared_ptr<const provider::catalog>& catalog,
                            const request& in, const route_match& route) {
  static const std::vector<provider::listed_model> none;
  const auto& all = catalog ? catalog->models() : none;
  const auto form = form_for(in, route);
  const bool gemini = form == protocol::wire::gemini;
  if (route.id == route_id::model || route.id == route_id::gemini_model) {
    const auto* one = find(all, route.model);
    if (one == nullptr) return unknown(form, route.model);
    const auto card = card_of(*one);
    if (gemini) return reply_of(200, gemini_model(card));
    return reply_of(200, is_anthropic_client(in) ? anthropic_model(card) : openai_model(card));
  }
  auto cards = cards_of(all);
  const auto google_list = [&cards] {
    return ordered_json{{"models", list_of(cards, gemini_model)}};
  };
  if (route.id == route_id::gemini_models) return reply_of(200, google_list());
  if (is_grok_client(in)) {
    return reply_of(200, {{"object", "list"}, {"data", list_of(cards, grok_model)}});
  }
  if (asks_for(in.query, "client_version")) return reply_of(200, codex_catalogue(std::move(cards)));
  if (is_anthropic_client(in)) return reply_of(200, anthropic_list(std::move(cards)));
  if (gemini) return reply_of(200, google_list());
  return reply_of(200, {{"object", "list"}, {"data", list_of(cards, openai_model)}});
}

}  // namespace tidegate::http
