#include "protocol/canonical/messages/block_reader.hpp"

#include "protocol/canonical/messages/token_form.hpp"

namespace tidegate::protocol::messages {

using json_in::json_type;
using json_in::object;
using json_in::value;

bool take_text(value& v, std::string_view key, place& at, raw_text& out) {
  if (const auto found = json_in::text(v)) {
    out = *found;
    return true;
  }
  return is_null(v) || at.fail(key, "must be a string");
}

bool take_mark(value& v, cache_mark& out) {
  if (json_in::type_of(v) != json_type::object) return true;
  const auto json = json_in::raw(v);
  if (json.empty()) return false;
  out = json;
  return true;
}

bool block_reader::content(value& v, std::vector<part>& into) {
  if (const auto whole = json_in::text(v)) {
    text_part only;
    only.text = *whole;
    into.emplace_back(std::move(only));
    return true;
  }
  json_in::array blocks;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(blocks)) {
    return at_.fail("must be a string or a list of blocks");
  }
  const auto visit = [&](value& one, std::size_t position) {
    const place::step down(at_, position);
    return block(one, into);
  };
  return json_in::each_element(blocks, visit) || at_.fail("is no valid JSON");
}

bool block_reader::block(value& v, std::vector<part>& into) {
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return at_.fail("must be an object");
  }
  const auto kind = json_in::kind_of(of);
  if (kind == "text") return text(of, into);
  if (kind == "tool_use") return call(of, tool_kind::function, into);
  if (kind == "tool_result") return tool_result(of, into);
  if (kind == "thinking") return thinking(of, false, into);
  if (kind == "redacted_thinking") return thinking(of, true, into);
  if (kind == "image") return medium(of, media_kind::image, into);
  if (kind == "document") return medium(of, media_kind::file, into);
  if (kind == "server_tool_use") return call(of, tool_kind::server, into);
  if (kind.empty()) return at_.fail("type", "must be a string");
  unknown_part other{kind, {}};
  if (of.raw_json().get(other.json)) return at_.fail("is no valid JSON");
  other.json = json_in::trimmed(other.json);
  if (kind == "search_result" && !search_result(of, other)) return false;
  into.emplace_back(other);
  return true;
}

/// Its texts, below where they are from, are all that there is to it.
bool block_reader::search_result(object& of, unknown_part& into) {
  bool ignored = false;
  if (of.reset().get(ignored)) return at_.fail("is no valid JSON");
  raw_text title;
  raw_text source;
  std::vector<part> texts;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "title") return take_text(v, key, at_, title);
    if (key == "source") return take_text(v, key, at_, source);
    if (key != "content") return true;
    const place::step down(at_, key);
    return content(v, texts);
  });
  if (!read) return false;
  std::string words;
  const auto add = [&words](raw_text line) {
    if (!line.empty()) words.append(words.empty() ? "" : "\\n").append(line.escaped);
  };
  add(title);
  add(source);
  for (const part& one : texts) {
    if (const auto* const text = std::get_if<text_part>(&one)) add(text->text);
  }
  into.words = {texts_.keep(std::move(words))};
  return true;
}

bool block_reader::text(object& of, std::vector<part>& into) {
  text_part out;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "text") return take_text(v, key, at_, out.text);
    if (key == "cache_control") return take_mark(v, out.cache);
    if (key == "citations") return citations(v, out.citations);
    return true;
  });
  if (read) into.emplace_back(std::move(out));
  return read;
}

bool block_reader::citations(value& v, std::vector<citation>& into) {
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) return true;
  return json_in::each_element(list, [&](value& one, std::size_t) {
    citation out;
    object of;
    if (json_in::type_of(one) != json_type::object || one.get_object().get(of)) return true;
    const bool read = json_in::each_member(of, [&](std::string_view key, value& member) {
      if (key == "url") return take_text(member, key, at_, out.url);
      if (key == "title") return take_text(member, key, at_, out.title);
      return true;
    });
    if (read && !out.url.empty()) into.push_back(out);
    return read;
  });
}

std::optional<opaque_token> block_reader::token(raw_text written) {
  if (written.empty()) return std::nullopt;
  if (written.escaped.find('\\') == std::string_view::npos) return read_token(written.escaped);
  opaque_token out = read_token(texts_.keep(plain(written)));
  out.bytes = texts_.keep_plain(out.bytes.escaped);
  return out;
}

bool block_reader::thinking(object& of, bool redacted, std::vector<part>& into) {
  reasoning_part out;
  out.redacted = redacted;
  raw_text words;
  raw_text signature;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "thinking") return take_text(v, key, at_, words);
    if (key == (redacted ? "data" : "signature")) return take_text(v, key, at_, signature);
    return true;
  });
  if (!read) return false;
  if (!words.empty() && !redacted) out.texts.push_back(words);
  out.token = token(signature);
  if (redacted && out.token && out.token->owner == token_owner::unknown) {
    out.token->owner = token_owner::claude;
  }
  if (!out.texts.empty() || out.token) into.emplace_back(std::move(out));
  return true;
}

