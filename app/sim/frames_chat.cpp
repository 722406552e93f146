#include <fmt/format.h>

#include "app/sim/frames.hpp"

namespace tidegate::sim {
namespace {

using json = nlohmann::ordered_json;

std::string chat_id() {
  return fmt::format("chatcmpl-{}", id_marker);
}

json chat_usage(const answer& what) {
  const auto output = output_tokens(what);
  return json{{"prompt_tokens", what.usage.input},
              {"completion_tokens", output},
              {"total_tokens", what.usage.input + output},
              {"prompt_tokens_details", {{"cached_tokens", what.usage.cached}}},
              {"completion_tokens_details", {{"reasoning_tokens", what.usage.reasoning}}}};
}

std::string chat_finish(const answer& what) {
  return what.finish == "stop" && !what.tool_calls.empty() ? "tool_calls" : what.finish;
}

json call_of(const tool_call& call, std::size_t index) {
  return json{{"id", fmt::format("call_{}_{}", id_marker, index)},
              {"type", "function"},
              {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

class chunks {
 public:
  explicit chunks(const request_facts& facts) : facts_(facts) {}

  std::string delta(json change, const json& finish = nullptr) const {
    json choice{{"index", 0}, {"delta", std::move(change)}, {"finish_reason", finish}};
    return frame(json::array({std::move(choice)}), nullptr);
  }

  std::string usage(const json& counts) const { return frame(json::array(), counts); }

 private:
  std::string frame(json choices, const json& counts) const {
    json chunk{{"id", chat_id()},
               {"object", "chat.completion.chunk"},
               {"created", facts_.created},
               {"model", facts_.model},
               {"choices", std::move(choices)}};
    if (facts_.stream_usage) chunk["usage"] = counts;
    return sse_frame("", chunk);
  }

  const request_facts& facts_;
};

}  // namespace

std::string chat_body(const answer& what, const request_facts& facts) {
  json message{{"role", "assistant"},
               {"content", what.text.empty() ? json{} : json(what.text)},
               {"refusal", nullptr}};
  if (!what.reasoning.empty()) message["reasoning_content"] = what.reasoning;
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i)
    message["tool_calls"].push_back(call_of(what.tool_calls[i], i));
  json choice{{"index", 0},
              {"message", std::move(message)},
              {"logprobs", nullptr},
              {"finish_reason", chat_finish(what)}};
  return json_text(json{{"id", chat_id()},
                        {"object", "chat.completion"},
                        {"created", facts.created},
                        {"model", facts.model},
                        {"choices", json::array({std::move(choice)})},
                        {"usage", chat_usage(what)}});
}

stream_frames chat_stream(const answer& what, const request_facts& facts) {
  const chunks make{facts};
  stream_frames out;
  out.opening.push_back(make.delta(json{{"role", "assistant"}, {"content", ""}}));
  if (!what.reasoning.empty())
    out.opening.push_back(make.delta(json{{"reasoning_content", what.reasoning}}));
  for (const auto& part : split_text(what.text, what.chunks))
    out.content.push_back(make.delta(json{{"content", part}}));
  for (std::size_t i = 0; i < what.tool_calls.size(); ++i) {
    auto call = call_of(what.tool_calls[i], i);
    const std::string arguments = what.tool_calls[i].arguments;
    call["function"]["arguments"] = "";
    json first{{"index", i}};
    first.update(call);
    out.closing.push_back(make.delta(json{{"tool_calls", json::array({first})}}));
    for (const auto& part : split_text(arguments, 2)) {
      const json rest{{"index", i}, {"function", {{"arguments", part}}}};
      out.closing.push_back(make.delta(json{{"tool_calls", json::array({rest})}}));
    }
  }
  out.closing.push_back(make.delta(json::object(), chat_finish(what)));
  if (facts.stream_usage) out.closing.push_back(make.usage(chat_usage(what)));
  out.closing.emplace_back("data: [DONE]\n\n");
  return out;
}

}  // namespace tidegate::sim
