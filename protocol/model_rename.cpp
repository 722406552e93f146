#include "protocol/model_rename.hpp"

#include <cstring>

#include "protocol/json_object.hpp"
#include "protocol/splice.hpp"

namespace tidegate::protocol {
namespace {

/// Asked for every frame: most of them name no model.
bool names(std::string_view text, std::string_view member) {
  return text.size() > member.size() &&
         memmem(text.data(), text.size(), member.data(), member.size()) != nullptr;
}

std::string_view member_value(std::string_view object, std::string_view key) {
  const auto layout = read_object(object, object.size());
  if (!layout) return {};
  return find_value(object, *layout, key).value_or(std::string_view{});
}

/// The member that holds the answer in an event, where there is one.
std::string_view holder_of(wire form) {
  switch (form) {
    case wire::openai_responses:
      return "response";
    case wire::anthropic_messages:
      return "message";
    case wire::openai_chat:
    case wire::gemini:
      break;
  }
  return {};
}

bool lies_within(std::string_view inner, std::string_view outer) {
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

}  // namespace

model_rename::model_rename(wire form, std::string_view name)
    : form_(form),
      member_(form == wire::gemini ? "modelVersion" : "model"),
      quoted_(json_quote(name)) {}

std::string_view model_rename::token_in(std::string_view object) const {
  const auto value = member_value(object, member_);
  return value.starts_with('"') && value != quoted_ ? value : std::string_view{};
}

std::string_view model_rename::token_in_event(std::string_view data) const {
  if (!names(data, member_)) return {};
  const auto holder = holder_of(form_);
  if (holder.empty()) return token_in(data);
  const auto answer = member_value(data, holder);
  return answer.starts_with('{') ? token_in(answer) : std::string_view{};
}

void model_rename::whole(std::string& body) const {
  const auto token = token_in(body);
  if (token.empty()) return;
  body.replace(static_cast<std::size_t>(token.data() - body.data()), token.size(), quoted_);
}

void model_rename::frame(const sse_frame& in, std::string& into) const {
  const auto token = token_in_event(in.data);
  if (token.empty()) {
    into.append(in.raw);
    return;
  }
  if (lies_within(token, in.raw)) {
    const auto at = static_cast<std::size_t>(token.data() - in.raw.data());
    into.append(in.raw.substr(0, at)).append(quoted_).append(in.raw.substr(at + token.size()));
    return;
  }
  // The data stood on several lines; it is one value, so its line ends were blanks.
  if (!in.event.empty()) into.append("event: ").append(in.event).append("\n");
  const auto at = static_cast<std::size_t>(token.data() - in.data.data());
  std::string data{in.data.substr(0, at)};
  data.append(quoted_).append(in.data.substr(at + token.size()));
  for (char& c : data) {
    if (c == '\n') c = ' ';
  }
  into.append("data: ").append(data).append("\n\n");
}

}  // namespace tidegate::protocol
