#include "http/server/routes.hpp"

#include <array>

#include "http/server/percent.hpp"
#include "http/server/refusal.hpp"

namespace tidegate::http {
namespace {

using protocol::surface;
using protocol::wire;

enum method_bits : unsigned {
  none = 0,
  get = 1,
  head = 2,
  post = 4,
  put = 8,
  patch = 16,
  del = 32
};

struct method_name {
  unsigned bit;
  std::string_view text;
};
constexpr std::array<method_name, 6> methods{{{get, "GET"},
                                              {head, "HEAD"},
                                              {post, "POST"},
                                              {put, "PUT"},
                                              {patch, "PATCH"},
                                              {del, "DELETE"}}};
constexpr unsigned every_method = get | head | post | put | patch | del;

struct row {
  unsigned allowed;
  std::string_view path;
  route_id id;
  std::optional<protocol::surface> target;
  std::optional<protocol::wire> form;
};

constexpr std::array<row, 21> table{{
    {post, "/v1/chat/completions", route_id::surface, surface::chat_completions, wire::openai_chat},
    {post, "/v1/completions", route_id::surface, surface::completions, wire::openai_chat},
    {post, "/v1/responses", route_id::surface, surface::responses, wire::openai_responses},
    {get, "/v1/responses", route_id::responses_socket, {}, wire::openai_responses},
    {post, "/v1/responses/compact", route_id::surface, surface::responses_compact,
     wire::openai_responses},
    {post, "/backend-api/codex/responses", route_id::surface, surface::responses,
     wire::openai_responses},
    {get, "/backend-api/codex/responses", route_id::responses_socket, {}, wire::openai_responses},
    {post, "/backend-api/codex/responses/compact", route_id::surface, surface::responses_compact,
     wire::openai_responses},
    {post, "/v1/messages", route_id::surface, surface::messages, wire::anthropic_messages},
    {post, "/v1/messages/count_tokens", route_id::surface, surface::count_tokens,
     wire::anthropic_messages},
    {get, "/v1/models", route_id::models, {}, wire::openai_chat},
    {get, "/v1beta/models", route_id::gemini_models, {}, wire::gemini},
    {get, "/healthz", route_id::health, {}, {}},
    {get, "/readyz", route_id::ready, {}, {}},
    {get, "/", route_id::root, {}, {}},
    {every_method, "/v0/management", route_id::management, {}, {}},
    {every_method, "/v8/management", route_id::management, {}, {}},
    // Twins of a trailing slash that clients with a joined base address produce.
    {get, "/v1/models/", route_id::models, {}, wire::openai_chat},
    {get, "/v1beta/models/", route_id::gemini_models, {}, wire::gemini},
    {every_method, "/v0/management/", route_id::management, {}, {}},
    {every_method, "/v8/management/", route_id::management, {}, {}},
}};

struct gemini_call {
  std::string_view name;
  surface target;
};
constexpr std::array<gemini_call, 3> gemini_calls{
    {{"generateContent", surface::gemini_generate},
     {"streamGenerateContent", surface::gemini_stream_generate},
     {"countTokens", surface::gemini_count_tokens}}};

struct form_prefix {
  std::string_view prefix;
  wire form;
};
constexpr std::array<form_prefix, 8> forms{{{"/v1/messages", wire::anthropic_messages},
                                            {"/v1/responses", wire::openai_responses},
                                            {"/backend-api/codex/", wire::openai_responses},
                                            {"/v1beta/", wire::gemini},
                                            {"/v1beta1/", wire::gemini},
                                            {"/v1/publishers/", wire::gemini},
                                            {"/v1/projects/", wire::gemini},
                                            {"/v1/", wire::openai_chat}}};

/// HEAD is served wherever GET is.
unsigned bit_of(std::string_view method) {
  for (const auto& known : methods) {
    if (known.text == method) return known.bit == head ? unsigned{get} : known.bit;
  }
  return none;
}

std::string allow_of(unsigned allowed) {
  if ((allowed & get) != 0) allowed |= head;
  std::string out;
  for (const auto& known : methods) {
    if ((allowed & known.bit) == 0) continue;
    if (!out.empty()) out += ", ";
    out += known.text;
  }
  return out;
}

std::optional<wire> form_of(std::string_view path) {
  for (const auto& known : forms) {
    if (path.starts_with(known.prefix)) return known.form;
  }
  return std::nullopt;
}

/// Takes `count` path segments off; false when there are fewer.
bool skip_segments(std::string_view& path, int count) {
  for (; count > 0; --count) {
    const auto end = path.find('/');
    if (end == 0 || end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
  return true;
}

/// What follows `publishers/{publisher}/models/`.
std::optional<std::string_view> behind_publisher(std::string_view path) {
  if (!path.starts_with("publishers/") || !skip_segments(path, 2)) return std::nullopt;
  if (!path.starts_with("models/")) return std::nullopt;
  return path.substr(7);
}

/// What follows the models path of Google's APIs: Gemini's own, or Vertex AI's with a publisher and
/// maybe a project and a location in front of it.
std::optional<std::string_view> behind_models(std::string_view path) {
  for (const std::string_view version : {"/v1beta/", "/v1/", "/v1beta1/"}) {
    if (!path.starts_with(version)) continue;
    auto rest = path.substr(version.size());
    if (version != "/v1beta1/" && rest.starts_with("models/")) return rest.substr(7);
    if (rest.starts_with("projects/") && !skip_segments(rest, 4)) return std::nullopt;
    return behind_publisher(rest);
  }
  return std::nullopt;
}

/// Google's libraries write a model as a resource; the name is its last part.
std::string_view model_name(std::string_view resource) {
  if (const auto behind = behind_publisher(resource)) return *behind;
  return resource.starts_with("models/") ? resource.substr(7) : resource;
}

/// `{model}` or `{model}:{method}` behind a models path. The method is what follows the last
/// colon, since a model's name may have colons of its own.
void match_model(unsigned method, std::string_view rest, bool beta, route_match& out) {
  const std::string text = percent_decode(rest, false);
  if (method == get) {
    out.result = route_result::found;
    out.id = beta ? route_id::gemini_model : route_id::model;
    out.model = beta ? std::string{model_name(text)} : text;
    return;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    out.result = route_result::wrong_method;
    out.allow = allow_of(get);
    return;
  }
  out.form = wire::gemini;
  for (const auto& call : gemini_calls) {
    if (std::string_view{text}.substr(colon + 1) != call.name) continue;
    out.result = method == post ? route_result::found : route_result::wrong_method;
    out.id = route_id::surface;
    out.surface = call.target;
    out.model = model_name(std::string_view{text}.substr(0, colon));
    if (method != post) out.allow = "POST";
    return;
  }
}

}  // namespace

route_match match_route(std::string_view method, std::string_view path) {
  const unsigned bit = bit_of(method);
  route_match out;
  unsigned allowed = none;
  for (const auto& known : table) {
    if (known.path != path) continue;
    out.form = known.form;
    if ((known.allowed & bit) != 0) {
      out.result = route_result::found;
      out.id = known.id;
      out.surface = known.target;
      return out;
    }
    allowed |= known.allowed;
  }
  if (allowed != none) {
    out.result = route_result::wrong_method;
    out.allow = allow_of(allowed);
    return out;
  }
  out.form = form_of(path);
  for (const std::string_view management : {"/v0/management/", "/v8/management/"}) {
    if (!path.starts_with(management)) continue;
    // Which methods a path takes, management knows itself.
    out.result = route_result::found;
    out.id = route_id::management;
    out.tail = path.substr(management.size());
    return out;
  }
  if (const auto rest = behind_models(path)) {
    match_model(bit, *rest, !path.starts_with("/v1/models/"), out);
  }
  return out;
}

std::optional<protocol::reply> refuse_route(const route_match& route) {
  using kind = protocol::failure_kind;
  switch (route.result) {
    case route_result::unknown:
      return refusal(404, "there is nothing at this path", route.form, kind::route_not_found);
    case route_result::wrong_method: {
      auto reply =
          refusal(405, "this path does not take this method", route.form, kind::method_not_allowed);
      reply.headers.emplace_back("Allow", route.allow);
      return reply;
    }
    case route_result::found:
      break;
  }
  if (route.id != route_id::responses_socket) return std::nullopt;
  return refusal(426, "WebSockets are not served here; use POST", route.form,
                 kind::upgrade_not_served);
}

}  // namespace tidegate::http
