#include "app/sim/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/sim/failure.hpp"
#include "app/sim/frames.hpp"
#include "app/sim/head.hpp"
#include "app/sim/perform.hpp"
#include "app/sim/tiny_model.hpp"

namespace tidegate::sim {
namespace {

using protocol::wire;

void add_headers(const reply& how, const decision& chosen, wire form, instant now,
                 std::vector<header>& out) {
  for (auto& field : limit_headers(how.telemetry, chosen.anchor, now))
    put_header(out, std::move(field));
  for (const auto& [name, value] : how.headers) put_header(out, {name, expand(value, now)});
  put_header(out, {"x-request-id", "req_" + std::string{id_marker}});
  if (form == wire::anthropic_messages)
    put_header(out, {"request-id", "req_" + std::string{id_marker}});
}

plan compose_failure(const failure_spec& spec, const reply& how, const decision& chosen,
                     const call& request, instant now) {
  auto failure = render_failure(spec, request.wire, chosen.anchor, now);
  message what;
  what.status = failure.status;
  what.headers = std::move(failure.headers);
  what.frames.content.push_back(std::move(failure.body));
  add_headers(how, chosen, request.wire, now, what.headers);
  return perform(std::move(what), how, {});
}

bool has_template(const reply& how) {
  return std::any_of(how.headers.begin(), how.headers.end(),
                     [](const header& h) { return h.second.find("${") != std::string::npos; });
}

/// Antigravity's envelope around what Gemini would say; an ending that is no JSON stays.
void put_into_envelope(std::string& text) {
  constexpr std::string_view field = "data: ";
  const auto at = text.starts_with(field) ? field.size() : 0;
  const auto end = text.find_last_of('}');
  if (at >= text.size() || text[at] != '{' || end == std::string::npos) return;
  text.insert(end + 1, fmt::format(R"(,"traceId":"{}"}})", id_marker));
  text.insert(at, R"({"response":)");
}

void put_into_envelopes(stream_frames& frames) {
  for (auto* group : {&frames.opening, &frames.content, &frames.closing}) {
    for (auto& frame : *group) put_into_envelope(frame);
  }
}

plan compose_answer(const reply& how, const decision& chosen, const call& request,
                    std::size_t body_bytes, instant now) {
  request_facts facts;
  facts.model = request.model;
  facts.created = to_unix_ceil(now);
  facts.stream_usage = request.stream_usage;
  facts.sse = request.sse;
  facts.body_bytes = body_bytes;
  message what;
  what.chunked = request.stream;
  std::string error_frame;
  if (request.stream) {
    what.headers.emplace_back(
        "content-type", request.sse ? "text/event-stream; charset=utf-8" : "application/json");
    what.headers.emplace_back("cache-control", "no-cache");
    what.frames = render_stream(how.ok, request.wire, facts);
    if (request.enveloped) put_into_envelopes(what.frames);
    if (how.faults.error_after) {
      const auto before = frames_before_fault(what.frames, how);
      error_frame = render_failure_event(how.faults.error, request.wire, how.faults.error_as_failed,
                                         before, chosen.anchor, now);
    }
    if (how.telemetry.codex_event)
      what.frames.opening.insert(what.frames.opening.begin(),
                                 codex_limits_event(how.telemetry, chosen.anchor, now));
  } else {
    what.headers.emplace_back("content-type", "application/json");
    auto body = render_body(how.ok, request.what, request.wire, facts);
    if (request.enveloped && request.what == operation::generate) put_into_envelope(body);
    what.frames.content = split_text(body, how.ok.chunks);
  }
  if (chosen.window)
    for (auto& field : window_headers(*chosen.window, request.wire, now))
      put_header(what.headers, std::move(field));
  add_headers(how, chosen, request.wire, now, what.headers);
  auto out = perform(std::move(what), how, error_frame);
  out.fixed = request.what != operation::count_tokens && !chosen.window && how.telemetry.empty() &&
              !how.faults.error_after && !has_template(how);
  return out;
}

}  // namespace

plan compose(const decision& chosen, const call& request, std::size_t body_bytes, instant now) {
  if (chosen.answer == nullptr) {
    failure_spec missing;
    missing.status = 404;
    missing.message = "no rule of the simulator's script matches this request";
    return compose_failure(missing, reply{}, chosen, request, now);
  }
  const auto& how = *chosen.answer;
  if (chosen.window && chosen.window->exhausted)
    return compose_failure(quota_failure(*chosen.window, chosen.quota_preset, request.wire),
                           reply{}, chosen, request, now);
  if (how.faults.never_answer) return only_step(step_kind::stall, how.delay);
  if (how.faults.reset) return only_step(step_kind::reset, how.delay);
  if (how.faults.close) return only_step(step_kind::close, how.delay);
  if (how.kind == reply_kind::failure) return compose_failure(how.error, how, chosen, request, now);
  if (how.faults.error_after && !request.stream) {
    reply plain = how;
    plain.faults.error_after.reset();
    return compose_failure(how.faults.error, plain, chosen, request, now);
  }
  return compose_answer(how, chosen, request, body_bytes, now);
}

bool follows_request(const decision& chosen, const call& request) {
  return chosen.answer != nullptr && chosen.answer->kind == reply_kind::answer &&
         chosen.answer->ok.follows_request && request.what == operation::generate;
}

plan compose_followed(const decision& chosen, const call& request, const incoming& whole,
                      instant now) {
  const auto conversation = hear(request.wire, whole, request.stream);
  decision followed = chosen;
  reply how;
  if (!conversation) {
    how.kind = reply_kind::failure;
    how.error.status = 400;
    how.error.message = conversation.error().detail;
  } else {
    how = *chosen.answer;
    how.ok = answer_to(*conversation, request.wire, chosen.answer->ok);
  }
  followed.answer = &how;
  return compose(followed, request, whole.body.size(), now);
}

plan compose_given(const decision& chosen, const call& request, token_ledger& ledger,
                   std::string_view body, instant now) {
  reply how = *chosen.answer;
  how.kind = reply_kind::failure;
  how.error = ledger.answer(body, *how.tokens);
  decision given = chosen;
  given.answer = &how;
  return compose(given, request, body.size(), now);
}

std::string with_id(const step& what, std::uint64_t number) {
  auto bytes = what.bytes;
  if (what.id_at.empty()) return bytes;
  const auto digits = fmt::format("{:016x}", number);
  for (const auto at : what.id_at) bytes.replace(at, digits.size(), digits);
  return bytes;
}

std::shared_ptr<const plan> planner::plan_for(const decision& chosen, const call& request,
                                              std::size_t body_bytes, instant now) {
  const auto name =
      fmt::format("{}/{}/{}/{}{}{}{}{}/{}", chosen.rule_index, chosen.reply_index,
                  static_cast<int>(request.what), static_cast<int>(request.wire), request.stream,
                  request.sse, request.enveloped, request.stream_usage, request.model);
  const bool refused = chosen.window && chosen.window->exhausted;
  if (chosen.answer != nullptr && !refused)
    if (const auto found = ready_.find(name); found != ready_.end()) return found->second;
  auto made = std::make_shared<const plan>(compose(chosen, request, body_bytes, now));
  if (!made->fixed) return made;
  std::size_t size = name.size();
  for (const auto& part : made->steps) size += sizeof(step) + part.bytes.size();
  if (size > cached_bytes_max / 8) return made;
  if (ready_bytes_ + size > cached_bytes_max) clear();
  ready_bytes_ += size;
  ready_.emplace(name, made);
  return made;
}

void planner::clear() {
  ready_.clear();
  ready_bytes_ = 0;
}

}  // namespace tidegate::sim
