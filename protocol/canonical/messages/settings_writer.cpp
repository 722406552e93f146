#include "protocol/canonical/messages/settings_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "protocol/canonical/messages/output_schema.hpp"
#include "protocol/canonical/messages/rules.hpp"
#include "protocol/canonical/messages/wire_names.hpp"
#include "protocol/json_object.hpp"
#include "protocol/thinking.hpp"

namespace tidegate::protocol::messages {
namespace {

constexpr std::int64_t budget_min = 1024;
constexpr double thinking_top_p_min = 0.95;

double value_of(std::string_view number) {
  return std::strtod(std::string{number}.c_str(), nullptr);
}

/// The scale begins at low here.
std::string_view effort_of(std::string_view level) {
  return level == "minimal" ? "low" : level;
}

bool is_blank(raw_text text) {
  return plain(text).find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

}  // namespace

std::int64_t settings_writer::max_tokens() const {
  return what_.max_output_tokens.value_or(caps_.default_max_output);
}

void settings_writer::limits() const {
  out_.key("max_tokens").number(max_tokens());
  if (what_.stream) out_.key("stream").boolean(true);
}

void settings_writer::rest(thinking_limits limits) const {
  const reasoning_wish wish = fitted(limits);
  thinking(wish);
  output_config(wish);
  sampling(thinks(wish));
  stop();
  user();
  tier();
  note_rest();
}

reasoning_wish settings_writer::fitted(thinking_limits limits) const {
  reasoning_wish out = what_.reasoning;
  if (limits.tool_is_forced && thinks(out)) {
    note(lost_, rule::forced_tool_thinking);
    return {};
  }
  if (out.mode == reasoning_mode::level && out.level == "none") out.mode = reasoning_mode::off;
  if (out.mode != reasoning_mode::budget) return out;
  if (limits.loop_lacks_thinking) {
    note(lost_, rule::thinking_in_loop);
    return {};
  }
  const bool native = what_.source == wire::anthropic_messages;
  const std::int64_t wanted = native ? out.budget : std::max(out.budget, budget_min);
  const std::int64_t most = max_tokens() - 1;
  out.budget = wanted > most && most >= budget_min ? most : wanted;
  if (out.budget != what_.reasoning.budget) note(lost_, rule::budget);
  if (out.budget <= most || native) return out;
  note(lost_, rule::budget);
  return {};
}

void settings_writer::thinking(const reasoning_wish& wish) const {
  if (wish.mode == reasoning_mode::unset) return;
  out_.key("thinking").begin_object().key("type");
  if (wish.mode == reasoning_mode::off) {
    out_.text({"disabled"}).end_object();
    return;
  }
  if (wish.mode == reasoning_mode::budget) {
    out_.text({"enabled"}).key("budget_tokens").number(wish.budget);
  } else {
    out_.text({"adaptive"});
  }
  if (wish.summary == "none") {
    out_.key("display").text({"omitted"});
  } else if (!wish.summary.empty() || wish.show_thoughts) {
    out_.key("display").text({"summarized"});
  }
  out_.end_object();
}

bool settings_writer::has_schema() const {
  switch (what_.format.kind) {
    case format_kind::text: return false;
    case format_kind::json_object: note(lost_, rule::json_object); return false;
    case format_kind::json_schema: break;
  }
  const bool served = caps_.structured_output && what_.format.schema.starts_with('{');
  if (!served) note(lost_, rule::structured_output);
  return served;
}

void settings_writer::output_config(const reasoning_wish& wish) const {
  const auto effort = thinks(wish) ? effort_of(wish.level) : std::string_view{};
  const bool schema = has_schema();
  if (effort.empty() && !schema) return;
  out_.key("output_config").begin_object().member_if("effort", {effort});
  if (schema) {
    out_.key("format").begin_object().key("type").text({"json_schema"});
    out_.key("schema").raw(output_schema()).end_object();
  }
  out_.end_object();
}

std::string settings_writer::output_schema() const {
  if (what_.source == wire::anthropic_messages) return std::string{what_.format.schema};
  auto closed = closed_schema(what_.format.schema);
  if (closed.lowered) note(lost_, rule::output_schema);
  return std::move(closed.json);
}

void settings_writer::sampling(bool thinks) const {
  const protocol::sampling& wish = what_.sampling;
  if (!wish.temperature.empty()) {
    temperature(value_of(wish.temperature), thinks);
    if (!wish.top_p.empty()) note(lost_, rule::top_p);
  } else if (!wish.top_p.empty()) {
    const bool legal = !thinks || value_of(wish.top_p) >= thinking_top_p_min;
    if (legal) out_.key("top_p").raw(wish.top_p);
    else note(lost_, rule::top_p);
  }
  if (wish.top_k.empty()) return;
  if (thinks) note(lost_, rule::top_k);
  else out_.key("top_k").raw(wish.top_k);
}

/// The scale ends at 1 here.
void settings_writer::temperature(double value, bool thinks) const {
  if (value > 1 || (thinks && value < 1)) note(lost_, rule::temperature);
  if (thinks && value < 1) return;
  out_.key("temperature").raw(value > 1 ? std::string_view{"1"} : what_.sampling.temperature);
}

void settings_writer::stop() const {
  bool begun = false;
  for (const raw_text& one : what_.stop) {
    if (is_blank(one)) {
      note(lost_, rule::stop_blank);
      continue;
    }
    if (!begun) out_.key("stop_sequences").begin_array();
    begun = true;
    out_.text(one);
  }
  if (begun) out_.end_array();
}

void settings_writer::user() const {
  const auto id = peek_string(what_.metadata, "user_id", what_.metadata.size());
  const raw_text who = id.empty() ? what_.end_user : raw_text{id};
  if (!what_.metadata.empty() && id.empty() && what_.source != wire::anthropic_messages) {
    note(lost_, rule::metadata);
  }
  if (who.empty()) return;
  out_.key("metadata").begin_object().key("user_id").text(who).end_object();
}

void settings_writer::tier() const {
  const auto tier = what_.service_tier.escaped;
  if (tier.empty()) return;
  if (tier == "priority" || tier == "fast") out_.key("speed").text({"fast"});
  else if (tier == "auto") out_.key("service_tier").text({"auto"});
  else if (tier == "default") out_.key("service_tier").text({"standard_only"});
  else note(lost_, rule::service_tier);
}

void settings_writer::note_rest() const {
  const protocol::sampling& wish = what_.sampling;
  const auto lose = [this](bool given, std::string_view rule) {
    if (given) note(lost_, rule);
  };
  lose(!wish.n.empty() && wish.n != "1", rule::n);
  lose(!wish.frequency_penalty.empty() || !wish.presence_penalty.empty(), rule::penalties);
  lose(!wish.seed.empty(), rule::seed);
  lose((!wish.logprobs.empty() && wish.logprobs != "false") || !wish.top_logprobs.empty(),
       rule::logprobs);
  lose(!what_.format.verbosity.empty(), rule::verbosity);
  lose(!what_.cache.key.empty() || !what_.cache.retention.empty(), rule::cache_hints);
  lose(!what_.previous_response_id.empty(), rule::previous_response);
  for (const raw_text& one : what_.out_modalities) {
    lose(one.escaped != "text" && one.escaped != "TEXT", rule::modalities);
  }
  lose(!what_.image.empty(), rule::image_config);
}

}  // namespace tidegate::protocol::messages
