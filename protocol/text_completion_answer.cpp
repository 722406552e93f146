#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/bounded_json.hpp"
#include "protocol/sse.hpp"
#include "protocol/text_completion.hpp"

namespace tidegate::protocol {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Of one frame or one whole answer; beyond it they go out as they came.
constexpr json_bounds bounds{64 * 1024 * 1024, 64};

template <class Json>
const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

template <class Json>
std::string text_at(const Json& object, const char* key) {
  const auto* const found = member(object, key);
  return found != nullptr && found->is_string() ? found->template get<std::string>()
                                                : std::string{};
}

/// A message or delta: its content, be it a text or a list of parts, or its refusal.
std::string text_of(const json& message) {
  std::string text = text_at(message, "content") + text_at(message, "refusal");
  const auto* const parts = member(message, "content");
  if (parts == nullptr || !parts->is_array()) return text;
  for (const auto& part : *parts) text += text_at(part, "text");
  return text;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

class text_completion final : public answer_shape {
 public:
  explicit text_completion(std::string echo) : echo_(std::move(echo)) {}

  void whole(std::string& body) override {
    if (auto made = completion_of(body, "message")) body = dumped(*made);
  }

  void frames(std::string_view sse, std::string& into) override {
    if (!split_.feed(sse)) return;
    sse_frame frame;
    while (split_.next(frame)) {
      const auto made = completion_of(frame.data, "delta");
      if (!made) {
        into.append(frame.raw);
      } else if (says_something(*made)) {
        into.append("data: ").append(dumped(*made)).append("\n\n");
      }
    }
  }

  void end(std::string&) override {}
  bool is_event_stream() const override { return true; }

 private:
  struct choice_state {
    std::size_t offset = 0;  ///< characters so far
    bool begun = false;
  };

  /// nullopt: no Chat answer, as an error is none.
  std::optional<ordered_json> completion_of(std::string_view text, const char* content) {
    const auto chat = parse_bounded_json(text, bounds).value_or(json{});
    const auto* const choices = member(chat, "choices");
    if (choices == nullptr || !choices->is_array()) return std::nullopt;
    ordered_json out{{"id", text_at(chat, "id")}, {"object", "text_completion"}};
    for (const char* key : {"created", "model", "system_fingerprint"}) {
      if (const auto* const found = member(chat, key)) out[key] = *found;
    }
    auto& made = out["choices"] = ordered_json::array();
    for (const auto& one : *choices) {
      if (one.is_object()) made.push_back(choice_of(one, content));
    }
    if (const auto* const usage = member(chat, "usage")) out["usage"] = *usage;
    return out;
  }

  ordered_json choice_of(const json& from, const char* content) {
    const auto* const index = member(from, "index");
    const auto nth = index != nullptr && index->is_number_integer() ? index->get<int>() : 0;
    auto& state = choices_[nth];
    const auto* const message = member(from, content);
    std::string text = message == nullptr ? std::string{} : text_of(*message);
    if (!state.begun && !echo_.empty() && (!text.empty() || from.contains("message"))) {
      state.begun = true;
      state.offset = characters(echo_);
      text = echo_ + text;
    }
    ordered_json out{{"index", nth}, {"text", text}};
    out["logprobs"] = logprobs_of(from, state);
    const auto reason = text_at(from, "finish_reason");
    out["finish_reason"] = reason.empty() ? ordered_json() : ordered_json(reason);
    return out;
  }

  static ordered_json logprobs_of(const json& from, choice_state& state) {
    const auto* const probabilities = member(from, "logprobs");
    const auto* const tokens =
        probabilities == nullptr ? nullptr : member(*probabilities, "content");
    if (tokens == nullptr || !tokens->is_array()) return {};
    ordered_json out{{"tokens", ordered_json::array()},
                     {"token_logprobs", ordered_json::array()},
                     {"top_logprobs", ordered_json::array()},
                     {"text_offset", ordered_json::array()}};
    for (const auto& one : *tokens) {
      const auto token = text_at(one, "token");
      const auto* const logprob = member(one, "logprob");
      out["tokens"].push_back(token);
      out["token_logprobs"].push_back(logprob == nullptr ? ordered_json() : ordered_json(*logprob));
      out["top_logprobs"].push_back(alternatives_of(one));
      out["text_offset"].push_back(state.offset);
      state.offset += characters(token);
    }
    return out;
  }

  static ordered_json alternatives_of(const json& token) {
    ordered_json out = ordered_json::object();
    const auto* const list = member(token, "top_logprobs");
    if (list == nullptr || !list->is_array()) return out;
    for (const auto& one : *list) {
      if (const auto* const logprob = member(one, "logprob")) out[text_at(one, "token")] = *logprob;
    }
    return out;
  }

  static bool says_something(const ordered_json& completion) {
    if (completion.contains("usage")) return true;
    for (const auto& one : completion["choices"]) {
      if (!text_at(one, "text").empty() || member(one, "finish_reason") != nullptr) return true;
    }
    return false;
  }

  std::string echo_;
  /// Frames were bounded when they were read.
  sse_splitter split_{std::numeric_limits<std::size_t>::max()};
  std::map<int, choice_state> choices_;
};

}  // namespace

std::unique_ptr<answer_shape> make_text_completion(std::string echo) {
  return std::make_unique<text_completion>(std::move(echo));
}

}  // namespace tidegate::protocol
