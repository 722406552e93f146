#include "protocol/canonical/chat/message.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::json_type;
using json_in::value;

/// `extra_content.google.thought_signature`.
bool read_extra_content(reading& to, value& v, tool_call_part& call) {
  if (json_in::type_of(v) != json_type::object) return true;
  return members_of(v, to.wrong, [&](std::string_view vendor, value& extra) {
    if (vendor != "google" || json_in::type_of(extra) != json_type::object) return true;
    return members_of(extra, to.wrong, [&](std::string_view key, value& inner) {
      const auto bytes = key == "thought_signature" ? json_in::text(inner) : std::nullopt;
      if (bytes && !bytes->empty()) {
        call.signature = opaque_token{token_owner::gemini, token_bind::standalone,
                                      token_target::function, *bytes};
      }
      return true;
    });
  });
}

bool read_arguments(reading& to, value& v, tool_call_part& call) {
  if (const auto text = json_in::text(v)) {
    const bool as_written = text->escaped.find('\\') == std::string_view::npos;
    call.arguments = as_written ? text->escaped : to.out.texts.keep(plain(*text));
    return true;
  }
  if (json_in::type_of(v) == json_type::object) {
    call.arguments = json_in::raw(v);
    return true;
  }
  return is_null(v) || to.wrong.set("not a string");
}

bool read_called(reading& to, value& v, tool_call_part& call) {
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    bool good = true;
    if (key == "name") {
      good = take_text(inner, call.name, to.wrong);
    } else if (key == "arguments") {
      good = read_arguments(to, inner, call);
    } else if (key == "input") {
      raw_text input;
      good = take_text(inner, input, to.wrong);
      call.arguments = input.escaped;
    }
    return good || to.wrong.under(key);
  });
}

bool read_call(reading& to, value& v, tool_call_part& call) {
  const bool good = members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    bool fine = true;
    if (key == "id") {
      fine = take_text(inner, call.id, to.wrong);
    } else if (key == "function" || key == "custom") {
      if (key == "custom") call.kind = tool_kind::custom;
      fine = read_called(to, inner, call);
    } else if (key == "extra_content") {
      fine = read_extra_content(to, inner, call);
    } else if (key == "cache_control") {
      take_cache(inner, call.cache);
    }
    return fine || to.wrong.under(key);
  });
  if (good && call.name.empty()) return to.wrong.set("no name");
  return good;
}

bool read_calls(reading& to, value& v, std::vector<part>& into) {
  if (is_null(v)) return true;
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array");
  }
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    auto& call = std::get<tool_call_part>(into.emplace_back(tool_call_part{}));
    return read_call(to, element, call) || to.wrong.under(position);
  });
}

/// Only a tool's result may be something else than text or parts, and the role may come later.
bool read_any_content(reading& to, value& v, message& into) {
  const json_type type = json_in::type_of(v);
  const bool may_be_result = into.role.empty() || is_result_role(into.role.escaped);
  if (!may_be_result || type == json_type::string || type == json_type::null) {
    return read_content(to, v, into.content);
  }
  json_in::array list;
  if (type == json_type::array && !v.get_array().get(list)) {
    const std::string_view json = raw_of(list);
    if (json.empty()) return false;
    if (read_parts(to, list, into.content)) return true;
    if (!to.wrong.found()) return false;
    into.content_json = json;
  } else {
    into.content_json = json_in::raw(v);
    to.wrong.set("not a string or an array of parts");
  }
  std::swap(into.content_fault, to.wrong);
  return !into.content_json.empty();
}

bool read_member(reading& to, std::string_view key, value& v, message& into) {
  if (key == "role") return take_text(v, into.role, to.wrong);
  if (key == "content") return read_any_content(to, v, into);
  if (key == "tool_calls") return read_calls(to, v, into.calls);
  if (key == "function_call") {
    if (is_null(v)) return true;
    auto& call = std::get<tool_call_part>(into.calls.emplace_back(tool_call_part{}));
    return read_called(to, v, call) && (!call.name.empty() || to.wrong.set("no name"));
  }
  if (key == "tool_call_id") return take_text(v, into.call_id, to.wrong);
  if (key == "name") return take_text(v, into.name, to.wrong);
  if (key == "reasoning_content") return take_text(v, into.reasoning_content, to.wrong);
  if (key == "reasoning") {
    if (const auto text = json_in::text(v)) into.reasoning = *text;
    return true;
  }
  if (key == "refusal") return take_text(v, into.refusal, to.wrong);
  if (key == "annotations") return read_annotations(to, v, into.citations);
  if (key == "cache_control") take_cache(v, into.cache);
  json_in::array list;
  if (key == "images" && json_in::type_of(v) == json_type::array && !v.get_array().get(list)) {
    return read_parts(to, list, into.images);
  }
  return true;
}

}  // namespace

bool read_messages(reading& to, value& v) {
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
    return to.wrong.set("not an array");
  }
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    message found;
    const bool good = members_of(element, to.wrong, [&](std::string_view key, value& inner) {
      return read_member(to, key, inner, found) || to.wrong.under(key);
    });
    return (good && add_message(to, found)) || to.wrong.under(position);
  });
}

}  // namespace tidegate::protocol::chat
