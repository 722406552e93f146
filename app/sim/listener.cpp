#include "app/sim/listener.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

bool is_base64(std::string_view data) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (data.empty() || data.size() % 4 != 0) return false;
  const auto padding = data.substr(std::min(data.find_first_not_of(digits), data.size()));
  return padding.empty() || padding == "=" || padding == "==";
}

std::size_t decoded_bytes(std::string_view data) {
  return data.size() / 4 * 3 - static_cast<std::size_t>(std::ranges::count(data, '='));
}

/// What a model reads of a result that came wrapped in an object of one member.
std::string unwrapped(const std::string& text) {
  const auto value = json::parse(text, nullptr, false);
  if (!value.is_object() || value.size() != 1) return text;
  const auto& key = value.begin().key();
  if (key != "result" && key != "output") return text;
  return value.front().is_string() ? value.front().get<std::string>() : value.front().dump();
}

void join(std::string& to, const std::string& text) {
  if (!to.empty() && !text.empty()) to += '\n';
  to += text;
}

}  // namespace

const json& member_in(const json& object, std::string_view key) {
  static const json absent;
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

std::string text_in(const json& object, std::string_view key) {
  const auto& value = member_in(object, key);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

void listener::object(std::string what) {
  if (!objection_) objection_ = std::move(what);
}

heard listener::done() {
  if (objection_) return failed(errc::invalid_input, *objection_);
  return std::move(out);
}

void listener::system(const std::string& text) { join(out.system, text); }

void listener::begin_order() {
  out.order.clear();
  out.media.clear();
  out.results.clear();
  out.rounds = 0;
}

void listener::order(const std::string& text) { join(out.order, text); }

void listener::call(const std::string& id, const std::string& name) {
  waiting_.push_back({id, name});
}

bool listener::result(const std::string& id, const std::string& text) {
  return take(std::ranges::find(waiting_, id, &waiting_call::id), text);
}

bool listener::result_of(const std::string& name, const std::string& text) {
  return take(std::ranges::find(waiting_, name, &waiting_call::name), text);
}

bool listener::take(std::deque<waiting_call>::iterator found, const std::string& text) {
  if (found == waiting_.end()) return false;
  out.results.push_back({found->name, unwrapped(text)});
  waiting_.erase(found);
  return true;
}

void listener::base64(const std::string& mime, const std::string& data) {
  if (!is_base64(data)) return object(fmt::format("the data of {} is not valid base64", mime));
  out.media.push_back(fmt::format("{} {} bytes", mime, decoded_bytes(data)));
}

void listener::url(const std::string& url) {
  constexpr std::string_view scheme = "data:";
  constexpr std::string_view coding = ";base64,";
  const auto comma = url.find(coding);
  if (!url.starts_with(scheme)) {
    out.media.push_back("url " + url);
  } else if (comma == url.npos) {
    object("expected a base64-encoded data URL");
  } else {
    base64(url.substr(scheme.size(), comma - scheme.size()), url.substr(comma + coding.size()));
  }
}

void listener::tool(const std::string& name, std::size_t name_chars_max) {
  constexpr std::string_view legal =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (name.empty() || name.size() > name_chars_max || name.find_first_not_of(legal) != name.npos)
    object(fmt::format("tool name '{}' does not match the expected pattern", name));
  if (!names_.insert(name).second) object(fmt::format("tool names must be unique: {}", name));
  out.tools.push_back(name);
}

void listener::closed_schema(const json& schema, bool all_required) {
  if (!schema.is_object()) return;
  const auto& properties = member_in(schema, "properties");
  if (text_in(schema, "type") == "object") {
    if (member_in(schema, "additionalProperties") != false)
      object("invalid schema: 'additionalProperties' is required to be false");
    if (all_required && properties.is_object() &&
        member_in(schema, "required").size() != properties.size())
      object("invalid schema: 'required' must name every property");
  }
  for (const auto& property : properties) closed_schema(property, all_required);
  closed_schema(member_in(schema, "items"), all_required);
  for (const auto& branch : member_in(schema, "anyOf")) closed_schema(branch, all_required);
}

}  // namespace tidegate::sim
