#include "app/sim/script_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace tidegate::sim {
namespace {

constexpr std::array<std::pair<std::string_view, preset>, 10> preset_names{{
    {"bare", preset::bare},
    {"usage-limit", preset::usage_limit},
    {"insufficient-quota", preset::insufficient_quota},
    {"rate-limit", preset::rate_limit},
    {"claude-unified", preset::claude_unified},
    {"google-quota", preset::google_quota},
    {"google-rate", preset::google_rate},
    {"overloaded", preset::overloaded},
    {"capacity", preset::capacity},
    {"context-length", preset::context_length},
}};

void note_span(const moment& when, duration& longest) {
  if (when.in) longest = std::max(longest, *when.in);
}

std::string filler(std::size_t bytes) {
  constexpr std::string_view words =
      "the quick tide lifts every small boat and sets it down again ";
  std::string text;
  text.reserve(bytes + words.size());
  while (text.size() < bytes) text += words;
  text.resize(bytes);
  return text;
}

std::size_t word_count(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

void read_windows(mapping& parent, std::initializer_list<const char*> names,
                  mapping::problems& problems, std::vector<limit_window>& out, duration& longest) {
  for (const char* name : names) {
    if (!parent.has(name)) continue;
    mapping from{parent.child(name), parent.where(name), problems};
    limit_window window;
    window.name = name;
    from.text("status", window.status);
    from.real("used-percent", window.used_percent, 0, 1000);
    from.whole("window-minutes", window.window_minutes, 0, 1'000'000);
    from.reset_time("resets-in", "resets-at", window.resets);
    from.finish();
    note_span(window.resets, longest);
    out.push_back(std::move(window));
  }
}

void read_limits(const YAML::Node& node, std::string where, mapping::problems& problems,
                 reply& out) {
  mapping from{node, std::move(where), problems};
  if (from.has("codex")) {
    mapping codex{from.child("codex"), from.where("codex"), problems};
    codex.text("plan", out.telemetry.codex_plan);
    codex.flag("event", out.telemetry.codex_event);
    read_windows(codex, {"primary", "secondary"}, problems, out.telemetry.codex, out.reset_span);
    codex.finish();
  }
  if (from.has("claude")) {
    mapping claude{from.child("claude"), from.where("claude"), problems};
    claude.text("status", out.telemetry.claude_status);
    claude.reset_time("resets-in", "resets-at", out.telemetry.claude_resets);
    claude.text("overage-status", out.telemetry.overage_status);
    claude.text("overage-disabled-reason", out.telemetry.overage_reason);
    claude.text("representative-claim", out.telemetry.representative);
    read_windows(claude, {"5h", "7d", "7d_oi"}, problems, out.telemetry.claude, out.reset_span);
    claude.finish();
    note_span(out.telemetry.claude_resets, out.reset_span);
  }
  from.finish();
}

void read_failure(mapping& from, failure_spec& out, duration& longest) {
  read_preset(from, out.kind);
  from.whole("status", out.status, 200, 599);
  if (out.kind == preset::none && out.status == 0)
    from.complain("status", "is needed where no preset is named");
  from.text("body", out.body);
  from.text("message", out.message);
  from.text("type", out.type);
  from.text("code", out.code);
  from.reset_time("resets-in", "resets-at", out.resets);
  std::string fields = "both";
  from.one_of("reset-fields", fields, {"both", "at", "in", "none"});
  out.resets_at_field = fields == "both" || fields == "at";
  out.resets_in_field = fields == "both" || fields == "in";
  from.whole("window-minutes", out.window_minutes, 0, 1'000'000);
  from.text("plan", out.plan);
  from.text("retry-after", out.retry_after);
  from.flag("wrapped", out.wrapped);
  note_span(out.resets, longest);
}

void read_transport(mapping& from, mapping::problems& problems, reply& out) {
  from.pace("delay-ms", out.delay);
  from.headers("headers", out.headers);
  std::string connection = "keep-alive";
  from.one_of("connection", connection, {"keep-alive", "close"});
  out.close = connection == "close";
  if (from.has("limits")) read_limits(from.child("limits"), from.where("limits"), problems, out);
}

void read_usage(mapping& parent, mapping::problems& problems, token_usage& out) {
  if (!parent.has("usage")) return;
  constexpr std::int64_t most = 1'000'000'000;
  mapping from{parent.child("usage"), parent.where("usage"), problems};
  from.whole("input", out.input, 0, most);
  if (from.has("output")) {
    std::int64_t output = 0;
    from.whole("output", output, 0, most);
    out.output = output;
  }
  from.whole("cached", out.cached, 0, most);
  from.whole("reasoning", out.reasoning, 0, most);
  from.finish();
  if (out.cached > out.input) parent.complain("usage", "has more cached than input tokens");
}

void read_tool_call(const YAML::Node& node, const std::string& where, mapping::problems& problems,
                    answer& out) {
  mapping from{node, where, problems};
  tool_call call;
  from.text("name", call.name);
  call.arguments = "{}";
  from.text("arguments", call.arguments);
  if (call.name.empty()) from.complain("name", "is needed");
  const auto parsed = nlohmann::json::parse(call.arguments, nullptr, false);
  if (!parsed.is_object()) from.complain("arguments", "must be a JSON object as text");
  from.finish();
  out.tool_calls.push_back(std::move(call));
}

void read_answer(const YAML::Node& node, const std::string& where, mapping::problems& problems,
                 reply& out) {
  mapping from{node, where, problems};
  read_transport(from, problems, out);
  from.pace("gap-ms", out.gap);
  from.pace("first-chunk-ms", out.first_chunk_delay);
  const bool has_text = from.has("text");
  from.text("text", out.ok.text);
  std::int64_t bytes = 0;
  from.whole("text-bytes", bytes, 1, std::int64_t{text_bytes_max});
  if (bytes > 0 && has_text) from.complain("text-bytes", "and text exclude each other");
  if (bytes > 0) out.ok.text = filler(static_cast<std::size_t>(bytes));
  int chunks = 0;
  from.whole("chunks", chunks, 1, chunks_max);
  from.each("tool-calls", 64, [&](const YAML::Node& call) {
    read_tool_call(call, from.where("tool-calls"), problems, out.ok);
  });
  if (!has_text && bytes == 0 && out.ok.tool_calls.empty()) {
    if (chunks == 0) out.ok.text = "Hello from the simulated provider.";
    for (int i = 1; i <= chunks; ++i) out.ok.text += fmt::format("part{} ", i);
  }
  out.ok.chunks =
      chunks > 0 ? chunks : static_cast<int>(std::min<std::size_t>(word_count(out.ok.text), 8));
  from.text("reasoning", out.ok.reasoning);
  from.flag("follow-request", out.ok.follows_request);
  from.one_of("finish", out.ok.finish, {"stop", "length", "content_filter"});
  read_usage(from, problems, out.ok.usage);
  from.finish();
}

void read_fault(const YAML::Node& node, const std::string& where, mapping::problems& problems,
                reply& out) {
  mapping from{node, where, problems};
  auto& faults = out.faults;
  from.flag("never-answer", faults.never_answer);
  from.flag("reset", faults.reset);
  from.flag("close", faults.close);
  from.flag("close-after-head", faults.close_after_head);
  from.flag("empty-stream", faults.empty_stream);
  from.position("cut-after-chunks", faults.cut_after);
  from.position("reset-after-chunks", faults.reset_after);
  from.position("stall-after-chunks", faults.stall_after);
  from.position("malformed-chunk-after-chunks", faults.malformed_after);
  from.position("bad-json-after-chunks", faults.bad_json_after);
  from.position("error-event-after-chunks", faults.error_after);
  if (from.has("error-event")) {
    mapping event{from.child("error-event"), from.where("error-event"), problems};
    read_failure(event, faults.error, out.reset_span);
    event.finish();
    if (!faults.error_after) faults.error_after = 0;
  } else {
    faults.error.status = 500;
  }
  std::string form = "failed";
  from.one_of("error-event-form", form, {"failed", "error"});
  faults.error_as_failed = form == "failed";
  if (from.has("cut-after-bytes")) {
    std::int64_t bytes = 0;
    from.whole("cut-after-bytes", bytes, 0, std::int64_t{text_bytes_max});
    faults.cut_after_bytes = static_cast<std::size_t>(bytes);
  }
  from.flag("no-terminator", faults.no_terminator);
  from.whole("content-length-off-by", faults.length_off_by, -1'000'000, 1'000'000);
  std::int64_t dribble = 0;
  from.whole("dribble-bytes", dribble, 0, 1'000'000);
  faults.dribble_bytes = static_cast<std::size_t>(dribble);
  from.pace("dribble-gap-ms", faults.dribble_gap);
  from.finish();
}

}  // namespace

void read_preset(mapping& from, preset& out) {
  std::string word;
  from.text("preset", word);
  if (word.empty()) return;
  for (const auto& [name, value] : preset_names)
    if (name == word) {
      out = value;
      return;
    }
  std::string names;
  for (const auto& [name, value] : preset_names)
    names += (names.empty() ? "" : ", ") + std::string{name};
  from.complain("preset", "must be one of: " + names);
}

namespace {

void read_gift(mapping& from, token_gift& out) {
  from.text("access", out.prefix);
  std::optional<duration> lifetime;
  from.span("lifetime", lifetime);
  if (lifetime) out.lifetime = *lifetime;
  from.flag("rotate", out.rotate);
}

}  // namespace

reply read_reply(const YAML::Node& node, const std::string& where, mapping::problems& problems) {
  mapping from{node, where, problems};
  reply out;
  const bool fails = from.has("error");
  if (fails && from.has("ok")) from.complain("ok", "and error exclude each other");
  if (from.has("tokens")) {
    if (fails || from.has("ok")) from.complain("tokens", "and ok or error exclude each other");
    mapping gift{from.child("tokens"), from.where("tokens"), problems};
    read_gift(gift, out.tokens.emplace());
    read_transport(gift, problems, out);
    gift.finish();
  } else if (fails) {
    out.kind = reply_kind::failure;
    mapping error{from.child("error"), from.where("error"), problems};
    read_failure(error, out.error, out.reset_span);
    read_transport(error, problems, out);
    error.finish();
  } else {
    if (!from.has("ok") && !from.has("fault")) from.complain("ok", "or error or fault is needed");
    read_answer(from.child("ok"), from.where("ok"), problems, out);
  }
  if (from.has("fault")) read_fault(from.child("fault"), from.where("fault"), problems, out);
  from.whole("times", out.times, 1, 1'000'000'000);
  from.span("for", out.lasts);
  from.finish();
  return out;
}

}  // namespace tidegate::sim
