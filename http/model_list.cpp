#include "http/model_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tidegate::http {
namespace {

using nlohmann::ordered_json;
using models = std::vector<provider::listed_model>;

protocol::reply reply_of(int status, const ordered_json& body) {
  protocol::reply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "application/json");
  reply.body = body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return reply;
}

ordered_json openai_model(const provider::listed_model& one) {
  return {{"id", one.id}, {"object", "model"}, {"owned_by", one.owned_by}};
}

ordered_json anthropic_model(const provider::listed_model& one) {
  return {{"id", one.id},
          {"object", "model"},
          {"owned_by", one.owned_by},
          {"type", "model"},
          {"display_name", one.id}};
}

ordered_json gemini_model(const provider::listed_model& one) {
  return {{"name", "models/" + one.id},
          {"displayName", one.id},
          {"description", one.id},
          {"supportedGenerationMethods",
           {"generateContent", "streamGenerateContent", "countTokens"}}};
}

ordered_json list_of(const models& all, ordered_json (*shape)(const provider::listed_model&)) {
  auto list = ordered_json::array();
  for (const auto& one : all) list.push_back(shape(one));
  return list;
}

bool is_anthropic_client(const request& in) {
  return in.header("Anthropic-Version") ||
         in.header("User-Agent").value_or("").starts_with("claude-cli");
}

const provider::listed_model* find(const models& all, std::string_view id) {
  const auto found = std::ranges::find(all, id, &provider::listed_model::id);
  return found == all.end() ? nullptr : &*found;
}

protocol::reply unknown(protocol::wire form, const std::string& model) {
  if (form == protocol::wire::gemini) {
    return reply_of(404, {{"error",
                           {{"code", 404},
                            {"message", "models/" + model + " is not found"},
                            {"status", "NOT_FOUND"}}}});
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
  const auto all = catalog ? catalog->models() : models{};
  const bool gemini = route.id == route_id::gemini_models || route.id == route_id::gemini_model;
  if (route.id == route_id::model || route.id == route_id::gemini_model) {
    const auto* one = find(all, route.model);
    if (one == nullptr) {
      return unknown(gemini ? protocol::wire::gemini : protocol::wire::openai_chat, route.model);
    }
    if (gemini) return reply_of(200, gemini_model(*one));
    return reply_of(200, is_anthropic_client(in) ? anthropic_model(*one) : openai_model(*one));
  }
  if (gemini) return reply_of(200, {{"models", list_of(all, gemini_model)}});
  if (is_anthropic_client(in)) {
    ordered_json body{{"data", list_of(all, anthropic_model)}, {"has_more", false}};
    body["first_id"] = all.empty() ? ordered_json{} : ordered_json(all.front().id);
    body["last_id"] = all.empty() ? ordered_json{} : ordered_json(all.back().id);
    return reply_of(200, body);
  }
  return reply_of(200, {{"object", "list"}, {"data", list_of(all, openai_model)}});
}

}  // namespace tidegate::http
