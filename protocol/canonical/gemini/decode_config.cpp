#include <algorithm>
#include <array>
#include <utility>

#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/gemini/reading.hpp"
#include "protocol/canonical/gemini/schema.hpp"

namespace tidegate::protocol::gemini {
namespace {

std::string lower(raw_text word) {
  std::string out{word.escaped};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// Google's JSON writes large whole numbers as strings.
std::optional<std::int64_t> quoted_integer(in::value& v) {
  const std::string_view digits = quoted_number(v);
  std::int64_t out = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  const bool whole = end.ec == std::errc{} && end.ptr == digits.data() + digits.size();
  return whole && !digits.empty() ? std::optional{out} : std::nullopt;
}

bool read_integer(in::value& v, std::string_view key, std::optional<std::int64_t>& into,
                  fault& bad) {
  if (is_null(v)) return true;
  into = in::type_of(v) == in::json_type::string ? quoted_integer(v) : in::integer(v);
  return into || bad.at(key, "must be a whole number");
}

bool read_boolean(in::value& v, std::string_view key, std::optional<bool>& into, fault& bad) {
  if (is_null(v)) return true;
  into = in::boolean(v);
  return into || bad.at(key, "must be true or false");
}

bool read_budget(in::value& v, std::string_view key, reasoning_wish& into, fault& bad) {
  std::optional<std::int64_t> budget;
  if (!read_integer(v, key, budget, bad)) return false;
  if (!budget) return true;
  if (*budget < -1) return bad.at(key, "must be -1, 0 or a number of tokens");
  into.mode = *budget == 0    ? reasoning_mode::off
              : *budget == -1 ? reasoning_mode::automatic
                              : reasoning_mode::budget;
  into.budget = std::max<std::int64_t>(*budget, 0);
  return true;
}

bool read_level(in::value& v, std::string_view key, reasoning_wish& into, fault& bad) {
  raw_text word;
  if (!read_text(v, key, word, bad)) return false;
  constexpr std::array<std::string_view, 6> levels{"minimal", "low",   "medium",
                                                   "high",    "xhigh", "max"};
  const auto found = std::ranges::find(levels, lower(word));
  if (found != levels.end()) {
    into.mode = reasoning_mode::level;
    into.level = *found;
  } else if (!word.empty() && lower(word) != "thinking_level_unspecified") {
    return bad.at(key, "is no level of thinking");
  }
  return true;
}

bool read_thinking(in::value& v, std::string_view key, reasoning_wish& into, fault& bad) {
  std::optional<bool> thoughts;
  const bool read = read_members(v, key, bad, [&](std::string_view k, in::value& member) {
    if (k == "thinkingBudget" || k == "thinking_budget") return read_budget(member, k, into, bad);
    if (k == "thinkingLevel" || k == "thinking_level") return read_level(member, k, into, bad);
    if (k == "includeThoughts" || k == "include_thoughts") {
      return read_boolean(member, k, thoughts, bad);
    }
    return true;
  });
  if (thoughts) {
    into.show_thoughts = *thoughts;
    into.summary = *thoughts ? "auto" : "none";
  }
  return read;
}

bool read_schema(in::value& v, std::string_view key, bool google_dialect, std::string_view& into,
                 text_store& texts, fault& bad) {
  if (!read_raw(v, key, in::json_type::object, into, bad)) return false;
  if (google_dialect && !into.empty() && is_google_dialect(into)) {
    into = texts.keep(to_json_schema(into));
  }
  return true;
}

bool read_format(std::string_view key, in::value& v, canonical_request& into, raw_text& mime,
                 fault& bad) {
  if (key == "responseMimeType" || key == "response_mime_type") {
    return read_text(v, key, mime, bad);
  }
  if (key == "responseSchema" || key == "response_schema") {
    return read_schema(v, key, true, into.format.schema, into.texts, bad);
  }
  if (key == "responseJsonSchema" || key == "response_json_schema") {
    return read_schema(v, key, false, into.format.schema, into.texts, bad);
  }
  if (!is_null(v)) note_member(into, key);
  return true;
}

bool read_modalities(in::value& v, std::string_view key, canonical_request& into, fault& bad) {
  if (!read_texts(v, key, into.out_modalities, bad)) return false;
  for (auto& modality : into.out_modalities) modality = {into.texts.keep(lower(modality))};
  return true;
}

struct number_field {
  std::string_view camel;
  std::string_view snake;
  std::string_view sampling::*into;
};
constexpr std::array numbers{
    number_field{"temperature", "temperature", &sampling::temperature},
    number_field{"topP", "top_p", &sampling::top_p},
    number_field{"topK", "top_k", &sampling::top_k},
    number_field{"candidateCount", "candidate_count", &sampling::n},
    number_field{"seed", "seed", &sampling::seed},
    number_field{"presencePenalty", "presence_penalty", &sampling::presence_penalty},
    number_field{"frequencyPenalty", "frequency_penalty", &sampling::frequency_penalty},
    number_field{"logprobs", "logprobs", &sampling::top_logprobs},
};

bool read_config_member(std::string_view key, in::value& v, canonical_request& into, raw_text& mime,
                        fault& bad) {
  for (const auto& field : numbers) {
    if (key == field.camel || key == field.snake) {
      return read_number(v, key, into.sampling.*field.into, bad);
    }
  }
  if (key == "maxOutputTokens" || key == "max_output_tokens") {
    return read_integer(v, key, into.max_output_tokens, bad);
  }
  if (key == "stopSequences" || key == "stop_sequences") {
    return read_texts(v, key, into.stop, bad);
  }
  if (key == "responseLogprobs" || key == "response_logprobs") {
    std::optional<bool> wanted;
    if (!read_boolean(v, key, wanted, bad)) return false;
    if (wanted) into.sampling.logprobs = *wanted ? "true" : "false";
    return true;
  }
  if (key == "responseModalities" || key == "response_modalities") {
    return read_modalities(v, key, into, bad);
  }
  if (key == "thinkingConfig" || key == "thinking_config") {
    return read_thinking(v, key, into.reasoning, bad);
  }
  return read_format(key, v, into, mime, bad);
}

bool read_function(in::value& v, canonical_request& into, fault& bad) {
  tool declared;
  const bool read = read_members(v, "", bad, [&](std::string_view k, in::value& member) {
    if (k == "name") return read_text(member, k, declared.name, bad);
    if (k == "description") return read_text(member, k, declared.description, bad);
    if (k == "parameters") return read_schema(member, k, true, declared.schema, into.texts, bad);
    if (k == "parametersJsonSchema" || k == "parameters_json_schema") {
      return read_schema(member, k, false, declared.schema, into.texts, bad);
    }
    return true;
  });
  if (!read) return false;
  if (declared.name.empty()) return bad.at("name", "is missing");
  into.tools.push_back(declared);
  return true;
}

server_tool server_of(std::string_view key) {
  if (key == "googleSearch" || key == "google_search" || key == "googleSearchRetrieval" ||
      key == "google_search_retrieval") {
    return server_tool::web_search;
  }
  if (key == "codeExecution" || key == "code_execution") return server_tool::code_execution;
  if (key == "urlContext" || key == "url_context") return server_tool::url_context;
  return server_tool::other;
}

bool read_tool_member(std::string_view key, in::value& v, canonical_request& into, fault& bad) {
  if (key == "functionDeclarations" || key == "function_declarations") {
    return read_elements(v, key, bad, [&](in::value& element, std::size_t) {
      return read_function(element, into, bad);
    });
  }
  tool built_in;
  built_in.kind = tool_kind::server;
  built_in.server = server_of(key);
  built_in.name = {key};
  if (!read_raw(v, key, in::json_type::object, built_in.json, bad)) return false;
  if (!built_in.json.empty()) into.tools.push_back(built_in);
  return true;
}

void set_choice(tool_choice& into, std::string_view mode) {
  const bool any = mode == "any";
  if (mode == "none") {
    into.mode = choice_mode::none;
    into.names.clear();
  } else if (mode.empty() || mode == "mode_unspecified") {
    into.names.clear();
  } else if (into.names.empty()) {
    into.mode = any ? choice_mode::required : choice_mode::automatic;
  } else {
    into.mode = any && into.names.size() == 1 ? choice_mode::specific : choice_mode::subset;
    into.subset_required = any && into.mode == choice_mode::subset;
  }
}

}  // namespace

bool decode_generation_config(in::value& v, canonical_request& into, fault& bad) {
  raw_text mime;
  const bool read = read_members(v, "generationConfig", bad, [&](std::string_view k, in::value& m) {
    return read_config_member(k, m, into, mime, bad);
  });
  if (!into.format.schema.empty()) {
    into.format.kind = format_kind::json_schema;
  } else if (mime.escaped == "application/json") {
    into.format.kind = format_kind::json_object;
  }
  return read;
}

bool decode_tools(in::value& v, canonical_request& into, fault& bad) {
  return read_elements(v, "tools", bad, [&](in::value& element, std::size_t) {
    return read_members(element, "", bad, [&](std::string_view k, in::value& member) {
      return read_tool_member(k, member, into, bad);
    });
  });
}

bool decode_tool_config(in::value& v, canonical_request& into, fault& bad) {
  raw_text mode;
  const auto read_choice = [&](std::string_view k, in::value& member) {
    if (k == "mode") return read_text(member, k, mode, bad);
    if (k == "allowedFunctionNames" || k == "allowed_function_names") {
      return read_texts(member, k, into.choice.names, bad);
    }
    return true;
  };
  const bool read = read_members(v, "toolConfig", bad, [&](std::string_view k, in::value& member) {
    const bool wanted = k == "functionCallingConfig" || k == "function_calling_config";
    if (!wanted && !is_null(member)) note_member(into, k);
    return !wanted || read_members(member, k, bad, read_choice);
  });
  if (read) set_choice(into.choice, lower(mode));
  return read;
}

}  // namespace tidegate::protocol::gemini
