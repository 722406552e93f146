#include <algorithm>
#include <array>
#include <utility>

#include "protocol/canonical/gemini/call_ids.hpp"
#include "protocol/canonical/gemini/reading.hpp"
#include "protocol/canonical/gemini/tokens.hpp"

namespace tidegate::protocol::gemini {
namespace {

/// The members of one part; which of them are there says what it is.
struct part_read {
  std::optional<raw_text> text;
  bool thought = false;
  raw_text signature;
  std::optional<media_part> media;
  std::optional<tool_call_part> call;
  std::optional<tool_result_part> result;
  std::vector<media_part> result_media;
  std::optional<unknown_part> unknown;
};

media_kind kind_of_mime(raw_text mime) {
  const auto is = [&](std::string_view family) { return mime.escaped.starts_with(family); };
  if (is("image/")) return media_kind::image;
  if (is("audio/")) return media_kind::audio;
  return is("video/") ? media_kind::video : media_kind::file;
}

/// `audio/wav` and its like.
raw_text audio_format(raw_text mime) {
  const std::string_view kind = mime.escaped.substr(std::string_view{"audio/"}.size());
  if (kind == "wav" || kind == "x-wav" || kind == "wave") return {"wav"};
  return {kind == "mpeg" || kind == "mp3" ? "mp3" : kind};
}

/// A file that was given to Google: nobody else can fetch it.
bool is_own_file(std::string_view uri) {
  return uri.find("://") == std::string_view::npos ||
         uri.starts_with("https://generativelanguage.googleapis.com/");
}

bool read_media(in::value& v, std::string_view key, media_part& into, fault& bad) {
  const bool read = read_members(v, key, bad, [&](std::string_view k, in::value& member) {
    if (k == "mimeType" || k == "mime_type") return read_text(member, k, into.source.mime, bad);
    if (k == "data") return read_text(member, k, into.source.base64, bad);
    if (k == "fileUri" || k == "file_uri") return read_text(member, k, into.source.url, bad);
    if (k == "displayName" || k == "display_name") return read_text(member, k, into.name, bad);
    return true;
  });
  into.kind = kind_of_mime(into.source.mime);
  if (into.kind == media_kind::audio) into.format = audio_format(into.source.mime);
  if (is_own_file(into.source.url.escaped)) {
    into.source.file_id = std::exchange(into.source.url, {});
  }
  const bool untyped = !into.source.base64.empty() && into.source.mime.empty();
  if (read && untyped) return bad.at("mimeType", "is missing") || bad.below(key);
  return read;
}

bool read_call(in::value& v, std::string_view key, tool_call_part& into, fault& bad) {
  const bool read = read_members(v, key, bad, [&](std::string_view k, in::value& member) {
    if (k == "id") return read_text(member, k, into.id, bad);
    if (k == "name") return read_text(member, k, into.name, bad);
    if (k == "args") return read_raw(member, k, in::json_type::object, into.arguments, bad);
    return true;
  });
  if (!read) return false;
  if (into.name.empty()) return bad.at("name", "is missing") || bad.below(key);
  return true;
}

/// `{"result": ...}`, `{"output": ...}` and `{"error": ...}` alone stand for what is in them when
/// it is a text or an array.
bool read_response(in::value& v, tool_result_part& into, fault& bad) {
  std::string_view whole;
  if (is_null(v)) return true;
  in::object object;
  if (in::type_of(v) != in::json_type::object || v.get_object().get(object)) {
    return bad.at("response", "must be an object");
  }
  if (object.raw_json().get(whole)) return bad.at("response", "is no valid JSON");
  bool ignored = false;
  if (object.reset().get(ignored)) return bad.at("response", "is no valid JSON");
  std::size_t members = 0;
  std::string_view key;
  std::optional<raw_text> text;
  std::string_view array;
  const bool read = in::each_member(object, [&](std::string_view k, in::value& member) {
    key = k;
    if (members++ > 0) return true;
    text = in::text(member);
    if (in::type_of(member) != in::json_type::array) return true;
    array = in::raw(member);
    return !array.empty();
  });
  if (!read) return bad.below("response");
  if (members == 0) return true;
  const bool only = members == 1;
  into.is_error = only && key == "error";
  const bool wrapped = into.is_error || (only && (key == "result" || key == "output"));
  if (wrapped && text) {
    if (!text->empty()) into.content.emplace_back(text_part{*text, {}, {}, {}});
  } else {
    into.json = wrapped && !array.empty() ? array : in::trimmed(whole);
  }
  return true;
}

bool read_result(in::value& v, std::string_view key, part_read& part, fault& bad) {
  tool_result_part& into = part.result.emplace();
  return read_members(v, key, bad, [&](std::string_view k, in::value& member) {
    if (k == "id") return read_text(member, k, into.call_id, bad);
    if (k == "name") return read_text(member, k, into.name, bad);
    if (k == "response") return read_response(member, into, bad);
    if (k != "parts") return true;
    return read_elements(member, k, bad, [&](in::value& element, std::size_t) {
      return read_members(element, "", bad, [&](std::string_view inner, in::value& medium) {
        const bool is_media = inner == "inlineData" || inner == "inline_data" ||
                              inner == "fileData" || inner == "file_data";
        return !is_media || read_media(medium, inner, part.result_media.emplace_back(), bad);
      });
    });
  });
}

bool is_part_setting(std::string_view key) {
  constexpr std::array settings{"videoMetadata",    "video_metadata", "mediaResolution",
                                "media_resolution", "partMetadata",   "part_metadata"};
  return std::ranges::find(settings, key) != settings.end();
}

bool read_part_member(std::string_view key, in::value& v, part_read& part, fault& bad) {
  if (is_null(v)) return true;
  if (key == "text") return read_text(v, key, part.text.emplace(), bad);
  if (key == "thought") {
    part.thought = in::boolean(v).value_or(false);
    return true;
  }
  if (key == "thoughtSignature" || key == "thought_signature") {
    return read_text(v, key, part.signature, bad);
  }
  if (key == "inlineData" || key == "inline_data" || key == "fileData" || key == "file_data") {
    return read_media(v, key, part.media.emplace(), bad);
  }
  if (key == "functionCall" || key == "function_call") {
    return read_call(v, key, part.call.emplace(), bad);
  }
  if (key == "functionResponse" || key == "function_response") {
    return read_result(v, key, part, bad);
  }
  if (is_part_setting(key)) return true;
  part.unknown = unknown_part{key, in::raw(v)};
  return !part.unknown->json.empty();
}

std::optional<opaque_token> token_of(raw_text signature) {
  if (signature.empty() || is_sentinel(signature.escaped)) return std::nullopt;
  return opaque_token{owner_of(signature.escaped), token_bind::standalone, token_target::any,
                      signature};
}

/// Beside media, a response that is no text is told as text too.
void add_media(tool_result_part& result, const media_part& media, text_store& texts) {
  if (!result.json.empty() && result.content.empty()) {
    result.content.emplace_back(text_part{texts.keep_plain(result.json), {}, {}, {}});
  }
  result.content.emplace_back(media);
}

/// Media right behind a result are its own, as Gemini clients send them.
void append_media(std::vector<part>& parts, const media_part& media, text_store& texts) {
  auto* result = parts.empty() ? nullptr : std::get_if<tool_result_part>(&parts.back());
  if (result != nullptr) {
    add_media(*result, media, texts);
  } else {
    parts.emplace_back(media);
  }
}

/// A streamed thought comes in pieces, the last one signed: they are one thought.
void join_pieces(std::vector<part>& parts, reasoning_part& last, text_store& texts) {
  std::size_t first = parts.size();
  std::string whole;
  for (; first > 0; --first) {
    const auto* piece = std::get_if<reasoning_part>(&parts[first - 1]);
    if (piece == nullptr || piece->token) break;
  }
  if (first == parts.size()) return;
  for (std::size_t i = first; i < parts.size(); ++i) {
    for (const raw_text text : std::get<reasoning_part>(parts[i]).texts) whole += text.escaped;
  }
  for (const raw_text text : last.texts) whole += text.escaped;
  last.texts = {{texts.keep(std::move(whole))}};
  parts.resize(first);
}

/// A signature without a text opens no text part.
void append_text(std::vector<part>& parts, const part_read& read, text_store& texts) {
  auto token = token_of(read.signature);
  const raw_text text = read.text.value_or(raw_text{});
  if (!read.thought && !text.empty()) {
    parts.emplace_back(text_part{text, {}, {}, token});
    return;
  }
  if (text.empty() && !token) return;
  reasoning_part thought;
  if (!text.empty()) thought.texts.push_back(text);
  thought.token = token;
  if (token && read.thought) join_pieces(parts, thought, texts);
  parts.emplace_back(std::move(thought));
}

void append(std::vector<part>& parts, part_read& read, text_store& texts) {
  if (read.call) {
    read.call->signature = token_of(read.signature);
    parts.emplace_back(std::move(*read.call));
  } else if (read.result) {
    for (const auto& media : read.result_media) add_media(*read.result, media, texts);
    parts.emplace_back(std::move(*read.result));
  } else if (read.media) {
    append_media(parts, *read.media, texts);
  } else if (read.text || !read.signature.empty()) {
    append_text(parts, read, texts);
  } else if (read.unknown) {
    parts.emplace_back(*read.unknown);
  }
}

bool decode_parts(in::value& v, std::string_view key, std::vector<part>& into, text_store& texts,
                  fault& bad) {
  return read_elements(v, key, bad, [&](in::value& element, std::size_t) {
    part_read read;
    const bool good = read_members(element, "", bad, [&](std::string_view k, in::value& member) {
      return read_part_member(k, member, read, bad);
    });
    if (good) append(into, read, texts);
    return good;
  });
}

template <class Part>
bool is(const part& one) {
  return std::holds_alternative<Part>(one);
}

/// A content without a known role: calls are the model's, results the user's, others take turns.
turn_role role_of(raw_text role, const turn& content, const canonical_request& so_far) {
  if (role.escaped == "model") return turn_role::assistant;
  if (role.escaped == "user" || role.escaped == "function") return turn_role::user;
  if (std::ranges::any_of(content.parts, is<tool_call_part>)) return turn_role::assistant;
  if (std::ranges::any_of(content.parts, is<tool_result_part>)) return turn_role::user;
  const bool after_user = !so_far.turns.empty() && so_far.turns.back().role != turn_role::assistant;
  return after_user ? turn_role::assistant : turn_role::user;
}

}  // namespace

bool decode_contents(in::value& v, canonical_request& into, fault& bad) {
  return read_elements(v, "contents", bad, [&](in::value& element, std::size_t) {
    turn content;
    raw_text role;
    const bool good = read_members(element, "", bad, [&](std::string_view k, in::value& member) {
      if (k == "role") return read_text(member, k, role, bad);
      return k != "parts" || decode_parts(member, k, content.parts, into.texts, bad);
    });
    if (!good) return false;
    content.role = role_of(role, content, into);
    const bool results_only =
        !content.parts.empty() && std::ranges::all_of(content.parts, is<tool_result_part>);
    if (results_only && content.role == turn_role::user) content.role = turn_role::tool;
    into.turns.push_back(std::move(content));
    return true;
  });
}

}  // namespace tidegate::protocol::gemini
