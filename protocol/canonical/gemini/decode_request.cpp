#include "protocol/canonical/gemini/gemini.hpp"

#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/gemini/call_ids.hpp"
#include "protocol/canonical/gemini/reading.hpp"

namespace tidegate::protocol::gemini {
namespace {

/// Bodies up to this size share one parser per thread.
constexpr std::size_t kept_parser_bytes_max = 512 * 1024;

/// A content object, or a string as some SDKs allow.
bool decode_system(in::value& v, std::string_view key, canonical_request& into, fault& bad) {
  if (const auto text = in::text(v)) {
    into.system.push_back({*text, system_origin::system, {}});
    return true;
  }
  const auto read_part = [&](in::value& element, std::size_t) {
    return read_members(element, "", bad, [&](std::string_view k, in::value& member) {
      raw_text text;
      if (k != "text") return true;
      if (!read_text(member, k, text, bad)) return false;
      if (!text.empty()) into.system.push_back({text, system_origin::system, {}});
      return true;
    });
  };
  return read_members(v, key, bad, [&](std::string_view k, in::value& member) {
    return k != "parts" || read_elements(member, k, bad, read_part);
  });
}

bool decode_tier(in::value& v, std::string_view key, canonical_request& into, fault& bad) {
  if (!read_text(v, key, into.service_tier, bad)) return false;
  if (into.service_tier.escaped == "standard") into.service_tier = {"default"};
  return true;
}

bool decode_member(std::string_view key, in::value& v, canonical_request& into, fault& bad) {
  if (key == "contents") return decode_contents(v, into, bad);
  if (key == "systemInstruction" || key == "system_instruction") {
    return decode_system(v, key, into, bad);
  }
  if (key == "tools") return decode_tools(v, into, bad);
  if (key == "toolConfig" || key == "tool_config") return decode_tool_config(v, into, bad);
  if (key == "generationConfig" || key == "generation_config") {
    return decode_generation_config(v, into, bad);
  }
  if (key == "cachedContent" || key == "cached_content") {
    if (!read_text(v, key, into.cache.key, bad)) return false;
    if (!into.cache.key.empty()) into.kept_elsewhere = key;
    return true;
  }
  if (key == "labels") return read_raw(v, key, in::json_type::object, into.metadata, bad);
  if (key == "serviceTier" || key == "service_tier") return decode_tier(v, key, into, bad);
  if (!is_null(v)) note_member(into, key);
  return true;
}

/// The body with padding behind it.
std::string_view padded(const std::string& body, text_store& texts) {
  if (body.capacity() >= body.size() + simdjson::SIMDJSON_PADDING) return body;
  std::string copy;
  copy.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  copy.append(body);
  return texts.keep(std::move(copy));
}

bool decode(std::string_view body, canonical_request& into, fault& bad) {
  thread_local simdjson::ondemand::parser kept;
  simdjson::ondemand::parser once;
  auto& parser = body.size() > kept_parser_bytes_max ? once : kept;
  simdjson::ondemand::document document;
  in::object object;
  const auto readable = body.size() + simdjson::SIMDJSON_PADDING;
  if (parser.iterate(body.data(), body.size(), readable).get(document) ||
      document.get_object().get(object)) {
    return bad.at("the body", "must be a JSON object");
  }
  const auto visit = [&](std::string_view key, in::value& v) {
    return decode_member(key, v, into, bad);
  };
  if (in::each_member(object, visit)) return true;
  return bad.empty() ? bad.at("the body", "is no valid JSON") : false;
}

}  // namespace

result<canonical_request> decode_request(const std::string& body, std::string_view model) {
  canonical_request out;
  out.source = wire::gemini;
  out.model = out.texts.keep_plain(model);
  fault bad;
  if (!decode(padded(body, out.texts), out, bad)) {
    return failed(errc::invalid_input, bad.text());
  }
  settle_ids(out);
  return out;
}

}  // namespace tidegate::protocol::gemini
