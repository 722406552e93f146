#include "app/sim/failure.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/sim/frames.hpp"
#include "app/sim/mapping.hpp"
#include "app/sim/meaning.hpp"
#include "base/time_text.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;
using protocol::wire;

std::int64_t seconds_until(instant then, instant now) {
  return std::chrono::ceil<std::chrono::seconds>(then - now).count();
}

json openai_object(const failure_spec& spec, const meaning& what, instant anchor, instant now) {
  json object{{"message", what.message},
              {"type", what.type},
              {"param", nullptr},
              {"code", what.code.empty() ? json{} : json(what.code)}};
  if (spec.kind != preset::usage_limit) return object;
  object = json{{"type", what.type}, {"message", what.message}, {"plan_type", spec.plan}};
  if (const auto resets = spec.resets.resolve(anchor)) {
    if (spec.resets_at_field) object["resets_at"] = to_unix_ceil(*resets);
    if (spec.resets_in_field) object["resets_in_seconds"] = seconds_until(*resets, now);
  }
  return object;
}

json google_object(const failure_spec& spec, const meaning& what, instant anchor, instant now) {
  json object{{"code", what.status},
              {"message", what.message},
              {"status", spec.type.empty() ? google_status(what.status) : spec.type}};
  if (what.reason.empty()) return object;
  json info{{"@type", "type.googleapis.com/google.rpc.ErrorInfo"},
            {"reason", what.reason},
            {"domain", "generativelanguage.googleapis.com"}};
  json details = json::array();
  if (const auto resets = spec.resets.resolve(anchor)) {
    const auto delay = fmt::format("{}s", std::max<std::int64_t>(seconds_until(*resets, now), 0));
    info["metadata"] =
        json{{"quotaResetDelay", delay}, {"quotaResetTimeStamp", format_rfc3339(*resets)}};
    details.push_back(std::move(info));
    details.push_back(
        json{{"@type", "type.googleapis.com/google.rpc.RetryInfo"}, {"retryDelay", delay}});
  } else {
    details.push_back(std::move(info));
  }
  object["details"] = std::move(details);
  return object;
}

json anthropic_object(const failure_spec& spec, const meaning& what) {
  return json{{"type", spec.type.empty() ? anthropic_type(what.status) : spec.type},
              {"message", what.message}};
}

void add_claude_headers(const failure_spec& spec, instant anchor, std::vector<header>& out) {
  const auto resets = spec.resets.resolve(anchor);
  const bool weekly = spec.window_minutes > 24 * 60;
  const std::string prefix = "anthropic-ratelimit-unified-";
  out.emplace_back(prefix + "status", "rejected");
  out.emplace_back(prefix + "5h-status", weekly ? "allowed" : "rejected");
  out.emplace_back(prefix + "7d-status", weekly ? "rejected" : "allowed");
  out.emplace_back(prefix + "representative-claim", weekly ? "seven_day" : "five_hour");
  if (!resets) return;
  const auto at = std::to_string(to_unix_ceil(*resets));
  out.emplace_back(prefix + "reset", at);
  out.emplace_back(prefix + (weekly ? "7d-reset" : "5h-reset"), at);
}

void add_codex_headers(const failure_spec& spec, instant anchor, instant now,
                       std::vector<header>& out) {
  limits telemetry;
  telemetry.codex_plan = spec.plan;
  const bool weekly = spec.window_minutes > 24 * 60;
  telemetry.codex.push_back(
      {weekly ? "secondary" : "primary", "", 100.0, spec.window_minutes, spec.resets});
  for (auto& field : limit_headers(telemetry, anchor, now)) out.push_back(std::move(field));
}

std::string http_date(instant t) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count();
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

