#include "protocol/canonical/responses/media.hpp"
#include "protocol/canonical/responses/reading.hpp"

namespace tidegate::protocol::responses {
namespace {

using json_in::json_type;

/// The members of all kinds of content parts together.
struct part_fields {
  raw_text text;
  raw_text refusal;
  raw_text url;
  raw_text file_id;
  raw_text file_data;
  raw_text name;
  raw_text detail;
  raw_text audio;
  raw_text format;
  std::string_view cache;
  std::vector<citation> citations;

  cache_mark mark() const { return cache.empty() ? cache_mark{} : cache_mark{cache}; }
};

/// A string, or Chat's object with a `url`.
bool read_url(reading& in, const place& at, json_in::value& v, raw_text& into) {
  if (json_in::type_of(v) != json_type::object) return take(in, at, v, into);
  return members_of(in, at, v, [&](const place& where, std::string_view key, json_in::value& one) {
    return key != "url" || take(in, where, one, into);
  });
}

bool read_audio(reading& in, const place& at, json_in::value& v, part_fields& into) {
  return members_of(in, at, v, [&](const place& where, std::string_view key, json_in::value& one) {
    if (key == "data") return take(in, where, one, into.audio);
    if (key == "format") return take(in, where, one, into.format);
    return true;
  });
}

bool read_citation(reading& in, const place& at, json_in::value& v, part_fields& into) {
  citation found;
  raw_text type;
  const bool read =
      members_of(in, at, v, [&](const place& where, std::string_view key, json_in::value& one) {
        if (key == "type") return take(in, where, one, type);
        if (key == "url") return take(in, where, one, found.url);
        if (key == "title") return take(in, where, one, found.title);
        if (key == "start_index") found.begin = json_in::integer(one);
        if (key == "end_index") found.end = json_in::integer(one);
        return true;
      });
  if (read && type.escaped == "url_citation") into.citations.push_back(found);
  return read;
}

bool read_field(reading& in, const place& at, std::string_view key, json_in::value& v,
                part_fields& into) {
  if (key == "text") return take(in, at, v, into.text);
  if (key == "type") return true;
  if (key == "refusal") return take(in, at, v, into.refusal);
  if (key == "image_url" || key == "file_url") return read_url(in, at, v, into.url);
  if (key == "file_id") return take(in, at, v, into.file_id);
  if (key == "file_data") return take(in, at, v, into.file_data);
  if (key == "filename") return take(in, at, v, into.name);
  if (key == "detail") return take(in, at, v, into.detail);
  if (key == "input_audio") return read_audio(in, at, v, into);
  if (key == "cache_control") return take_object(in, at, v, into.cache);
  if (key == "annotations") {
    return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
      return read_citation(in, where, one, into);
    });
  }
  return true;
}

media_part image_of(reading& in, const part_fields& fields) {
  media_part out;
  out.source = source_of_url(fields.url, in.out.texts);
  if (out.source.base64.empty()) out.source.file_id = fields.file_id;
  out.detail = fields.detail;
  out.cache = fields.mark();
  return out;
}

media_part file_of(reading& in, const part_fields& fields) {
  media_part out;
  out.kind = media_kind::file;
  if (fields.file_data.empty()) {
    out.source.url = fields.url;
    if (fields.url.empty()) out.source.file_id = fields.file_id;
  } else {
    out.source = source_of_file_data(fields.file_data, fields.name, in.out.texts);
  }
  out.name = fields.name;
  out.cache = fields.mark();
  return out;
}

media_part audio_of(const part_fields& fields) {
  media_part out;
  out.kind = media_kind::audio;
  out.source.base64 = fields.audio;
  out.source.mime = {fields.format.escaped == "mp3" ? "audio/mpeg" : "audio/wav"};
  out.format = fields.format;
  out.cache = fields.mark();
  return out;
}

bool is_text(std::string_view type) {
  return type == "input_text" || type == "output_text" || type == "text";
}

