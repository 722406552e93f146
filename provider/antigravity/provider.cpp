#include "provider/antigravity/provider.hpp"

#include "base/hash.hpp"
#include "protocol/json_text.hpp"
#include "provider/antigravity/answer.hpp"
#include "provider/antigravity/body.hpp"
#include "provider/antigravity/search.hpp"
#include "provider/google_request.hpp"
#include "provider/request_parts.hpp"
#include "provider/text_match.hpp"
#include "provider/user_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tidegate::provider::antigravity {
namespace {

using protocol::surface;

constexpr std::string_view first_host = "://daily-cloudcode-pa.googleapis.com";
constexpr std::string_view second_host = "://cloudcode-pa.googleapis.com";

constexpr std::array<std::string_view, 8> names{
    "claude-opus-4-5-thinking",   "claude-opus-4-6-thinking", "claude-sonnet-4-5",
    "claude-sonnet-4-5-thinking", "gemini-2.5-flash",         "gemini-3-flash",
    "gemini-3-pro-high",          "gemini-3-pro-low"};

/// Such models answer in streams only.
bool only_streams(std::string_view model) {
  const auto name = lower(model);
  return is_claude(name) || name.starts_with("gemini-3-pro") ||
         name.starts_with("gemini-3.1-flash-image");
}

/// Empty for an address of somebody's own.
std::string second_base(std::string_view base) {
  if (!base.ends_with(first_host)) return {};
  return std::string{base.substr(0, base.size() - first_host.size())}.append(second_host);
}

std::string_view method_of(const request_input& in) {
  const bool streams = in.surface == surface::gemini_generate && only_streams(in.upstream_model);
  return google_method(streams ? surface::gemini_stream_generate : in.surface);
}

/// A UUID of the request, the same whenever it is sent again.
std::string uuid_of(const request_input& in) {
  constexpr std::size_t looked_at = 4096;
  const std::string_view body = in.body;
  const auto tail = body.substr(body.size() - std::min(body.size(), looked_at));
  const auto hex = sha256_hex(fmt::format("{}\n{}\n{}", in.upstream_model, body.size(), tail));
  return fmt::format("{}-{}-5{}-8{}-{}", hex.substr(0, 8), hex.substr(8, 4),
                     hex.substr(13, 3), hex.substr(17, 3), hex.substr(20, 12));
}

/// What stands before the request inside the envelope.
std::string opening(const request_input& in) {
  protocol::object_writer head;
  head.text("model", in.upstream_model).text("project", in.who.project_id);
  if (is_search(in)) {
    head.text("requestType", "web_search");
  } else if (lower(in.upstream_model).find("-image") == std::string::npos) {
    head.text("requestId", "agent-" + uuid_of(in)).text("requestType", "agent");
  } else {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
        in.now.time_since_epoch());
    const auto id = fmt::format("image_gen/{}/{}/12", since.count(), uuid_of(in));
    head.text("requestId", id).text("requestType", "image_gen");
  }
  auto text = head.text("userAgent", program).str();
  text.pop_back();
  return text + R"(,"request":)";
}

void own(upstream_request& request, std::string text) {
  request.owned.push_back(std::make_unique<std::string>(std::move(text)));
  request.body.push_back(*request.owned.back());
}

void take_enveloped(upstream_request& request, const request_input& in) {
  const bool counts = in.surface == surface::gemini_count_tokens;
  auto edits = begin_edits(in);
  if (counts) {
    edit_google_body(edits, in);
    edits.set("model", protocol::json_quote(fmt::format("models/{}", in.upstream_model)));
  } else {
    edit_generation(edits, in);
  }
  own(request, counts ? std::string{R"({"request":)"} : opening(in));
  take_body(request, in, edits);
  own(request, "}");
}

}  // namespace

speech speaks(surface, std::string_view upstream_model) {
  const auto owner =
      is_claude(upstream_model) ? protocol::token_owner::claude : protocol::token_owner::gemini;
  return {protocol::wire::gemini, protocol::thinking_dialect::antigravity, owner};
}

bool serves(surface s) {
  return !google_method(s).empty();
}

result<upstream_request> build_request(const request_input& in) {
  if (!serves(in.surface) || in.upstream_model.empty()) {
    return failed(errc::invalid_input, "antigravity needs a model and a request of Gemini's");
  }
  if (in.who.project_id.empty()) {
    return failed(errc::invalid_input, "antigravity auth missing project_id");
  }
  upstream_request request;
  const auto method = method_of(in);
  request.streams = method == google_method(surface::gemini_stream_generate);
  request.fold = request.streams && in.surface == surface::gemini_generate;
  const auto path = fmt::format("/v1internal:{}{}", method, request.streams ? "?alt=sse" : "");
  request.url = in.who.base_url + path;
  if (auto other = second_base(in.who.base_url); !other.empty()) {
    request.other_url = other.append(path);
  }
  request.answer = std::make_unique<opened_answer>();
  take_enveloped(request, in);
  set_common_headers(request, request.streams ? "text/event-stream" : "application/json");
  set_bearer(request, in.who);
  return finish(std::move(request), in);
}

std::span<const std::string_view> listed_models() {
  return names;
}

bool is_family(std::string_view model) {
  const auto name = lower(model);
  return name.starts_with("gemini-") || std::ranges::find(names, name) != names.end();
}

}  // namespace tidegate::provider::antigravity
