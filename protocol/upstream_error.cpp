#include "protocol/upstream_error.hpp"

#include "base/text.hpp"
#include "protocol/error_shape.hpp"
#include "protocol/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tidegate::protocol {
namespace {

using nlohmann::json;

bool is_markup(std::string_view text, std::string_view content_type) {
  constexpr std::string_view html = "text/html";
  return text.starts_with('<') || equal_ignoring_case(content_type.substr(0, html.size()), html);
}

std::string plain_message(int status, std::string_view body, std::string_view content_type) {
  const std::string_view text = trimmed(body);
  if (text.empty() || is_markup(text, content_type)) return std::string{reason_phrase(status)};
  return std::string{utf8_prefix(text, upstream_message_max)};
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

/// Types that a client of the Messages API does not know, or would misread.
bool is_quota_type(std::string_view type) {
  constexpr std::array<std::string_view, 4> names{"usage_limit_reached", "insufficient_quota",
                                                  "model_cooldown", "rate_limit_exceeded"};
  return std::find(names.begin(), names.end(), type) != names.end();
}

bool is_json(std::string_view body) {
  const std::string_view text = trimmed(body);
  return (text.starts_with('{') || text.starts_with('[')) && json::accept(text.begin(), text.end());
}

/// Google's own shape; an error may have details behind these.
bool is_google_error(const json& document) {
  const auto error = document.is_object() ? document.find("error") : document.end();
  if (error == document.end() || !error->is_object()) return false;
  const auto code = error->find("code");
  return code != error->end() && code->is_number_integer() && !text_at(*error, "message").empty() &&
         !text_at(*error, "status").empty();
}

/// What an error document of some other shape says; empty = nothing.
std::string message_in(const json& document) {
  if (!document.is_object()) return {};
  const auto error = document.find("error");
  if (error == document.end()) return text_at(document, "message");
  return error->is_object() ? text_at(*error, "message") : text_at(document, "error");
}

std::string gemini_body(int status, std::string_view body, std::string_view content_type) {
  std::string_view text = trimmed(body);
  const bool wrapped = text.starts_with('[') && text.ends_with(']');
  if (wrapped) text = trimmed(text.substr(1, text.size() - 2));
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (is_google_error(document)) return std::string{text};
  auto message = message_in(document);
  if (message.empty()) {
    message = document.is_discarded() ? plain_message(status, body, content_type)
                                      : std::string{reason_phrase(status)};
  }
  object_writer error;
  error.number("code", status).text("message", utf8_prefix(message, upstream_message_max));
  error.text("status", google_status(status));
  return object_writer{}.raw("error", error.str()).str();
}

std::string openai_body(int status, std::string_view body, std::string_view content_type) {
  if (is_json(body)) return std::string{body};
  object_writer error;
  error.text("message", plain_message(status, body, content_type));
  error.text("type", openai_type(status));
  if (const auto code = openai_code(status); !code.empty()) error.text("code", code);
  return object_writer{}.raw("error", error.str()).str();
}

std::string messages_body(int status, std::string_view body, std::string_view content_type) {
  const auto parsed = json::parse(body.begin(), body.end(), nullptr, false);
  const std::string fallback{anthropic_type(status)};
  if (!parsed.is_object()) {
    return anthropic_error_body(fallback, plain_message(status, body, content_type));
  }
  const auto inner = parsed.find("error");
  const bool nested = inner != parsed.end() && inner->is_object();
  const json& source = nested ? *inner : parsed;
  std::string type = text_at(source, "type");
  if (!nested && type == "error") type.clear();
  const bool usable = !type.empty() && !is_quota_type(type);
  std::string message = text_at(source, "message");
  if (usable && nested && !message.empty() && text_at(parsed, "type") == "error") {
    return std::string{body};
  }
  if (message.empty() && !nested && inner != parsed.end() && inner->is_string()) {
    message = inner->get<std::string>();
  }
  if (message.empty()) message = text_at(source, "code");
  if (message.empty()) message = reason_phrase(status);
  return anthropic_error_body(usable ? type : fallback, message);
}

/// As the command line, its other front ends and its libraries call themselves.
constexpr std::array<std::string_view, 6> codex_names{
    "Codex Desktop", "codex-tui", "codex_cli_rs", "codex_exec", "codex_vscode", "codex_sdk_ts"};

bool is_codex_originator(std::string_view name, std::string_view originator) {
  if (!equal_ignoring_case(originator.substr(0, name.size()), name)) return false;
  return originator.size() == name.size() || originator[name.size()] == '/';
}

}  // namespace

reply relay_error(wire form, int status, std::string_view body, std::string_view content_type,
                  std::optional<std::chrono::seconds> retry_after) {
  reply out;
  out.status = status >= 400 && status <= 599 ? status : 500;
  out.headers.emplace_back("Content-Type", "application/json");
  if (retry_after && (out.status == 429 || out.status == 503)) {
    const auto seconds = std::max<std::chrono::seconds::rep>(1, retry_after->count());
    out.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  switch (form) {
    case wire::anthropic_messages: out.body = messages_body(out.status, body, content_type); break;
    case wire::gemini: out.body = gemini_body(out.status, body, content_type); break;
    case wire::openai_chat:
    case wire::openai_responses: out.body = openai_body(out.status, body, content_type); break;
  }
  return out;
}

bool is_codex_client(std::string_view user_agent, std::string_view originator) {
  if (user_agent == "codex_cli_rs") return true;
  const bool known_agent = std::ranges::any_of(codex_names, [&](std::string_view name) {
    return user_agent.starts_with(name) && user_agent.substr(name.size()).starts_with('/');
  });
  return known_agent || std::ranges::any_of(codex_names, [&](std::string_view name) {
           return is_codex_originator(name, originator);
         });
}

}  // namespace tidegate::protocol
