#include <array>

#include "protocol/canonical/chat/media_url.hpp"
#include "protocol/canonical/chat/reading.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::json_type;
using json_in::object;
using json_in::value;

/// A text or a refusal: the part's only content is the string member `name`.
template <class Part>
bool read_string_part(reading& to, object& of, std::string_view name, Part& into) {
  bool seen = false;
  const bool good = json_in::each_member(of, [&](std::string_view key, value& v) {
    if (key == name) {
      seen = true;
      return take_text(v, into.text, to.wrong) || to.wrong.under(key);
    }
    if constexpr (std::is_same_v<Part, text_part>) {
      if (key == "cache_control") take_cache(v, into.cache);
    }
    return true;
  });
  if (good && !seen) return to.wrong.set("missing") || to.wrong.under(name);
  return good;
}

bool take_media_member(reading& to, media_part& into, std::string_view key, value& v) {
  raw_text text;
  if (key == "url" || key == "file_url" || key == "file_data" || key == "data") {
    if (!take_text(v, text, to.wrong)) return to.wrong.under(key);
    if (!text.empty()) into.source = source_of(key, text, to.out.texts);
    return true;
  }
  raw_text* const target = key == "detail"                         ? &into.detail
                           : key == "format"                       ? &into.format
                           : key == "filename"                     ? &into.name
                           : key == "file_id" || key == "image_id" ? &into.source.file_id
                                                                   : nullptr;
  if (target == nullptr) return true;
  return take_text(v, *target, to.wrong) || to.wrong.under(key);
}

bool read_media_body(reading& to, media_part& into, std::string_view name, value& v) {
  if (json_in::type_of(v) == json_type::string) return take_media_member(to, into, "url", v);
  return members_of(v, to.wrong,
                    [&](std::string_view key, value& inner) {
                      return take_media_member(to, into, key, inner);
                    }) ||
         to.wrong.under(name);
}

bool read_media(reading& to, object& of, std::string_view name, media_part& into) {
  const bool good = json_in::each_member(of, [&](std::string_view key, value& v) {
    if (key == name) return read_media_body(to, into, name, v);
    if (key == "cache_control") take_cache(v, into.cache);
    return true;
  });
  if (!good) return false;
  if (into.kind == media_kind::audio && into.source.mime.empty() && !into.format.empty()) {
    into.source.mime = audio_mime(into.format, to.out.texts);
  }
  const media_source& from = into.source;
  if (from.base64.empty() && from.url.empty() && from.file_id.empty()) {
    return to.wrong.set("no data, URL or id") || to.wrong.under(name);
  }
  return true;
}

struct media_name {
  std::string_view type;
  media_kind kind;
};
constexpr std::array<media_name, 4> media_names{{{"image_url", media_kind::image},
                                                 {"file", media_kind::file},
                                                 {"input_audio", media_kind::audio},
                                                 {"video_url", media_kind::video}}};

bool read_part(reading& to, object& of, std::vector<part>& into) {
  std::string_view type;
  if (!find_kind(of, type)) return false;
  if (type == "text" || type == "input_text" || type == "output_text") {
    return read_string_part(to, of, "text", std::get<text_part>(into.emplace_back(text_part{})));
  }
  for (const media_name& known : media_names) {
    if (type != known.type) continue;
    media_part media;
    media.kind = known.kind;
    if (!read_media(to, of, type, media)) return false;
    into.emplace_back(std::move(media));
    return true;
  }
  if (type == "refusal") {
    return read_string_part(to, of, type,
                            std::get<refusal_part>(into.emplace_back(refusal_part{})));
  }
  if (type.empty()) return to.wrong.set("not a string") || to.wrong.under("type");
  const std::string_view json = raw_of(of);
  into.emplace_back(unknown_part{type, json});
  return !json.empty();
}

bool read_citation(reading& to, value& v, citation& into) {
  return members_of(v, to.wrong, [&](std::string_view key, value& inner) {
    if (key == "url") return take_text(inner, into.url, to.wrong);
    if (key == "title") return take_text(inner, into.title, to.wrong);
    if (key == "start_index") into.begin = json_in::integer(inner);
    if (key == "end_index") into.end = json_in::integer(inner);
    return true;
  });
}

}  // namespace

bool read_parts(reading& to, json_in::array& list, std::vector<part>& into) {
  return json_in::each_element(list, [&](value& v, std::size_t position) {
    object inner;
    if (json_in::type_of(v) != json_type::object || v.get_object().get(inner)) {
      return to.wrong.set("not an object") || to.wrong.under(position);
    }
    return read_part(to, inner, into) || to.wrong.under(position);
  });
}

bool read_content(reading& to, value& v, std::vector<part>& into) {
  if (const auto text = json_in::text(v)) {
    into.emplace_back(text_part{.text = *text, .citations = {}, .cache = {}, .signature = {}});
    return true;
  }
  json_in::array list;
  if (json_in::type_of(v) == json_type::array && !v.get_array().get(list)) {
    return read_parts(to, list, into);
  }
  return is_null(v) || to.wrong.set("not a string or an array of parts");
}

bool read_annotations(reading& to, value& v, std::vector<citation>& into) {
  json_in::array list;
  if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) return true;
  return json_in::each_element(list, [&](value& element, std::size_t position) {
    object inner;
    if (json_in::type_of(element) != json_type::object || element.get_object().get(inner))
      return true;
    citation found;
    const bool good = json_in::each_member(inner, [&](std::string_view key, value& body) {
      return key != "url_citation" || read_citation(to, body, found) || to.wrong.under(key);
    });
    if (!found.url.empty()) into.push_back(found);
    return good || to.wrong.under(position);
  });
}

}  // namespace tidegate::protocol::chat
