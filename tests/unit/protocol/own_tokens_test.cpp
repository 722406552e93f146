/// A conversation that several providers took part in reaches each without the others' tokens.

#include "protocol/canonical/own_tokens.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace tidegate::protocol {
namespace {

using nlohmann::json;

const std::string gpt_token = "gAAAA" + std::string(120, 'A');
const std::string claude_token = "EkEKBAgFGAISOWNsYXVkZS1zb25uZXQtNC02" + std::string(60, 'A');
const std::string gemini_token = "EgoKCAEAAAAAAAAA";

std::string own(wire form, token_reader reader, const std::string& text) {
  std::string body = text;
  body.reserve(body.size() + 64);
  if (!may_hold_foreign_tokens(form, reader, body)) return body;
  const auto head = read_envelope(body);
  REQUIRE(head.has_value());
  return with_own_tokens(form, reader, body, *head);
}

std::string thinking(const std::string& token) {
  return R"({"model":"m","max_tokens":9,"container":{"keep":1},)"
         R"("thinking":{"type":"enabled","budget_tokens":2048},"messages":[)"
         R"({"role":"user","content":"x"},{"role":"assistant","content":[)"
         R"({"type":"thinking","thinking":"t","signature":")" +
         token +
         R"("},{"type":"tool_use","id":"c1","name":"f","input":{}}]},)"
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}]})";
}

/// As JSON with spaces and line ends around the tokens of a member.
std::string spread(std::string text) {
  const std::string key = R"("signature":)";
  return text.replace(text.find(key), key.size(), "\"signature\" \n:\t");
}

}  // namespace

TEST_CASE("a request with its reader's tokens alone keeps its bytes") {
  const token_reader claude{token_owner::claude, false};
  CHECK(own(wire::anthropic_messages, claude, thinking(claude_token)) == thinking(claude_token));
  const token_reader gpt{token_owner::gpt, true};
  const auto item = R"({"model":"m","input":[{"type":"reasoning","summary" : [],)"
                    R"("encrypted_content":")" +
                    gpt_token + R"("}],"reasoning":{"summary":"auto"}})";
  CHECK(own(wire::openai_responses, gpt, item) == item);
}

TEST_CASE("a token of no known form is its reader's") {
  const token_reader claude{token_owner::claude, false};
  CHECK(own(wire::anthropic_messages, claude, thinking("abcd")) == thinking("abcd"));
}

TEST_CASE("foreign thinking leaves a Messages request") {
  const token_reader claude{token_owner::claude, false};
  for (const auto& token : {gpt_token, gemini_token, std::string{}}) {
    const auto body = json::parse(own(wire::anthropic_messages, claude, thinking(token)));
    CAPTURE(token);
    CHECK(body["messages"][1]["content"].size() == 1);
    CHECK(body["messages"][1]["content"][0]["type"] == "tool_use");
    CHECK(body["container"]["keep"] == 1);
  }
}

TEST_CASE("thinking without a signature does not reach Claude, Kimi takes its own") {
  auto body = thinking(claude_token);
  const auto signature = R"(,"signature":")" + claude_token + '"';
  body.erase(body.find(signature), signature.size());
  const auto sent = json::parse(own(wire::anthropic_messages, {token_owner::claude, false}, body));
  CHECK(sent["messages"][1]["content"].size() == 1);
  CHECK(sent["messages"][1]["content"][0]["type"] == "tool_use");
  CHECK(own(wire::anthropic_messages, {token_owner::kimi, false}, body) == body);
}

TEST_CASE("blanks do not hide a foreign token, and texts are none") {
  const token_reader claude{token_owner::claude, false};
  CHECK(may_hold_foreign_tokens(wire::anthropic_messages, claude, spread(thinking(gpt_token))));
  for (const auto* text : {R"({"signature"})", R"({"signature":null})", R"({"signature")", "",
                           R"({"text":"\"signature\":\"gAAAA\""})", R"({"signature":7)"}) {
    CAPTURE(text);
    CHECK_FALSE(may_hold_foreign_tokens(wire::anthropic_messages, claude, text));
  }
}

TEST_CASE("foreign and bare reasoning leaves a Responses request whose provider stores nothing") {
  const token_reader gpt{token_owner::gpt, true};
  const auto with = [](const std::string& more) {
    return R"({"model":"m","truncation":"auto","input":[{"role":"user","content":"x"},)"
           R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"t"}])" +
           more + "}]}";
  };
  for (const auto& more : {R"(,"encrypted_content":")" + claude_token + '"', std::string{}}) {
    const auto body = json::parse(own(wire::openai_responses, gpt, with(more)));
    CAPTURE(more);
    CHECK(body["input"].size() == 1);
    CHECK(body["truncation"] == "auto");
  }
  CHECK(own(wire::openai_responses, {token_owner::gpt, false}, with("")) == with(""));
}

