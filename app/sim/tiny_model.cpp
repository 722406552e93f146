#include "app/sim/tiny_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/sim/schema_instance.hpp"
#include "app/sim/thought_token.hpp"

namespace tidegate::sim {
namespace {

using protocol::wire;

constexpr std::int64_t input_tokens = 120;
constexpr std::int64_t cached_tokens = 64;
constexpr std::int64_t spoken_tokens = 30;
constexpr std::int64_t thought_tokens = 12;

/// Takes the next line off.
std::string_view take_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// What follows `word ` in the line; nullopt when the line orders something else.
std::optional<std::string_view> after(std::string_view word, std::string_view line) {
  if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ')
    return std::nullopt;
  return line.substr(word.size() + 1);
}

std::string recollection(const conversation& what) {
  return fmt::format("system: {}. tools: {}. signed thoughts: {}. ", what.system,
                     fmt::join(what.tools, " "), what.signed_thoughts);
}

std::string what_was_given(const conversation& what) {
  std::string out;
  for (const auto& one : what.results) out += fmt::format("{} is {}. ", one.name, one.text);
  for (const auto& one : what.media) out += fmt::format("saw {}. ", one);
  return out;
}

void obey(std::string_view line, const conversation& what, answer& out) {
  if (const auto text = after("say", line)) out.text += *text;
  if (const auto word = after("finish", line)) out.finish = *word;
  if (line == "recall") out.text += recollection(what);
  if (line == "report") out.text += what_was_given(what);
  const auto call = after("call", line);
  if (!call) return;
  const auto space = call->find(' ');
  const auto arguments = space == call->npos ? "{}" : call->substr(space + 1);
  out.tool_calls.push_back({std::string{call->substr(0, space)}, std::string{arguments}});
}

/// Each `then` begins the orders of the next round.
void obey_round(const conversation& what, answer& out) {
  int round = 0;
  for (std::string_view rest = what.order; !rest.empty();) {
    const auto line = take_line(rest);
    if (line == "then") {
      ++round;
    } else if (round == what.rounds) {
      obey(line, what, out);
    }
  }
}

std::string unordered_text(const conversation& what) {
  if (what.schema) return json_text_of_instance(*what.schema);
  const auto given = what_was_given(what);
  return given.empty() ? "heard: " + what.order : given;
}

}  // namespace

answer answer_to(const conversation& what, wire vendor, const answer& from) {
  answer out;
  out.chunks = from.chunks;
  obey_round(what, out);
  if (out.text.empty() && out.tool_calls.empty() && out.finish == "stop")
    out.text = unordered_text(what);
  const std::string thinking = fmt::format("thinking about round {}", what.rounds + 1);
  if (what.thinks && what.shows_thinking) out.reasoning = thinking;
  out.thinks = what.thinks;
  if (what.wants_token) out.token = thought_token(vendor, thinking);
  const auto thought = what.thinks ? thought_tokens : 0;
  out.usage = {input_tokens, spoken_tokens + thought, cached_tokens, thought};
  return out;
}

}  // namespace tidegate::sim
