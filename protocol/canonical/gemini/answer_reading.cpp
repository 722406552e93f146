#include "protocol/canonical/gemini/answer_reading.hpp"

namespace tidegate::protocol::gemini {
namespace {

bool read_inline(in::value& v, answer_part& into) {
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "mimeType" || key == "mime_type") into.mime = text_in(member);
    if (key == "data") into.base64 = text_in(member);
    return true;
  });
}

bool read_call(in::value& v, answer_part& into) {
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "id") into.call_id = text_in(member);
    if (key == "name") into.name = text_in(member);
    if (key != "args" || in::type_of(member) != in::json_type::object) return true;
    into.arguments = in::raw(member);
    return !into.arguments.empty();
  });
}

/// Counts come from outside: a sum that has no room stays the first of both.
std::int64_t added(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  return a >= 0 && b >= 0 && a <= most && b <= most ? a + b : a;
}

bool read_source(in::value& v, grounding& into) {
  auto& source = into.sources.emplace_back();
  return members(v, [&](std::string_view key, in::value& member) {
    if (key != "web" && key != "retrievedContext") return true;
    return members(member, [&](std::string_view inner, in::value& text) {
      if (inner == "uri") source.url = text_in(text);
      if (inner == "title") source.title = text_in(text);
      return true;
    });
  });
}

bool read_support(in::value& v, grounding& into) {
  auto& support = into.supports.emplace_back();
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "segment") {
      return members(member, [&](std::string_view inner, in::value& number) {
        if (inner == "startIndex") support.begin = in::integer(number).value_or(0);
        if (inner == "endIndex") support.end = in::integer(number).value_or(0);
        return true;
      });
    }
    if (key != "groundingChunkIndices") return true;
    return elements(member, [&](in::value& number) {
      if (const auto index = in::integer(number)) support.sources.push_back(*index);
      return true;
    });
  });
}

}  // namespace

bool read_part(in::value& v, answer_part& into) {
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "text") into.text = text_in(member);
    if (key == "thought") into.thought = in::boolean(member).value_or(false);
    if (key == "thoughtSignature" || key == "thought_signature") into.signature = text_in(member);
    if (key == "functionCall" || key == "function_call") return read_call(member, into);
    if (key == "inlineData" || key == "inline_data") return read_inline(member, into);
    return true;
  });
}

bool read_grounding(in::value& v, grounding& into) {
  into = {};
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "groundingChunks") {
      return elements(member, [&](in::value& one) { return read_source(one, into); });
    }
    if (key == "groundingSupports") {
      return elements(member, [&](in::value& one) { return read_support(one, into); });
    }
    if (key == "webSearchQueries") {
      return elements(member, [&](in::value& one) {
        if (auto query = text_in(one); !query.empty()) into.queries.push_back(std::move(query));
        return true;
      });
    }
    return true;
  });
}

bool read_usage(in::value& v, usage& into) {
  std::optional<std::int64_t> candidates;
  std::int64_t of_tools = 0;
  const bool read = members(v, [&](std::string_view key, in::value& member) {
    if (key == "promptTokenCount") into.input_total = in::integer(member);
    if (key == "toolUsePromptTokenCount") of_tools = in::integer(member).value_or(0);
    if (key == "cachedContentTokenCount") into.cache_read = in::integer(member);
    if (key == "candidatesTokenCount") candidates = in::integer(member);
    if (key == "thoughtsTokenCount") into.reasoning = in::integer(member);
    return true;
  });
  if (into.input_total || of_tools > 0) {
    into.input_total = added(into.input_total.value_or(0), of_tools);
  }
  if (candidates || into.reasoning) {
    into.output_total = added(candidates.value_or(0), into.reasoning.value_or(0));
  }
  return read;
}

bool read_error(in::value& v, failed_event& into) {
  if (in::type_of(v) == in::json_type::string) into.message = text_in(v);
  return members(v, [&](std::string_view key, in::value& member) {
    if (key == "message") into.message = text_in(member);
    if (key == "status" || key == "type") into.type = text_in(member);
    if (key != "code") return true;
    const auto number = in::integer(member);
    if (number && *number >= 400 && *number < 600) into.status = static_cast<int>(*number);
    into.code = text_in(member);
    return true;
  });
}

}  // namespace tidegate::protocol::gemini
