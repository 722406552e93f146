#include "protocol/canonical/messages/settings_reader.hpp"

#include <algorithm>

#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/messages/block_reader.hpp"

namespace tidegate::protocol::messages {
namespace {

using json_in::json_type;
using json_in::value;

constexpr std::string_view levels[] = {"minimal", "low", "medium", "high", "xhigh", "max"};

bool take_number(value& v, place& at, std::string_view& out) {
  const auto written = json_in::number(v);
  if (written.empty()) return at.fail("must be a number");
  out = written;
  return true;
}

bool take_limit(value& v, place& at, std::optional<std::int64_t>& out) {
  const auto count = json_in::integer(v);
  if (!count || *count < 0) return at.fail("must be a whole number");
  out = *count;
  return true;
}

bool take_stop(value& v, place& at, std::vector<raw_text>& out) {
  out.clear();
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return at.fail("must be a list of strings");
  }
  const auto visit = [&](value& one, std::size_t) {
    const auto text = json_in::text(one);
    if (!text) return at.fail("must be a list of strings");
    out.push_back(*text);
    return true;
  };
  return json_in::each_element(list, visit) || at.fail("is no valid JSON");
}

bool take_budget(value& v, place& at, reasoning_wish& out) {
  if (is_null(v)) return true;
  const auto count = json_in::integer(v);
  if (!count || *count < 0) return at.fail("budget_tokens", "must be a whole number");
  out.budget = *count;
  return true;
}

/// An effort already read makes `adaptive` a level.
bool set_mode(std::string_view type, place& at, reasoning_wish& out) {
  if (type == "enabled") {
    out.mode = reasoning_mode::budget;
  } else if (type == "adaptive") {
    out.mode = out.level.empty() ? reasoning_mode::automatic : reasoning_mode::level;
  } else if (type == "disabled") {
    out.mode = reasoning_mode::off;
  } else {
    return at.fail("type", "must be enabled, adaptive or disabled");
  }
  return true;
}

bool take_thinking(value& v, place& at, reasoning_wish& out) {
  raw_text type;
  raw_text display;
  const bool read = members_of(v, at, [&](std::string_view key, value& member) {
    if (key == "type") return take_text(member, key, at, type);
    if (key == "display") return take_text(member, key, at, display);
    return key == "budget_tokens" ? take_budget(member, at, out) : true;
  });
  if (!read || !set_mode(type.escaped, at, out)) return false;
  if (out.mode == reasoning_mode::budget && out.budget == 0) {
    return at.fail("budget_tokens", "must be a whole number above 0");
  }
  if (display.escaped == "omitted") out.summary = "none";
  if (display.escaped == "summarized") out.summary = "auto";
  return true;
}

bool take_effort(value& v, place& at, reasoning_wish& out) {
  if (is_null(v)) return true;
  const auto text = json_in::text(v);
  if (!text || std::ranges::find(levels, text->escaped) == std::end(levels)) {
    return at.fail("effort", "must be low, medium, high, xhigh or max");
  }
  out.level = text->escaped;
  const bool open = out.mode == reasoning_mode::unset || out.mode == reasoning_mode::automatic;
  if (open) out.mode = reasoning_mode::level;
  return true;
}

bool take_format(value& v, place& at, response_format& out) {
  if (is_null(v)) return true;
  raw_text type;
  const bool read = members_of(v, at, [&](std::string_view key, value& member) {
    if (key == "type") return take_text(member, key, at, type);
    if (key == "name") return take_text(member, key, at, out.name);
    if (key == "schema") out.schema = json_in::raw(member);
    return true;
  });
  if (read && type.escaped == "json_schema") out.kind = format_kind::json_schema;
  return read;
}

bool take_output_config(value& v, place& at, canonical_request& out) {
  return members_of(v, at, [&](std::string_view key, value& member) {
    if (key == "effort") return take_effort(member, at, out.reasoning);
    if (key != "format") return true;
    const place::step down(at, key);
    return take_format(member, at, out.format);
  });
}

bool take_metadata(value& v, place& at, canonical_request& out) {
  json_in::object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return at.fail("must be an object");
  }
  const bool read = json_in::each_member(of, [&](std::string_view key, value& member) {
    if (key == "user_id") out.end_user = json_in::text(member).value_or(raw_text{});
    return true;
  });
  bool ignored = false;
  if (!read || of.reset().get(ignored) || of.raw_json().get(out.metadata)) {
    return at.fail("is no valid JSON");
  }
  out.metadata = json_in::trimmed(out.metadata);
  return true;
}

/// Fast mode is what others call priority; it beats the tier.
bool take_tier(std::string_view key, value& v, place& at, canonical_request& out) {
  const auto text = json_in::text(v);
  if (!text) return at.fail("must be a string");
  if (key == "speed") {
    if (text->escaped == "fast") out.service_tier = {"priority"};
  } else if (out.service_tier.escaped != "priority") {
    out.service_tier = text->escaped == "standard_only" ? raw_text{"default"} : *text;
  }
  return true;
}

bool take_stream(value& v, place& at, bool& out) {
  const auto flag = json_in::boolean(v);
  if (!flag) return at.fail("must be true or false");
  out = *flag;
  return true;
}

}  // namespace

bool read_setting(std::string_view key, value& v, place& at, canonical_request& out) {
  if (is_null(v)) return true;
  if (key == "max_tokens") return take_limit(v, at, out.max_output_tokens);
  if (key == "stream") return take_stream(v, at, out.stream);
  if (key == "temperature") return take_number(v, at, out.sampling.temperature);
  if (key == "top_p") return take_number(v, at, out.sampling.top_p);
  if (key == "top_k") return take_number(v, at, out.sampling.top_k);
  if (key == "stop_sequences") return take_stop(v, at, out.stop);
  if (key == "thinking") return take_thinking(v, at, out.reasoning);
  if (key == "output_config") return take_output_config(v, at, out);
  if (key == "output_format") return take_format(v, at, out.format);
  if (key == "metadata") return take_metadata(v, at, out);
  if (key == "service_tier" || key == "speed") return take_tier(key, v, at, out);
  note_member(out, key);
  return true;
}

}  // namespace tidegate::protocol::messages
