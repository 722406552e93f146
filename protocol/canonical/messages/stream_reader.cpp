#include "protocol/canonical/gemini/json_scan.hpp"
#include "protocol/canonical/json_in.hpp"
#include "protocol/canonical/messages/answer_reader.hpp"
#include "protocol/canonical/messages/answer_words.hpp"
#include "protocol/canonical/messages/messages.hpp"

namespace tidegate::protocol::messages {
namespace {

using json_in::object;
using json_in::value;

constexpr int bad_gateway = 502;

/// The object member of that name; the object around it is used up.
bool inner(object& of, std::string_view name, object& out) {
  value v;
  return !of.find_field_unordered(name).get(v) &&
         json_in::type_of(v) == json_in::json_type::object && !v.get_object().get(out);
}

std::optional<std::int64_t> index_of(object& of) {
  value v;
  std::optional<std::int64_t> found;
  if (!of.find_field_unordered("index").get(v)) found = json_in::integer(v);
  bool ignored = false;
  if (of.reset().get(ignored)) return std::nullopt;
  return found;
}

class decoder final : public stream_decoder {
 public:
  explicit decoder(tool_names names) : answer_(std::move(names)) {}

  void feed(const sse_frame& frame, std::vector<event>& into) override {
    if (done_ || frame.data.empty()) return;
    // simdjson must not be asked again after it met broken text, which may stand anywhere.
    if (!gemini::is_json_object(frame.data)) {
      return fail(into, "the provider sent an event that is no JSON object");
    }
    copy_.reserve(frame.data.size() + simdjson::SIMDJSON_PADDING);
    copy_.assign(frame.data);
    simdjson::ondemand::document document;
    object root;
    if (parser_.iterate(copy_.data(), copy_.size(), copy_.capacity()).get(document) ||
        document.get_object().get(root)) {
      return fail(into, "the provider sent an event that is no JSON object");
    }
    const auto type = json_in::kind_of(root);
    if (!take(type.empty() ? frame.event : type, root, into)) {
      fail(into, "the provider sent an event out of place or broken");
    }
  }

  void finish(std::vector<event>& into) override {
    if (done_) return;
    if (!answer_.has_stop()) return fail(into, "the provider's stream ended too early");
    done_ = true;
    answer_.finish(into);
  }

 private:
  bool take(std::string_view type, object& root, std::vector<event>& into) {
    if (type == "error") return failed(root, into);
    if (type == "message_start") {
      object message;
      return inner(root, "message", message) && answer_.start(message, into);
    }
    if (type.starts_with("content_block_")) return block(type, root, into);
    if (type == "message_delta") return message_delta(root, into);
    if (type != "message_stop") return true;
    if (!answer_.started()) return false;
    done_ = true;
    answer_.finish(into);
    return true;
  }

  bool block(std::string_view type, object& root, std::vector<event>& into) {
    const auto index = index_of(root);
    if (!index) return false;
    object what;
    if (type == "content_block_start") {
      return inner(root, "content_block", what) && answer_.open(*index, what, into);
    }
    if (type == "content_block_delta") {
      return inner(root, "delta", what) && answer_.add(*index, what, into);
    }
    return type != "content_block_stop" || answer_.close(*index, into);
  }

  bool message_delta(object& root, std::vector<event>& into) {
    if (!answer_.started()) return false;
    return json_in::each_member(root, [&](std::string_view key, value& v) {
      object what;
      const bool wanted = key == "delta" || key == "usage";
      if (!wanted || json_in::type_of(v) != json_in::json_type::object) return true;
      if (v.get_object().get(what)) return false;
      return key == "delta" ? answer_.stop(what) : answer_.count(what, into);
    });
  }

  bool failed(object& root, std::vector<event>& into) {
    failed_event made;
    object what;
    if (inner(root, "error", what)) {
      (void)json_in::each_member(what, [&made](std::string_view key, value& v) {
        const auto text = json_in::text(v);
        if (text && key == "type") made.type = plain(*text);
        if (text && key == "message") made.message = plain(*text);
        return true;
      });
    }
    made.status = status_of_error(made.type);
    if (made.message.empty()) made.message = "the provider failed";
    done_ = true;
    into.emplace_back(std::move(made));
    return true;
  }

  void fail(std::vector<event>& into, std::string_view message) {
    done_ = true;
    into.emplace_back(failed_event{bad_gateway, "api_error", {}, std::string{message}});
  }

  answer_reader answer_;
  simdjson::ondemand::parser parser_;
  std::string copy_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<stream_decoder> make_decoder(tool_names names) {
  return std::make_unique<decoder>(std::move(names));
}

result<std::vector<event>> decode_answer(const std::string& body, const tool_names& names) {
  const auto none = [] { return tidegate::failed(errc::invalid_input, "no Messages answer"); };
  std::string copy;
  copy.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  copy.append(body);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  object root;
  if (parser.iterate(copy.data(), copy.size(), copy.capacity()).get(document) ||
      document.get_object().get(root) || json_in::kind_of(root) != "message") {
    return none();
  }
  answer_reader answer(names);
  std::vector<event> out;
  bool ignored = false;
  if (!answer.start(root, out) || root.reset().get(ignored) || !answer.stop(root)) return none();
  value content;
  json_in::array blocks;
  if (root.reset().get(ignored) || root.find_field_unordered("content").get(content) ||
      content.get_array().get(blocks)) {
    return none();
  }
  const bool walked = json_in::each_element(blocks, [&](value& one, std::size_t position) {
    object block;
    const auto number = static_cast<std::int64_t>(position);
    return !one.get_object().get(block) && answer.open(number, block, out) &&
           answer.close(number, out);
  });
  if (!walked) return none();
  answer.finish(out);
  return out;
}

}  // namespace tidegate::protocol::messages
