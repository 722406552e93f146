#include "protocol/text_completion.hpp"

#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidegate;
using namespace tidegate::protocol;
using nlohmann::json;

namespace {

result<chat_call> called(const std::string& body) {
  const auto head = read_envelope(body);
  REQUIRE(head);
  return chat_call_of(body, *head);
}

json chat_of(const std::string& body) {
  const auto made = called(body);
  REQUIRE(made);
  return json::parse(made->body);
}

std::string whole(std::string body, std::string echo = {}) {
  make_text_completion(std::move(echo))->whole(body);
  return body;
}

std::string framed(const std::string& sse, std::string echo = {}) {
  const auto shape = make_text_completion(std::move(echo));
  std::string out;
  shape->frames(sse, out);
  shape->end(out);
  return out;
}

}  // namespace

TEST_CASE("a prompt is one user message, kept as it was written") {
  const auto [prompt, content] = GENERATE(table<std::string, std::string>({
      {R"("Once upon \"a\" t\u00efme")", "Once upon \"a\" tïme"},
      {R"(["only one"])", "only one"},
      {R"("")", "Complete this:"},
      {"null", "Complete this:"},
      {R"([""])", "Complete this:"},
  }));
  const auto chat = chat_of(R"({"model":"m","prompt":)" + prompt + "}");
  CHECK(chat == json{{"model", "m"}, {"messages", {{{"role", "user"}, {"content", content}}}}});
  CHECK(chat_of(R"({"model":"m"})")["messages"][0]["content"] == "Complete this:");
}

TEST_CASE("what Chat has too is copied, the rest is not") {
  CHECK(chat_of(R"({"model":"m","prompt":"p","max_tokens":16,"temperature":0.50,"top_p":1,"n":2,)"
                R"("frequency_penalty":0.1,"presence_penalty":0.2,"stop":["x"],"stream":true,)"
                R"("logprobs":3,"best_of":4,"echo":false,"suffix":null,"zeta":1})") ==
        json::parse(R"({"model":"m","max_tokens":16,"temperature":0.5,"top_p":1,"n":2,)"
                    R"("frequency_penalty":0.1,"presence_penalty":0.2,"stop":["x"],"stream":true,)"
                    R"("logprobs":true,"top_logprobs":3,)"
                    R"("messages":[{"role":"user","content":"p"}]})"));
  CHECK(chat_of(R"({"model":"m","prompt":"p","logprobs":true,"top_logprobs":2})")["top_logprobs"] ==
        2);
  CHECK_FALSE(chat_of(R"({"model":"m","prompt":"p","logprobs":false})").contains("logprobs"));
}

TEST_CASE("a prompt that one message cannot say is refused by name") {
  const auto [body, why] = GENERATE(table<std::string, std::string>({
      {R"({"prompt":["a","b"]})", "prompt: several prompts"},
      {R"({"prompt":[1,2,3]})", "prompt: token ids"},
      {R"({"prompt":[[1,2],[3]]})", "prompt: token ids"},
      {R"({"prompt":["a",7]})", "prompt:"},
      {R"({"prompt":[]})", "prompt: the list is empty"},
      {R"({"prompt":{"text":"a"}})", "prompt: must be a string"},
      {R"({"prompt":7})", "prompt: must be a string"},
      {R"({"prompt":"a","suffix":"b"})", "suffix:"},
      {R"({"prompt":"a","echo":"yes"})", "echo:"},
  }));
  CAPTURE(body);
  const auto made = called(body);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::invalid_input);
  CHECK_THAT(made.error().detail, ContainsSubstring(why));
}

TEST_CASE("Chat's answer is a completion with every choice's text") {
  const auto body = json::parse(whole(
      R"({"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[)"
      R"({"index":0,"message":{"role":"assistant","content":"noon"},"finish_reason":"stop"},)"
      R"({"index":1,"message":{"content":[{"type":"text","text":"dusk"}]},"finish_reason":"length"}],)"
      R"("usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}})"));
  CHECK(body == json::parse(R"({"id":"c1","object":"text_completion","created":7,"model":"m",)"
                            R"("choices":[{"index":0,"text":"noon","logprobs":null,)"
                            R"("finish_reason":"stop"},{"index":1,"text":"dusk","logprobs":null,)"
                            R"("finish_reason":"length"}],"usage":{"prompt_tokens":3,)"
                            R"("completion_tokens":2,"total_tokens":5}})"));
}

TEST_CASE("an echoed prompt stands in front of every choice, once") {
  const std::string chunk = R"(data: {"id":"c","choices":[{"index":0,"delta":{"content":"no"}}]})"
                            "\n\n";
  CHECK_THAT(framed(chunk + chunk, "high "),
             ContainsSubstring("\"high no\"") && ContainsSubstring("\"no\""));
  CHECK_THAT(whole(R"({"choices":[{"message":{"content":""}}]})", "p"),
             ContainsSubstring("\"text\":\"p\""));
}

TEST_CASE("log probabilities take the form of completions, with offsets in characters") {
  const auto body =
      json::parse(whole(R"({"choices":[{"message":{"content":"ïa"},"logprobs":{"content":[)"
                        R"({"token":"ï","logprob":-1,"top_logprobs":[{"token":"ï","logprob":-1}]},)"
                        R"({"token":"a","logprob":-2,"top_logprobs":[]}]}}]})"));
  CHECK(body["choices"][0]["logprobs"] ==
        json::parse(R"({"tokens":["ï","a"],"token_logprobs":[-1,-2],)"
                    R"("top_logprobs":[{"ï":-1},{}],"text_offset":[0,1]})"));
}

TEST_CASE("chunks that say nothing are left out of a stream, endings and errors stay") {
  const std::string role =
      R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})";
  const std::string text = R"(data: {"id":"c","choices":[{"index":0,"delta":{"content":"hi"}}]})";
  const std::string stop =
      R"(data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";
  const std::string usage = R"(data: {"id":"c","choices":[],"usage":{"total_tokens":5}})";
  const std::string error = R"(data: {"error":{"message":"no"}})";
  CHECK(framed(role + "\n\n") == "");
  CHECK_THAT(framed(text + "\n\n"), ContainsSubstring(R"("object":"text_completion")") &&
                                        ContainsSubstring(R"("text":"hi")"));
  CHECK_THAT(framed(stop + "\n\n"), ContainsSubstring(R"("finish_reason":"stop")"));
  CHECK_THAT(framed(usage + "\n\n"), ContainsSubstring(R"("usage":{"total_tokens":5})"));
  for (const std::string& kept : {error + "\n\n", std::string{"data: [DONE]\n\n"},
                                  std::string{": comment\n\n"}, std::string{"data: {broken\n\n"}}) {
    CHECK(framed(kept) == kept);
  }
}

TEST_CASE("an answer that is no Chat answer goes out as it came") {
  for (const std::string body : {R"({"error":{"message":"no"}})", "not json", R"({"choices":7})",
                                 "[]", R"({"choices":[7,{"index":"x","message":[]}]})"}) {
    CAPTURE(body);
    const auto out = whole(body);
    if (body.find("choices\":[") == std::string::npos) CHECK(out == body);
  }
  const std::string deep =
      R"({"choices":[],"usage":)" + std::string(5000, '[') + std::string(5000, ']') + "}";
  CHECK(whole(deep) == deep);
}
