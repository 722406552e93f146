#include "protocol/canonical/client_settings.hpp"
#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/messages/block_reader.hpp"
#include "protocol/canonical/messages/messages.hpp"
#include "protocol/canonical/messages/settings_reader.hpp"
#include "protocol/canonical/messages/tool_reader.hpp"
#include "protocol/canonical/messages/turns.hpp"

namespace tidegate::protocol::messages {
namespace {

using json_in::json_type;
using json_in::value;

constexpr std::string_view billing_line = "x-anthropic-billing-header:";
constexpr std::size_t kept_parser_bytes_max = 512 * 1024;

class reader {
 public:
  explicit reader(canonical_request& out) : out_(out), blocks_(out.texts, at_) {}

  bool read(json_in::object root) {
    const auto visit = [this](std::string_view key, value& v) {
      const place::step down(at_, key);
      return member(key, v);
    };
    if (!json_in::each_member(root, visit)) return at_.fail("the body is no valid JSON");
    if (!messages_seen_) return at_.fail("messages", "is missing");
    name_server_choice();
    if (blocks_.has_document_notes()) note_setting(out_, setting::document_notes);
    return true;
  }
  const std::string& detail() const { return at_.detail(); }

 private:
  bool member(std::string_view key, value& v) {
    if (key == "messages") return messages(v);
    if (key == "system") return system(v);
    if (key == "tools") return read_tools(v, at_, out_.tools);
    if (key == "tool_choice") return read_choice(v, at_, out_.choice, out_.parallel_tool_calls);
    if (key == "model") return text(v, out_.model);
    return read_setting(key, v, at_, out_);
  }

  bool text(value& v, raw_text& into) {
    if (const auto found = json_in::text(v)) {
      into = *found;
      return true;
    }
    return at_.fail("must be a string");
  }

  bool system(value& v) {
    out_.system.clear();
    if (is_null(v)) return true;
    std::vector<part> parts;
    if (!blocks_.content(v, parts)) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto* const words = std::get_if<text_part>(&parts[i]);
      if (words == nullptr) {
        const place::step down(at_, i);
        return at_.fail("must be a text block");
      }
      if (words->text.escaped.starts_with(billing_line)) continue;
      out_.system.push_back({words->text, system_origin::system, words->cache});
    }
    return true;
  }

  bool messages(value& v) {
    messages_seen_ = true;
    out_.turns.clear();
    json_in::array list;
    if (json_in::type_of(v) != json_type::array || v.get_array().get(list)) {
      return at_.fail("must be a list");
    }
    const auto visit = [this](value& one, std::size_t position) {
      const place::step down(at_, position);
      return message(one);
    };
    return json_in::each_element(list, visit) || at_.fail("is no valid JSON");
  }

  bool message(value& v) {
    raw_text role;
    bool has_content = false;
    std::vector<part> parts;
    const bool read = members_of(v, at_, [&](std::string_view key, value& member) {
      if (key == "role") return take_text(member, key, at_, role);
      if (key != "content") return true;
      has_content = true;
      const place::step down(at_, key);
      return blocks_.content(member, parts);
    });
    if (!read) return false;
    if (!has_content) return at_.fail("content", "is missing");
    return add_turns(role.escaped, std::move(parts), out_.turns) ||
           at_.fail("role", "must be user, assistant or system");
  }

  /// tool_choice may stand before the tools that tell whether it names a typed one.
  void name_server_choice() {
    if (out_.choice.mode != choice_mode::specific) return;
    for (const tool& one : out_.tools) {
      if (one.name == out_.choice.names.front()) out_.choice.kind = one.kind;
    }
  }

  canonical_request& out_;
  place at_;
  block_reader blocks_;
  bool messages_seen_ = false;
};

result<void> read_padded(const char* text, std::size_t size, std::size_t capacity,
                         canonical_request& out) {
  thread_local simdjson::ondemand::parser kept;
  simdjson::ondemand::parser own;
  auto& parser = size <= kept_parser_bytes_max ? kept : own;
  simdjson::ondemand::document document;
  json_in::object root;
  if (parser.iterate(text, size, capacity).get(document) || document.get_object().get(root)) {
    return failed(errc::invalid_input, "the body is no JSON object");
  }
  reader walk(out);
  if (!walk.read(root)) return failed(errc::invalid_input, walk.detail());
  return {};
}

}  // namespace

result<canonical_request> decode_request(const std::string& body, std::string_view model) {
  canonical_request out;
  out.source = wire::anthropic_messages;
  std::string_view text = body;
  std::size_t capacity = body.capacity();
  if (capacity < body.size() + simdjson::SIMDJSON_PADDING) {
    std::string copy;
    copy.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    capacity = copy.capacity();
    text = out.texts.keep(std::move(copy.append(body)));
  }
  const auto read = read_padded(text.data(), text.size(), capacity, out);
  if (!read) return std::unexpected<error>{read.error()};
  if (out.model.empty()) out.model = out.texts.keep_plain(model);
  return out;
}

}  // namespace tidegate::protocol::messages