bool block_reader::call(object& of, tool_kind kind, std::vector<part>& into) {
  tool_call_part out;
  out.kind = kind;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "id") return take_text(v, key, at_, out.id);
    if (key == "name") return take_text(v, key, at_, out.name);
    if (key == "cache_control") return take_mark(v, out.cache);
    if (key != "input" || is_null(v)) return true;
    if (json_in::type_of(v) != json_type::object) return at_.fail(key, "must be an object");
    out.arguments = json_in::raw(v);
    return !out.arguments.empty();
  });
  if (read && out.name.empty()) return at_.fail("name", "must be a string that is not empty");
  if (read) into.emplace_back(std::move(out));
  return read;
}

bool block_reader::tool_result(object& of, std::vector<part>& into) {
  tool_result_part out;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "tool_use_id") return take_text(v, key, at_, out.call_id);
    if (key == "content") return result_content_of(v, out);
    if (key == "cache_control") return take_mark(v, out.cache);
    if (key != "is_error" || is_null(v)) return true;
    const auto flag = json_in::boolean(v);
    out.is_error = flag.value_or(false);
    return flag ? true : at_.fail(key, "must be true or false");
  });
  if (read && out.call_id.empty()) {
    return at_.fail("tool_use_id", "must be a string that is not empty");
  }
  if (read) into.emplace_back(std::move(out));
  return read;
}

bool block_reader::result_content_of(value& v, tool_result_part& into) {
  const place::step down(at_, "content");
  const auto type = json_in::type_of(v);
  if (type == json_type::null) return true;
  if (type != json_type::string && type != json_type::array) {
    into.json = json_in::raw(v);
    return !into.json.empty();
  }
  std::vector<part> blocks;
  if (!content(v, blocks)) return false;
  for (part& one : blocks) {
    if (auto* const words = std::get_if<text_part>(&one)) {
      into.content.emplace_back(std::move(*words));
    } else if (auto* const medium = std::get_if<media_part>(&one)) {
      into.content.emplace_back(*medium);
    } else if (const auto* const other = std::get_if<unknown_part>(&one)) {
      text_part spelled;
      spelled.text = texts_.keep_plain(other->json);
      into.content.emplace_back(std::move(spelled));
    }
  }
  return true;
}

bool block_reader::medium(object& of, media_kind kind, std::vector<part>& into) {
  media_part out;
  out.kind = kind;
  std::vector<part> texts;
  bool sourced = false;
  const bool read = members(of, [&](std::string_view key, value& v) {
    if (key == "title") return take_text(v, key, at_, out.name);
    if (key == "cache_control") return take_mark(v, out.cache);
    const bool noted = key == "context" || (key == "citations" && kind == media_kind::file);
    if (noted && !is_null(v)) document_notes_ = true;
    if (key != "source") return true;
    sourced = true;
    return source(v, out, texts);
  });
  if (!read) return false;
  if (!sourced) return at_.fail("source", "is missing");
  if (texts.empty()) {
    into.emplace_back(out);
    return true;
  }
  if (auto* const last = std::get_if<text_part>(&texts.back())) last->cache = out.cache;
  for (part& one : texts) into.emplace_back(std::move(one));
  return true;
}

bool block_reader::source(value& v, media_part& out, std::vector<part>& texts) {
  const place::step down(at_, "source");
  object of;
  if (json_in::type_of(v) != json_type::object || v.get_object().get(of)) {
    return at_.fail("must be an object");
  }
  const auto kind = json_in::kind_of(of);
  if (!source_members(of, kind, out, texts)) return false;
  const bool found = !out.source.base64.empty() || !out.source.url.empty() ||
                     !out.source.file_id.empty() || !texts.empty();
  return found || at_.fail("names no base64, url, file or text source");
}

bool block_reader::source_members(object& of, std::string_view kind, media_part& out,
                                  std::vector<part>& texts) {
  const bool is_text = kind == "text";
  return members(of, [&](std::string_view key, value& v) {
    if (key == "media_type") return take_text(v, key, at_, out.source.mime);
    if (key == "data" && !is_text) return take_text(v, key, at_, out.source.base64);
    if (key == "url" && kind == "url") return take_text(v, key, at_, out.source.url);
    if (key == "file_id" && kind == "file") return take_text(v, key, at_, out.source.file_id);
    if ((key == "data" && is_text) || (key == "content" && kind == "content")) {
      const place::step inner(at_, key);
      return content(v, texts);
    }
    return true;
  });
}

}  // namespace tidegate::protocol::messages