failure_reply render_failure(const failure_spec& spec, wire form, instant anchor, instant now) {
  const auto what = meaning_of(spec, form);
  failure_reply out;
  out.status = what.status;
  if (spec.kind == preset::usage_limit && spec.window_minutes > 0)
    add_codex_headers(spec, anchor, now, out.headers);
  if (spec.kind == preset::claude_unified && spec.window_minutes > 0)
    add_claude_headers(spec, anchor, out.headers);
  if (!spec.retry_after.empty()) {
    out.headers.emplace_back("retry-after", expand(spec.retry_after, now));
  } else if (spec.kind == preset::insufficient_quota || spec.kind == preset::rate_limit) {
    // These two have no other place for a reset.
    if (const auto resets = spec.resets.resolve(anchor))
      out.headers.emplace_back("retry-after", std::to_string(seconds_until(*resets, now)));
  }
  if (spec.body) {
    out.body = expand(*spec.body, now);
    out.headers.emplace_back("content-type",
                             out.body.starts_with('<') ? "text/html" : "application/json");
    return out;
  }
  if (spec.kind == preset::bare) return out;
  out.headers.emplace_back("content-type", "application/json");
  json body;
  switch (dialect_of(spec, form)) {
    case wire::openai_responses:
    case wire::openai_chat:
      body["error"] = openai_object(spec, what, anchor, now);
      break;
    case wire::anthropic_messages:
      body["type"] = "error";
      body["error"] = anthropic_object(spec, what);
      break;
    case wire::gemini:
      body["error"] = google_object(spec, what, anchor, now);
      break;
  }
  out.body = spec.wrapped ? json::array({body}).dump() : body.dump();
  return out;
}

std::string render_failure_event(const failure_spec& spec, wire form, bool as_failed, int sequence,
                                 instant anchor, instant now) {
  const auto what = meaning_of(spec, form);
  if (spec.body) return fmt::format("event: error\ndata: {}\n\n", expand(*spec.body, now));
  switch (form) {
    case wire::openai_responses: {
      const auto error = openai_object(spec, what, anchor, now);
      if (as_failed) {
        const json data{{"type", "response.failed"},
                        {"sequence_number", sequence},
                        {"response",
                         {{"id", fmt::format("resp_{}", id_marker)},
                          {"object", "response"},
                          {"status", "failed"},
                          {"error", error},
                          {"output", json::array()}}}};
        return fmt::format("event: response.failed\ndata: {}\n\n", data.dump());
      }
      json data{{"type", "error"},         {"sequence_number", sequence},
                {"error", error},          {"code", error.value("code", json{})},
                {"message", what.message}, {"param", nullptr}};
      return fmt::format("event: error\ndata: {}\n\n", data.dump());
    }
    case wire::openai_chat:
      return fmt::format("data: {}\n\n",
                         json{{"error", openai_object(spec, what, anchor, now)}}.dump());
    case wire::anthropic_messages:
      return fmt::format("event: error\ndata: {}\n\n",
                         json{{"type", "error"}, {"error", anthropic_object(spec, what)}}.dump());
    case wire::gemini:
      return fmt::format("data: {}\n\n",
                         json{{"error", google_object(spec, what, anchor, now)}}.dump());
  }
  return {};
}

failure_spec quota_failure(const window_use& window, preset wanted, wire form) {
  failure_spec out;
  out.kind = wanted;
  if (wanted == preset::none) {
    switch (form) {
      case wire::openai_responses:
        out.kind = preset::usage_limit;
        break;
      case wire::openai_chat:
        out.kind = preset::insufficient_quota;
        break;
      case wire::anthropic_messages:
        out.kind = preset::claude_unified;
        break;
      case wire::gemini:
        out.kind = preset::google_quota;
        break;
    }
  }
  out.resets.at = window.resets_at;
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(window.length).count();
  out.window_minutes = static_cast<int>(std::max<std::int64_t>(minutes, 1));
  return out;
}

std::string expand(std::string_view text, instant now) {
  std::string out;
  while (true) {
    const auto open = text.find("${");
    const auto close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) return out.append(text);
    out.append(text.substr(0, open));
    const auto inside = text.substr(open + 2, close - open - 2);
    const auto colon = std::min(inside.find(':'), inside.size());
    const auto form = inside.substr(0, colon);
    const auto span = parse_span(colon < inside.size() ? inside.substr(colon + 1) : "0");
    const auto then = now + span.value_or(duration::zero());
    if (span && form == "unix") {
      out += std::to_string(to_unix_ceil(then));
    } else if (span && form == "rfc3339") {
      out += format_rfc3339(then);
    } else if (span && form == "http-date") {
      out += http_date(then);
    } else {
      out.append(text.substr(open, close - open + 1));
    }
    text.remove_prefix(close + 1);
  }
}

}  // namespace tidegate::sim
