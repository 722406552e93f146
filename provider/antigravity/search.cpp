#include "provider/antigravity/search.hpp"

#include "protocol/canonical/request.hpp"
#include "protocol/json_edit.hpp"
#include "protocol/json_text.hpp"
#include "provider/text_match.hpp"

namespace tidegate::provider::antigravity {
namespace {

using protocol::choice_mode;

constexpr std::int64_t results_default = 5;
constexpr std::int64_t results_max = 100;

bool searches(std::string_view model) {
  const auto name = lower(model);
  return name.starts_with("gemini-") && name.find("-image") == std::string::npos;
}

bool allows(const protocol::tool_choice& choice) {
  return choice.mode != choice_mode::none && choice.mode != choice_mode::subset;
}

}  // namespace

bool is_search(const request_input& in) {
  if (in.call == nullptr || in.call->source != protocol::wire::anthropic_messages) return false;
  const auto& tools = in.call->tools;
  return tools.size() == 1 && tools.front().server == protocol::server_tool::web_search &&
         allows(in.call->choice) && searches(in.upstream_model);
}

std::string search_tools(const request_input& in) {
  const auto asked = in.call->tools.front().json;
  const auto uses = protocol::integer_of(protocol::member_of(asked, "max_uses"));
  const bool usable = uses && *uses > 0 && *uses <= results_max;
  const auto images =
      protocol::object_writer{}.number("maxResultCount", usable ? *uses : results_default).str();
  protocol::object_writer search;
  search.raw("enhancedContent", protocol::object_writer{}.raw("imageSearch", images).str());
  const auto domains = protocol::member_of(asked, "allowed_domains");
  if (domains.find('"') != std::string_view::npos && domains.starts_with('[')) {
    search.raw("includedDomains", domains);
  }
  return "[" + protocol::object_writer{}.raw("googleSearch", search.str()).str() + "]";
}

}  // namespace tidegate::provider::antigravity