TEST_CASE("only what is foreign is cut out, every other byte stays") {
  const token_reader claude{token_owner::claude, false};
  const auto block = R"({"type":"thinking","thinking":"t","signature":")" + gpt_token + R"("})";
  const std::string before = R"({"model":"m", "messages":[ {"role":"user","content":"q"},
 {"role":"assistant","content":[)";
  const std::string behind = R"({"type":"text","text":"a","citations":[{"document_title":"T"}]} ,
  {"type":"new_block","n":1.10}]}, {"role":"user","content":"x"}], "later":{"k":1e2}})";
  CHECK(own(wire::anthropic_messages, claude, before + block + "," + behind) == before + behind);

  const token_reader gpt{token_owner::gpt, true};
  const auto item =
      R"({"type":"reasoning","summary":[],"encrypted_content":")" + claude_token + R"("})";
  const std::string input = R"({"model":"m","input":[{"type":"additional_tools","tools":[]})";
  const std::string rest = R"(, {"type":"message","id":"msg_1","phase":"commentary"}]})";
  CHECK(own(wire::openai_responses, gpt, input + "," + item + rest) == input + rest);

  const token_reader gemini{token_owner::gemini, false};
  const std::string parts = R"({"contents":[{"parts":[{"fileData":{},"videoMetadata":{"fps":2}},)"
                            R"({"text":"a")";
  const auto signature = R"(,"thoughtSignature":")" + gpt_token + '"';
  CHECK(own(wire::gemini, gemini, parts + signature + "}]}]}") == parts + "}]}]}");
}

TEST_CASE("what others thought reaches Kimi without their signatures") {
  const token_reader kimi{token_owner::kimi, false};
  auto bare = thinking(gpt_token);
  const auto signature = R"(,"signature":")" + gpt_token + '"';
  bare.erase(bare.find(signature), signature.size());
  CHECK(own(wire::anthropic_messages, kimi, thinking(gpt_token)) == bare);
}

TEST_CASE("a turn of foreign thinking alone leaves with it") {
  const token_reader claude{token_owner::claude, false};
  const auto thought = [](const std::string& block) {
    return R"({"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant",)"
           R"("content":[)" + block + R"(]},{"role":"user","content":"x"}]})";
  };
  const auto hidden = R"({"type":"thinking","thinking":"","signature":")" + gemini_token +
                      R"("},{"type":"redacted_thinking","data":")" + gpt_token + R"("})";
  const auto body = json::parse(own(wire::anthropic_messages, claude, thought(hidden)));
  CHECK(body["messages"] == json::parse(R"([{"role":"user","content":"q"},
                                            {"role":"user","content":"x"}])"));
}

TEST_CASE("what another provider's search found reaches Claude without its unmarked findings") {
  const auto messages = [](const std::string& found, const std::string& cited) {
    return R"({"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant",)"
           R"("content":[{"type":"text","text":"a","citations":[)" +
           cited +
           R"(]},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}},)"
           R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[)" +
           found + R"(]}]},{"role":"user","content":"x"}]})";
  };
  const std::string own_find = R"({"type":"web_search_result","url":"u","encrypted_content":"E"})";
  const std::string own_mark = R"({"url":"u","encrypted_index":"E"})";
  const std::string find = R"({"type":"web_search_result","url":"v","encrypted_content":""})";
  const std::string mark = R"({"url":"v","encrypted_index":""})";
  const token_reader claude{token_owner::claude, false};
  CHECK(own(wire::anthropic_messages, claude, messages(own_find + "," + find, mark)) ==
        messages(own_find, ""));
  CHECK(own(wire::anthropic_messages, claude, messages(own_find, own_mark)) ==
        messages(own_find, own_mark));
}

TEST_CASE("a token in an envelope reaches its owner bare") {
  const token_reader kimi{token_owner::kimi, false};
  CHECK(own(wire::anthropic_messages, kimi, thinking("v1.kimi.standalone.any.abcd")) ==
        thinking("abcd"));
}

TEST_CASE("a foreign signature of a Gemini call becomes the one that stands for none") {
  const auto contents = [](const std::string& token) {
    return R"({"cachedContent":"c","contents":[{"role":"user","parts":[{"text":"x"}]},)"
           R"({"role":"model","parts":[{"functionCall":{"name":"f","args":{}},)"
           R"("thoughtSignature":")" +
           token + R"("}]},{"role":"user","parts":[{"functionResponse":{"name":"f",)"
                   R"("response":{"result":"r"}}}]}]})";
  };
  const token_reader gemini{token_owner::gemini, false};
  CHECK(own(wire::gemini, gemini, contents(gemini_token)) == contents(gemini_token));
  const auto body = json::parse(own(wire::gemini, gemini, contents(gpt_token)));
  CHECK(body["contents"][1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator");
  CHECK(body["cachedContent"] == "c");
}

}  // namespace tidegate::protocol