bool is_known(std::string_view type) {
  return is_text(type) || type == "input_image" || type == "refusal" || type == "input_file" ||
         type == "input_audio";
}

part part_of(reading& in, std::string_view type, part_fields&& fields) {
  if (is_text(type)) {
    return text_part{fields.text, std::move(fields.citations), fields.mark(), std::nullopt};
  }
  if (type == "input_image") return image_of(in, fields);
  if (type == "input_file") return file_of(in, fields);
  if (type == "input_audio") return audio_of(fields);
  return refusal_part{fields.refusal};
}

bool read_part(reading& in, const place& at, json_in::value& v, std::vector<part>& into) {
  if (const auto bare = json_in::text(v)) {
    into.emplace_back(text_part{*bare, {}, {}, {}});
    return true;
  }
  json_in::object inner;
  if (v.get_object().get(inner)) return in.wrong(at, "expected a content part");
  const auto found = type_member(inner);
  if (!found) return in.unreadable(at);
  const auto type = *found;
  if (type.empty()) return in.wrong(place{at, "type"}, "is missing");
  if (!is_known(type)) {
    std::string_view json;
    if (inner.raw_json().get(json)) return in.unreadable(at);
    into.emplace_back(unknown_part{type, json_in::trimmed(json), true});
    return true;
  }
  part_fields fields;
  const bool whole = json_in::each_member(inner, [&](std::string_view key, json_in::value& one) {
    return read_field(in, place{at, key}, key, one, fields);
  });
  if (!whole) return in.unreadable(at);
  into.push_back(part_of(in, type, std::move(fields)));
  return true;
}

/// False when a result cannot hold one of the parts.
bool move_results(std::vector<part>& parts, std::vector<result_content>& into) {
  for (part& one : parts) {
    if (auto* const text = std::get_if<text_part>(&one)) {
      into.emplace_back(std::move(*text));
    } else if (auto* const media = std::get_if<media_part>(&one)) {
      into.emplace_back(std::move(*media));
    } else {
      return false;
    }
  }
  return true;
}

/// A list of parts, or any other array, which then is the result as JSON.
bool read_output_array(reading& in, const place& at, json_in::value& v, tool_result_part& into) {
  json_in::array inner;
  if (v.get_array().get(inner)) return in.unreadable(at);
  bool ignored = false;
  std::string_view json;
  if (inner.raw_json().get(json) || inner.reset().get(ignored)) return in.unreadable(at);
  std::vector<part> parts;
  const bool whole = json_in::each_element(inner, [&](json_in::value& one, std::size_t index) {
    return json_in::type_of(one) == json_type::object &&
           read_part(in, place{at, index}, one, parts);
  });
  if (in.broken) return false;
  if (whole && move_results(parts, into.content)) return true;
  in.problem.clear();
  into.content.clear();
  into.json = json_in::trimmed(json);
  return true;
}

}  // namespace

bool read_content(reading& in, const place& at, json_in::value& v, std::vector<part>& into) {
  if (const auto whole = json_in::text(v)) {
    into.emplace_back(text_part{*whole, {}, {}, {}});
    return true;
  }
  if (const auto type = json_in::type_of(v); type != json_type::array && type != json_type::null) {
    return in.wrong(at, "expected a string or an array");
  }
  return elements_of(in, at, v, [&](const place& where, json_in::value& one) {
    return read_part(in, where, one, into);
  });
}

bool read_output(reading& in, const place& at, json_in::value& v, tool_result_part& into) {
  if (const auto whole = json_in::text(v)) {
    if (!whole->empty()) into.content.emplace_back(text_part{*whole, {}, {}, {}});
    return true;
  }
  switch (json_in::type_of(v)) {
    case json_type::null:
      return true;
    case json_type::array:
      return read_output_array(in, at, v, into);
    default:
      break;
  }
  into.json = json_in::raw(v);
  return !into.json.empty() || in.unreadable(at);
}

}  // namespace tidegate::protocol::responses
