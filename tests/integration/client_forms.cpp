#include "tests/integration/client_forms.hpp"

#include "protocol/sse.hpp"
#include "tests/support/catch.hpp"

namespace tidegate::test {
namespace {

using nlohmann::json;

std::string path_of(client who, const std::string& model, bool stream) {
  switch (who) {
    case client::responses:
      return "/v1/responses";
    case client::chat:
      return "/v1/chat/completions";
    case client::messages:
      return "/v1/messages";
    case client::gemini:
      break;
  }
  return "/v1beta/models/" + model +
         (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

std::string body_of(client who, const std::string& model, bool stream) {
  if (who == client::gemini) {
    return R"({"contents":[{"role":"user","parts":[{"text":"say it"}]}]})";
  }
  json body{{"model", model}, {"stream", stream}};
  if (who == client::responses) {
    body["input"] = "say it";
  } else {
    body["max_tokens"] = 64;
    body["messages"] = {{{"role", "user"}, {"content", "say it"}}};
  }
  return body.dump();
}

std::string text_of(const json& object, const char* key) {
  REQUIRE(object.is_object());
  REQUIRE(object.contains(key));
  REQUIRE(object[key].is_string());
  CHECK_FALSE(object[key].get<std::string>().empty());
  return object[key];
}

/// `error` of OpenAI's shape.
std::string openai_message(const json& error) {
  CHECK_FALSE(error.contains("status"));
  text_of(error, "type");
  return text_of(error, "message");
}

std::string gemini_message(const json& body) {
  REQUIRE(body.is_object());
  CHECK(body.size() == 1);
  const auto& error = body["error"];
  CHECK(error["code"].is_number_integer());
  text_of(error, "status");
  return text_of(error, "message");
}

std::string messages_message(const json& body) {
  CHECK(text_of(body, "type") == "error");
  const auto type = text_of(body["error"], "type");
  CHECK((type.ends_with("_error") || type == "request_too_large"));
  return text_of(body["error"], "message");
}

std::string responses_event_message(const json& last) {
  if (last["type"] == "response.failed") {
    CHECK(last["response"]["status"] == "failed");
    CHECK(last["sequence_number"].is_number_integer());
    return openai_message(last["response"]["error"]);
  }
  CHECK(last["type"] == "error");
  text_of(last, "code");
  return text_of(last, "message");
}

}  // namespace

std::string to_string(client who) {
  switch (who) {
    case client::responses:
      return "responses";
    case client::chat:
      return "chat";
    case client::messages:
      return "messages";
    case client::gemini:
      break;
  }
  return "gemini";
}

raw_response ask(rig& gateway, client who, const std::string& model, bool stream,
                 const std::string& extra_headers) {
  return gateway.post(path_of(who, model, stream), body_of(who, model, stream), extra_headers);
}

std::string error_message(client who, const raw_response& answer) {
  CHECK(answer.field("content-type") == "application/json");
  const auto body = json::parse(answer.body, nullptr, false);
  REQUIRE(body.is_object());
  switch (who) {
    case client::responses:
    case client::chat:
      CHECK_FALSE(body.contains("type"));
      return openai_message(body["error"]);
    case client::messages:
      return messages_message(body);
    case client::gemini:
      break;
  }
  CHECK(body["error"]["code"] == answer.status);
  return gemini_message(body);
}

std::vector<std::string> data_of(const std::string& stream) {
  protocol::sse_splitter split{stream.size() + 1};
  REQUIRE(split.feed(stream));
  std::vector<std::string> out;
  protocol::sse_frame frame;
  while (split.next(frame)) {
    if (!frame.data.empty()) out.emplace_back(frame.data);
  }
  CHECK(split.rest().empty());
  return out;
}

std::string good_ending(client who) {
  switch (who) {
    case client::responses:
      return "response.completed";
    case client::chat:
      return "[DONE]";
    case client::messages:
      return "message_stop";
    case client::gemini:
      break;
  }
  return "finishReason";
}

std::string stream_error(client who, const std::string& stream) {
  CHECK_THAT(stream, !ContainsSubstring(good_ending(who)));
  const auto events = data_of(stream);
  REQUIRE_FALSE(events.empty());
  const auto last = json::parse(events.back(), nullptr, false);
  REQUIRE(last.is_object());
  switch (who) {
    case client::responses:
      return responses_event_message(last);
    case client::chat:
      return openai_message(last["error"]);
    case client::messages:
      return messages_message(last);
    case client::gemini:
      break;
  }
  return gemini_message(last);
}

}  // namespace tidegate::test
