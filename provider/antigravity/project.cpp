#include "provider/antigravity/project.hpp"

#include "base/bounded_json.hpp"
#include "base/text.hpp"
#include "provider/request_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::provider::antigravity {

namespace {

using nlohmann::json;

constexpr json_bounds reply_bounds{.bytes_max = 256 * 1024, .depth_max = 24};
constexpr std::size_t id_bytes_max = 128;

result<upstream_request> call(const credential& who, std::string_view method, const json& body) {
  if (who.secret.empty()) return failed(errc::invalid_input, "the credential has no access token");
  upstream_request request;
  request.url = fmt::format("{}/v1internal:{}", who.base_url, method);
  set_common_headers(request, "application/json");
  set_bearer(request, who);
  request.owned.push_back(
      std::make_unique<std::string>(body.dump(-1, ' ', false, json::error_handler_t::replace)));
  request.body.emplace_back(*request.owned.back());
  return request;
}

/// What the API wants to know about who asks.
json metadata() {
  return {{"ideType", "ANTIGRAVITY"}};
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= id_bytes_max && std::ranges::all_of(text, [](char c) {
    const char l = lower_char(c);
    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == ':';
  });
}

std::string id_in(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  const auto& text = found->get_ref<const std::string&>();
  return is_id(text) ? text : std::string{};
}

/// `cloudaicompanionProject`, a text or an object with an `id`.
std::string project_in(const json& object) {
  constexpr const char* name = "cloudaicompanionProject";
  if (!object.is_object() || !object.contains(name)) return {};
  const auto& project = object[name];
  return project.is_object() ? id_in(project, "id") : id_in(object, name);
}

std::string default_tier_in(const json& object) {
  const auto tiers = object.find("allowedTiers");
  if (tiers == object.end() || !tiers->is_array()) return {};
  for (const auto& tier : *tiers) {
    if (!tier.is_object() || !tier.contains("isDefault")) continue;
    if (tier["isDefault"] == true) return id_in(tier, "id");
  }
  return {};
}

project_answer without(std::string reason) {
  return {
      .state = project_state::failed, .project_id = {}, .tier = {}, .reason = std::move(reason)};
}

/// The object of a successful answer; null otherwise.
json object_in(int status, std::string_view body) {
  if (status < 200 || status >= 300) return {};
  auto parsed = parse_bounded_json(body, reply_bounds);
  return parsed && parsed->is_object() ? std::move(*parsed) : json{};
}

project_answer no_object(int status) {
  return without(status >= 200 && status < 300
                     ? std::string{"the answer about the project cannot be used"}
                     : fmt::format("the question for the project was answered {}", status));
}

}  // namespace

result<upstream_request> project_request(const credential& who) {
  return call(who, "loadCodeAssist", {{"metadata", metadata()}});
}

project_answer read_project(int status, std::string_view body) {
  const json reply = object_in(status, body);
  if (reply.is_null()) return no_object(status);
  project_answer answer;
  answer.project_id = project_in(reply);
  if (!answer.project_id.empty()) {
    answer.state = project_state::found;
    return answer;
  }
  answer.tier = default_tier_in(reply);
  if (answer.tier.empty()) return without("the account has neither a project nor a default tier");
  answer.state = project_state::onboard;
  return answer;
}

result<upstream_request> onboard_request(const credential& who, std::string_view tier) {
  return call(who, "onboardUser", {{"tierId", tier}, {"metadata", metadata()}});
}

project_answer read_onboarding(int status, std::string_view body) {
  const json reply = object_in(status, body);
  if (reply.is_null()) return no_object(status);
  const auto done = reply.find("done");
  project_answer answer;
  if (done == reply.end() || *done != true) {
    answer.state = project_state::pending;
    return answer;
  }
  const auto response = reply.find("response");
  if (response != reply.end()) answer.project_id = project_in(*response);
  if (answer.project_id.empty()) return without("onboarding ended without a project");
  answer.state = project_state::found;
  return answer;
}

}  // namespace tidegate::provider::antigravity
