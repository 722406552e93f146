#include "protocol/canonical/chat/chunk.hpp"

#include "protocol/canonical/json_in.hpp"

namespace tidegate::protocol::chat {
namespace {

using json_in::json_type;
using json_in::value;

constexpr std::int64_t count_max = std::int64_t{1} << 53;

/// Calls `visit` for the members of an object; anything else has none.
template <class Visit>
bool members(value& v, Visit visit) {
  json_in::object inner;
  if (json_in::type_of(v) != json_type::object) return true;
  return !v.get_object().get(inner) && json_in::each_member(inner, visit);
}

template <class Visit>
bool elements(value& v, Visit visit) {
  json_in::array inner;
  if (json_in::type_of(v) != json_type::array) return true;
  return !v.get_array().get(inner) && json_in::each_element(inner, visit);
}

raw_text text_or_none(value& v) {
  return json_in::text(v).value_or(raw_text{});
}

void take_count(value& v, std::optional<std::int64_t>& into) {
  const auto count = json_in::integer(v);
  if (count && *count >= 0 && *count <= count_max) into = count;
}

bool read_called(value& v, call_fragment& into) {
  return members(v, [&](std::string_view key, value& inner) {
    if (key == "name") into.name = text_or_none(inner);
    if (key != "input" && key != "arguments") return true;
    into.arguments = text_or_none(inner);
    if (json_in::type_of(inner) != json_type::object) return true;
    into.object = json_in::raw(inner);
    return !into.object.empty();
  });
}

bool read_extra_content(value& v, call_fragment& into) {
  return members(v, [&](std::string_view vendor, value& extra) {
    if (vendor != "google") return true;
    return members(extra, [&](std::string_view key, value& inner) {
      if (key == "thought_signature") into.signature = text_or_none(inner);
      return true;
    });
  });
}

bool read_calls(value& v, chunk& into) {
  return elements(v, [&](value& element, std::size_t position) {
    call_fragment call;
    const bool good = members(element, [&](std::string_view key, value& inner) {
      if (key == "index") call.index = json_in::integer(inner).value_or(-1);
      if (key == "id") call.id = text_or_none(inner);
      if (key == "custom") call.custom = true;
      if (key == "function" || key == "custom") return read_called(inner, call);
      return key != "extra_content" || read_extra_content(inner, call);
    });
    if (call.index < 0 && into.is_whole) call.index = static_cast<std::int64_t>(position);
    into.calls.push_back(call);
    return good;
  });
}

/// The only call that there could be before there were tool_calls.
bool read_legacy_call(value& v, chunk& into) {
  if (json_in::type_of(v) != json_type::object) return true;
  call_fragment call;
  call.index = 0;
  const bool good = read_called(v, call);
  into.calls.push_back(call);
  return good;
}

bool read_content(value& v, chunk& into) {
  if (const auto text = json_in::text(v)) {
    if (!text->empty()) into.content.push_back(*text);
    return true;
  }
  const auto type = json_in::type_of(v);
  if (type != json_type::null && type != json_type::array) return false;
  return elements(v, [&](value& element, std::size_t) {
    return members(element, [&](std::string_view key, value& inner) {
      if (key != "text") return true;
      if (const auto text = text_or_none(inner); !text.empty()) into.content.push_back(text);
      return true;
    });
  });
}

bool read_images(value& v, chunk& into) {
  return elements(v, [&](value& element, std::size_t) {
    return members(element, [&](std::string_view key, value& inner) {
      if (key != "image_url") return true;
      return members(inner, [&](std::string_view name, value& url) {
        if (name == "url") into.images.push_back(text_or_none(url));
        return true;
      });
    });
  });
}

bool read_annotations(value& v, chunk& into) {
  return elements(v, [&](value& element, std::size_t) {
    chunk_citation found;
    const bool good = members(element, [&](std::string_view key, value& inner) {
      if (key != "url_citation") return true;
      return members(inner, [&](std::string_view name, value& member) {
        if (name == "url") found.url = text_or_none(member);
        if (name == "title") found.title = text_or_none(member);
        if (name == "start_index") take_count(member, found.begin);
        if (name == "end_index") take_count(member, found.end);
        return true;
      });
    });
    if (!found.url.empty()) into.citations.push_back(found);
    return good;
  });
}

bool read_delta(value& v, chunk& into) {
  return members(v, [&](std::string_view key, value& inner) {
    if (key == "content") return read_content(inner, into);
    if (key == "reasoning_content") into.reasoning_content = text_or_none(inner);
    if (key == "reasoning") into.reasoning = text_or_none(inner);
    if (key == "refusal") into.refusal = text_or_none(inner);
    if (key == "tool_calls") return read_calls(inner, into);
    if (key == "function_call") return read_legacy_call(inner, into);
    if (key == "images") return read_images(inner, into);
    return key != "annotations" || read_annotations(inner, into);
  });
}

bool read_usage(value& v, chunk& into) {
  if (json_in::type_of(v) != json_type::object) return true;
  into.has_usage = true;
  usage& counts = into.counts;
  std::optional<std::int64_t> total;
  const bool good = members(v, [&](std::string_view key, value& inner) {
    if (key == "prompt_tokens") take_count(inner, counts.input_total);
    if (key == "completion_tokens") take_count(inner, counts.output_total);
    if (key == "total_tokens") take_count(inner, total);
    if (key == "prompt_cache_hit_tokens" || key == "cached_tokens") {
      take_count(inner, counts.cache_read);
    }
    if (key == "prompt_tokens_details") {
      return members(inner, [&](std::string_view name, value& count) {
        if (name == "cached_tokens") take_count(count, counts.cache_read);
        if (name == "cached_creation_tokens") take_count(count, counts.cache_write);
        return true;
      });
    }
    if (key != "completion_tokens_details") return true;
    return members(inner, [&](std::string_view name, value& count) {
      if (name == "reasoning_tokens") take_count(count, counts.reasoning);
      return true;
    });
  });
  // xAI counts reasoning beside the completion; the sum tells.
  if (total && counts.input_total && counts.output_total && counts.reasoning.value_or(0) > 0 &&
      *counts.input_total + *counts.output_total + *counts.reasoning == *total) {
    *counts.output_total += *counts.reasoning;
  }
  return good;
}

/// nullopt: the text is broken.
std::optional<bool> is_first_choice(json_in::object& of) {
  value v;
  const auto error = of.find_field_unordered("index").get(v);
  if (error && error != simdjson::NO_SUCH_FIELD) return std::nullopt;
  const bool first = error || json_in::integer(v).value_or(0) == 0;
  bool ignored = false;
  if (of.reset().get(ignored)) return std::nullopt;
  return first;
}

bool read_logprobs(value& v, chunk& into) {
  return members(v, [&](std::string_view key, value& inner) {
    if (key != "content" || json_in::type_of(inner) != json_type::array) return true;
    into.logprobs = json_in::raw(inner);
    return !into.logprobs.empty();
  });
}

bool read_choice(json_in::object& of, chunk& into) {
  return json_in::each_member(of, [&](std::string_view key, value& v) {
    if (key == "message") into.is_whole = json_in::type_of(v) == json_type::object;
    if (key == "delta" || key == "message") return read_delta(v, into);
    if (key == "finish_reason") into.finish_reason = text_or_none(v);
    if (key == "logprobs") return read_logprobs(v, into);
    return key != "usage" || read_usage(v, into);
  });
}

bool read_choices(value& v, chunk& into) {
  const auto type = json_in::type_of(v);
  into.has_choices = type == json_type::array || type == json_type::null;
  bool taken = false;
  return elements(v, [&](value& element, std::size_t) {
    json_in::object choice;
    if (json_in::type_of(element) != json_type::object) return true;
    if (element.get_object().get(choice)) return false;
    if (taken) return true;
    const auto first = is_first_choice(choice);
    if (!first) return false;
    if (!*first) return true;
    taken = true;
    return read_choice(choice, into);
  });
}

/// `code` may be a number, which is then the status.
bool read_error(value& v, chunk& into) {
  if (json_in::type_of(v) == json_type::null) return true;
  into.is_error = true;
  failed_event& error = into.error;
  if (const auto text = json_in::text(v)) error.message = plain(*text);
  return members(v, [&](std::string_view key, value& inner) {
    if (key == "message") error.message = plain(text_or_none(inner));
    if (key == "type") error.type = plain(text_or_none(inner));
    if (key != "code" && key != "status") return true;
    if (const auto word = json_in::text(inner)) {
      if (key == "code") error.code = plain(*word);
      return true;
    }
    const auto number = json_in::integer(inner).value_or(0);
    if (number >= 400 && number <= 599) error.status = static_cast<int>(number);
    return true;
  });
}

bool read_member(std::string_view key, value& v, chunk& into) {
  if (key == "choices") return read_choices(v, into);
  if (key == "usage") return read_usage(v, into);
  if (key == "id") into.id = text_or_none(v);
  if (key == "type") into.type = text_or_none(v);
  if (key == "model") into.model = text_or_none(v);
  if (key == "created") {
    std::optional<std::int64_t> created;
    take_count(v, created);
    into.created = created.value_or(0);
  }
  return key != "error" || read_error(v, into);
}

/// Empties the chunk and keeps its memory.
void clear(chunk& of) {
  chunk fresh;
  std::swap(fresh.content, of.content);
  std::swap(fresh.calls, of.calls);
  std::swap(fresh.images, of.images);
  std::swap(fresh.citations, of.citations);
  fresh.content.clear();
  fresh.calls.clear();
  fresh.images.clear();
  fresh.citations.clear();
  of = std::move(fresh);
}

}  // namespace

bool chunk_reader::read(std::string_view data) {
  clear(chunk_);
  buffer_.clear();
  buffer_.reserve(data.size() + simdjson::SIMDJSON_PADDING);
  buffer_.append(data);
  const simdjson::padded_string_view text{buffer_.data(), buffer_.size(), buffer_.capacity()};
  simdjson::ondemand::document document;
  json_in::object root;
  if (parser_.iterate(text).get(document) || document.get_object().get(root)) return false;
  return json_in::each_member(
      root, [&](std::string_view key, value& v) { return read_member(key, v, chunk_); });
}

}  // namespace tidegate::protocol::chat
